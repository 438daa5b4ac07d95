// ContainerInput: a container that libavformat reads, from a file, a URL or a pipe: packets that do
// not keep anybody waiting longer than is wanted.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/av/av_log.h"
#include "pipeline/base/stopwatch.h"
#include "pipeline/demux/container_trailer.h"
#include "pipeline/demux/discontinuities.h"
#include "pipeline/demux/late_streams.h"
#include "pipeline/demux/source_options.h"
#include "pipeline/io/pipe_io.h"
#include "pipeline/io/policy/references.h"

namespace vidconv {

// All but cancel() belong to one thread.
class ContainerInput {
 public:
  // Opens it and finds its streams. From `reader` where there is one (`url` is its name then).
  // Takes of the options what they say of its format, of waiting and of trust. Throws Error(input),
  // Error(usage) for a format that there is not.
  ContainerInput(const std::string& url, std::unique_ptr<ByteReader> reader,
                 const SourceOptions& options);
  ContainerInput(const ContainerInput&) = delete;
  ContainerInput& operator=(const ContainerInput&) = delete;

  AVFormatContext& container() const { return *container_; }
  const std::string& name() const { return name_; }  // for messages

  // The next packet, into an empty one, at a time that goes on where the input's jumps. Returns
  // what av_read_frame() does, and AVERROR(ETIMEDOUT) where nothing came for too long from a live
  // input; throws Error(input) where nothing came from another, or it refers to what it may not.
  int read(AVPacket& packet);
  // Of that packet, as Discontinuities says it.
  Follows follows() const { return jumps_->follows(); }
  // While it was read, the container has said of some packet that its data are broken, beyond what
  // a counter of packets tells.
  bool broken() const { return broken_; }

  // To a place before `time`, microseconds of the container's time, as near as the container can
  // tell: perhaps in the middle of pictures that refer to what came before. False where it has no
  // way to, and is wherever the search has led.
  bool seek(std::int64_t time);
  // To the first packet, after seek(): where that has moved, the container is opened anew, with
  // other streams.
  void rewind();

  // Makes a read() that waits return, now and from now on. Any thread.
  void cancel();
  // Cancelled or interrupted: an end that was seen is not the end of the data.
  bool stopped() const { return cancelled_ || (interrupted_ && *interrupted_); }
  // Throws Error(input) where it has stopped.
  void refuse_stopped() const;
  // Throws Error(input) where reading has ended with `code` because the index of a pipe's MP4 lies
  // behind its pictures. For who has not seen a picture.
  void refuse_index_behind(int code) const;

  // Throws Error(too_large) where the video has pictures of more pixels than are allowed: as far as
  // is known, of any video if that is nothing.
  void check_size(const AVCodecParameters& video) const;

  // Of a file or a pipe: its first bytes once it is open, all of it after the last packet. Nothing
  // is known of other inputs.
  InputBytes bytes() const;

  // As VideoInfo::loops.
  std::optional<int> loops() const;

  // After the last packet, whether a server's answer that came in chunks has ended in the middle.
  bool was_cut();

  // Packets that could not be put where they belong.
  std::int64_t lost() const { return late_.lost(); }

  // What the demuxer and the parsers have complained of so far, from the first byte on, but for the
  // end of the input.
  const AvErrors& errors() const { return errors_; }
  std::int64_t error_count() const { return errors_.count() - errors_of_end_; }

  // Whether it has a manifest of where it comes from. Of what is read once, its beginning tells.
  bool has_manifest() const;

 private:
  // What libavformat calls; `self` and the container's opaque are a ContainerInput.
  static int wants_to_stop(void* self) noexcept;
  static int open_reference(AVFormatContext* container, AVIOContext** opened, const char* url,
                            int flags, AVDictionary** options) noexcept;

  void open();
  void check_own() const;
  void refuse_unknown(AVDictionary* left) const;
  // Whether any place of it can be read, at no other's expense.
  bool is_stored() const;
  int read_next(AVPacket& packet);
  // Bytes of a file, or of those of a pipe that are kept.
  std::string bytes_at(std::int64_t at, std::size_t count) const;
  // Whether all bytes were read and are whole, whatever the demuxer says.
  bool has_ended() const;
  void begin();  // the times, from here
  // Throws where the input is a still picture that FFmpeg has not read.
  void refuse_still() const;
  void note_chunk();
  // Throws what our own functions have kept from libavformat.
  void check_ours() const;
  int find_streams();
  int check(int code) const;

  const std::string url_, name_;
  const double timeout_;  // seconds; 0: none
  const std::int64_t max_pixels_;
  const std::string frame_rate_;  // empty: the input's
  const bool copy_times_;
  const int video_;  // that is wanted, from 1
  const bool live_, low_delay_;
  const std::vector<std::pair<std::string, std::string>> own_;
  const std::shared_ptr<const StreamInfo> known_;  // may be null
  const std::atomic<bool>* const interrupted_;
  const Notify notify_;  // hears of a jump once
  std::atomic<bool> cancelled_ = false;
  Clock::time_point heard_;  // when the input was last asked for something, or bytes came
  std::int64_t bytes_heard_ = 0;
  std::optional<std::uint64_t> last_chunk_;  // of a server's answer, on whatever thread it came
  const AVFormatContext* listened_to_ = nullptr;  // while it is opened too
  std::atomic<bool> gave_up_ = false;  // nothing has come for longer than the user wants to wait
  const AVInputFormat* const format_;  // that was asked for, or nullptr
  std::optional<PipeInput> pipe_;
  References references_;
  AvErrors errors_{this};
  InputPtr container_;
  std::int64_t look_bytes_;  // of a file, for its streams
  LateStreams late_;
  std::int64_t errors_of_end_ = 0, behind_packets_ = 0;
  std::optional<Discontinuities> jumps_;
  std::string refused_;
  bool read_in_advance_ = false, moved_ = false, broken_ = false;
  bool told_ = false, told_of_clocks_ = false;
};

}  // namespace vidconv
