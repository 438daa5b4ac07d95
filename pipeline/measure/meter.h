// Meter: decodes again what an encoder makes, on a thread of its own, and compares it with what
// went in.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "pipeline/av/av.h"
#include "pipeline/base/channel.h"
#include "pipeline/measure/measure_log.h"
#include "pipeline/measure/vmaf.h"

namespace vidconv {

// Of one encoder; all members belong to the thread that encodes.
class Meter {
 public:
  // `coded`: what the encoder makes, its pixel format being that of the frames that go in. `log`
  // outlives the meter. Throws Error(output_unsuited) where there is no decoder for it, or no way
  // to compare.
  Meter(MeasureLog& log, const AVCodecParameters& coded, AVRational time_base,
        const std::string& filtered);
  // Drops what was not compared yet.
  ~Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // A frame goes into the encoder, to be shown at `pts` of the video. Its memory is kept until it
  // has come out.
  void expect(const AVFrame& frame, std::int64_t pts);
  // A packet has come out, with the times of the video. Waits where the decoder is far behind.
  // Throws what decoding and comparing have thrown: Error(unaccounted).
  void take(const AVPacket& packet);
  // No more packets: returns when all frames were compared. Throws as take(), and where not all
  // have come out.
  void finish();

 private:
  void work() noexcept;
  void decode_all();
  void decode(const AVPacket* packet);
  void compare(FramePtr decoded);
  FramePtr given_at(std::int64_t pts);
  // Those whose VMAF is known.
  void hand_on();
  [[noreturn]] void fail(const std::string& why) const;
  void check();

  MeasureLog& log_;
  const AVRational time_base_;
  CodecContextPtr decoder_;
  std::unique_ptr<Vmaf> vmaf_;           // where it was asked for
  std::deque<FrameScore> without_vmaf_;  // which libvmaf gives later
  unsigned with_vmaf_ = 0;
  Channel<PacketPtr> packets_;
  std::mutex mutex_;  // of the next two
  std::deque<FramePtr> given_;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace vidconv
