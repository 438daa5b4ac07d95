// Muxer: writes packets of several streams to a container, with times that the container can hold.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/av/av.h"
#include "pipeline/av/container.h"
#include "pipeline/base/notice.h"
#include "pipeline/io/pipe_io.h"
#include "pipeline/sink/timeless_sound.h"

namespace vidconv {

// Call it in this order: add streams, begin(), write(), finish(). All throw Error(output).
using MuxerOptions = std::vector<std::pair<std::string, std::string>>;

class Muxer {
 public:
  // `output` is for messages. `lose` hears what the container cannot hold. Throws
  // Error(encoder_option) for options that the container does not have or understand.
  Muxer(const AVOutputFormat& format, std::string output, const MuxerOptions& options,
        Notify notify, Notify lose);
  // Leaves the written bytes as they are.
  ~Muxer();

  AVFormatContext& container() { return *container_; }
  AVStream& add_stream();
  // Says that the input begins before 0 by more than a sound's lead-in, so that all times may have
  // to move. Matroska's blocks can hold such times, but FFmpeg's reader takes them for unknown
  // ones.
  void hold_start() { holding_ = true; }
  // Says that times have a meaning of their own, so that moving all of them is a loss.
  void keep_times() { times_count_ = true; }
  // Adds a stream whose first packet tells where the times begin: where that matters, packets
  // before it are held back.
  void add_leader(const AVStream& stream) { awaited_.push_back(stream.index); }

  // Hears of a packet that the container, or a filter before it, refuses although the output can be
  // written: its stream, when it is shown ("2.5 s") and why. Returns false where the packet must
  // not be missing, which leads to Error(output).
  using Refused =
      std::function<bool(const AVStream& to, const std::string& when, const std::string& why)>;
  void on_refusal(Refused refused) { refused_ = std::move(refused); }

  // Sets an option of the container, unless the user has set it.
  void set_default(const char* key, std::int64_t value);

  // Writes the header.
  void begin(std::unique_ptr<PipeOutput> to);

  // Writes a packet of the stream `to`, with times in `time_base`, and moves from it.
  void write(AVPacket& packet, AVRational time_base, const AVStream& to);

  // Writes the held packets and the trailer.
  void finish();

  // Returns how many packets of the stream went to the container, without those held back.
  std::int64_t written(const AVStream& stream) const {
    return written_[static_cast<std::size_t>(stream.index)];
  }
  // Returns when the last of what was written ends, in ms.
  std::int64_t end() const { return end_; }
  // Returns the bytes of the output so far.
  std::int64_t bytes() const;

 private:
  bool has_cover() const;
  bool is_avi() const { return std::string_view(format_.name) == "avi"; }
  int check(int code) const;
  void set_options();
  void release();
  void mux(AVPacket& packet);
  void begin_at_zero();
  void check_gap(const AVPacket& packet) const;
  void tell_start();
  void check_start(const AVPacket& packet);
  void mux_with_silence(AVPacket& packet);
  void mux_silence(AVPacket& packet);
  // Writes the packets that wait for other streams where `packet` is null. Returns false where the
  // container refused a packet that may be missing.
  bool write_interleaved(AVPacket* packet);
  void measure(AVPacket& packet);
  void watch(AVPacket& packet);
  // `exact` is its dts before rounding.
  void straighten(AVPacket& packet, std::int64_t exact);
  void name_coarse(const AVPacket& packet);

  const AVOutputFormat& format_;
  const std::string output_;
  const Notify notify_, lose_;
  const MuxerOptions options_;
  std::unique_ptr<PipeOutput> to_;
  // Marks a packet on its way through libavformat, which does not say which packet it refuses: it
  // is the last one that it releases before it returns.
  struct Watched {
    Muxer* muxer;
    int stream;
    double seconds;
  };
  std::optional<Watched> gone_;
  std::optional<TimelessSound> timeless_;
  Refused refused_;
  OutputPtr container_;
  std::vector<int> awaited_;  // leaders without a packet so far
  bool holding_;
  bool times_count_ = false;
  std::vector<PacketPtr> held_;
  std::int64_t held_bytes_ = 0;
  std::int64_t end_ = 0;                                    // ms
  std::int64_t later_ = 0;                                  // added to all times, microseconds
  std::vector<std::optional<std::int64_t>> last_dts_;       // by stream, as the next three
  std::vector<std::int64_t> last_exact_, written_, steps_;  // the last: between packets of sound
  bool times_were_right_ = true, coarse_is_told_ = false, start_is_told_ = false;
  bool needs_trailer_ = false;
};

}  // namespace vidconv
