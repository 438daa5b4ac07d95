// Muxer: packets of several streams to a container, at times that the container can hold.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/av/av.h"
#include "pipeline/av/container.h"
#include "pipeline/base/notice.h"
#include "pipeline/io/pipe_io.h"

namespace vidconv {

// In this order: add streams, begin(), write(), finish(). All throw Error(output).
using MuxerOptions = std::vector<std::pair<std::string, std::string>>;

class Muxer {
 public:
  // `output` is for messages. `lose` hears what the container cannot hold. Throws
  // Error(encoder_option) for options that the container does not have or understand.
  Muxer(const AVOutputFormat& format, std::string output, const MuxerOptions& options,
        Notify notify, Notify lose);
  // Leaves what was written as it is.
  ~Muxer();

  AVFormatContext& container() { return *container_; }
  AVStream& add_stream();
  // The input begins before 0, by more than a lead-in of sound: all times may have to be moved.
  // Matroska's blocks can say such times, which FFmpeg's reader takes for unknown ones.
  void hold_start() { holding_ = true; }
  // Times mean something by themselves, so that to move all of them is a loss.
  void keep_times() { times_count_ = true; }
  // A stream whose first packet is needed to tell where the times begin: what comes before it is
  // held back where that matters.
  void add_leader(const AVStream& stream) { awaited_.push_back(stream.index); }

  // Hears of a packet that the container, or a filter on the way to it, does not take although it
  // can be written to: of which stream, when it is shown ("2.5 s") and why. Returns false where the
  // packet may not be missing, which is Error(output) then.
  using Refused =
      std::function<bool(const AVStream& to, const std::string& when, const std::string& why)>;
  void on_refusal(Refused refused) { refused_ = std::move(refused); }

  // Sets an option of the container that the user has not set.
  void set_default(const char* key, std::int64_t value);

  // Writes the header.
  void begin(std::unique_ptr<PipeOutput> to);

  // A packet of the stream `to`, with times in `time_base`. It is moved from.
  void write(AVPacket& packet, AVRational time_base, const AVStream& to);

  // Writes what is held and the trailer.
  void finish();

  // Packets of the stream that have gone to the container; what is held is not counted.
  std::int64_t written(const AVStream& stream) const {
    return written_[static_cast<std::size_t>(stream.index)];
  }
  // Of the output so far.
  std::int64_t bytes() const;

 private:
  bool has_cover() const;
  int check(int code) const;
  void set_options();
  void release();
  void mux(AVPacket& packet);
  // What waits for other streams where `packet` is none. False where one was refused that may be
  // missing.
  bool write_interleaved(AVPacket* packet);
  void watch(AVPacket& packet);
  // `exact`: when it is decoded, before that was rounded.
  void straighten(AVPacket& packet, std::int64_t exact);
  void name_coarse(const AVPacket& packet);

  const AVOutputFormat& format_;
  const std::string output_;
  const Notify notify_, lose_;
  const MuxerOptions options_;
  std::unique_ptr<PipeOutput> to_;
  // A packet on its way through libavformat, which does not say which it refuses: the last that it
  // lets go of before it returns.
  struct Watched {
    Muxer* muxer;
    int stream;
    double seconds;
  };
  std::optional<Watched> gone_;
  Refused refused_;
  OutputPtr container_;
  std::vector<int> awaited_;  // leaders of which no packet has come
  bool holding_;
  bool times_count_ = false;
  std::vector<PacketPtr> held_;
  std::int64_t held_bytes_ = 0;
  std::int64_t later_ = 0;                             // what is added to all times, microseconds
  std::vector<std::optional<std::int64_t>> last_dts_;  // by stream, as the next
  std::vector<std::int64_t> last_exact_, written_;
  bool times_were_right_ = true, coarse_is_told_ = false;
  bool needs_trailer_ = false;
};

}  // namespace vidconv
