// ContainerInput reads a container through libavformat, from a file, a URL or a pipe. Its packets
// do not keep anybody waiting longer than is wanted.
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

// Not thread-safe but for cancel().
class ContainerInput {
 public:
  // Opens the container and finds its streams. Reads from `reader` if there is one; `url` is its
  // name then. Uses the options of the format, of waiting and of trust. Throws Error(input), and
  // Error(usage) for an unknown format.
  ContainerInput(const std::string& url, std::unique_ptr<ByteReader> reader,
                 const SourceOptions& options);
  ContainerInput(const ContainerInput&) = delete;
  ContainerInput& operator=(const ContainerInput&) = delete;

  AVFormatContext& container() const { return *container_; }
  const std::string& name() const { return name_; }  // for messages

  // Reads the next packet into an empty one, with a time that goes on where the input's jumps.
  // Returns what av_read_frame() does, and AVERROR(ETIMEDOUT) if nothing has come for too long from
  // a live input. Throws Error(input) if nothing has come from another input, or if the input
  // refers to what it may not.
  int read(AVPacket& packet);
  // Returns how that packet follows the one before, as Discontinuities::follows() does.
  Follows follows() const { return jumps_->follows(); }
  // Returns whether the container has said, while that packet was read, that some packet's data are
  // broken, beyond what a counter of packets tells.
  bool broken() const { return broken_; }

  // Goes to a place before `time`, microseconds of the container's time, as near as the container
  // can tell: perhaps among pictures that refer to earlier ones. Returns false if it has no way to,
  // and is then wherever the search has led.
  bool seek(std::int64_t time);
  // Goes to the first packet, after seek(). If that has moved, the container is opened anew, with
  // other streams.
  void rewind();

  // Makes a read() that waits return, now and from now on. Thread-safe.
  void cancel();
  // Returns whether it was cancelled or interrupted: an end that was seen is then not the end of
  // the data.
  bool stopped() const { return cancelled_ || (interrupted_ && *interrupted_); }
  // Throws Error(input) if it has stopped.
  void refuse_stopped() const;
  // Throws Error(input) if reading has ended with `code` because the index of a pipe's MP4 lies
  // behind its pictures. For callers that have not seen a picture.
  void refuse_index_behind(int code) const;

  // Throws Error(too_large) if the video has pictures of more pixels than are allowed, as far as is
  // known; if nothing is known of it, checks the video that was refused.
  void check_size(const AVCodecParameters& video) const;

  // Returns the bytes of a file or a pipe: the first ones once it is open, all fields after the
  // last packet. Nothing is known of other inputs.
  InputBytes bytes() const;

  // Returns VideoInfo::loops.
  std::optional<int> loops() const;

  // Returns, after the last packet, whether a server's chunked answer has ended in the middle.
  bool was_cut();

  // Returns the number of packets that could not be put where they belong.
  std::int64_t lost() const { return late_.lost(); }

  // Return what the demuxer and the parsers have complained of so far, from the first byte on. The
  // count leaves out complaints about the end of the input.
  const AvErrors& errors() const { return errors_; }
  std::int64_t error_count() const { return errors_.count() - errors_of_end_; }

  // Returns whether it is a playlist or the like, whose pictures lie in other files.
  bool lies_in_others() const { return vidconv::lies_in_others(*container_->iformat); }

  // Returns whether it has a manifest of where it comes from. Looks only at the beginning of an
  // input that is read once.
  bool has_manifest() const;

 private:
  // These are called by libavformat; `self` and the container's opaque are a ContainerInput.
  static int wants_to_stop(void* self) noexcept;
  static int open_reference(AVFormatContext* container, AVIOContext** opened, const char* url,
                            int flags, AVDictionary** options) noexcept;

  void open();
  void check_own() const;
  void refuse_unknown(AVDictionary* left) const;
  // Returns whether any place of it can be read, at no other's expense.
  bool is_stored() const;
  int read_next(AVPacket& packet);
  // Returns bytes of a file, or of the beginning of a pipe, which is kept.
  std::string bytes_at(std::int64_t at, std::size_t count) const;
  // Returns whether all bytes were read and are whole, whatever the demuxer says.
  bool has_ended() const;
  void begin();  // starts the times from here
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
  const int video_;  // number of the wanted video, from 1
  const bool live_, low_delay_;
  const std::vector<std::pair<std::string, std::string>> own_;
  const std::shared_ptr<const StreamInfo> known_;  // may be null
  const std::atomic<bool>* const interrupted_;
  const Notify notify_;  // hears of a jump once
  std::atomic<bool> cancelled_ = false;
  Clock::time_point heard_;  // when the input was last asked for something, or bytes came
  std::int64_t bytes_heard_ = 0;
  // The last chunk of a server's answer, on whatever thread it came; 0 where the answer has ended.
  std::optional<std::uint64_t> last_chunk_;
  const AVFormatContext* listened_to_ = nullptr;  // while it is opened too
  std::atomic<bool> gave_up_ = false;  // nothing has come for longer than the user wants to wait
  const AVInputFormat* const format_;  // the demuxer that was asked for, or nullptr
  std::optional<PipeInput> pipe_;
  References references_;
  AvErrors errors_{this};
  InputPtr container_;
  std::int64_t look_bytes_;  // bytes of a file that are searched for its streams
  LateStreams late_;
  std::int64_t errors_of_end_ = 0, behind_packets_ = 0;
  std::optional<Discontinuities> jumps_;
  std::string refused_;
  bool read_in_advance_ = false, moved_ = false, broken_ = false;
  bool told_ = false, told_of_clocks_ = false;
};

}  // namespace vidconv
