// Meter: compares what went into an encoder with what a decoder makes of what comes out, on a
// thread of its own. It decodes each packet again; or, where the encoder hands out the pictures
// that it predicts from, takes those, and decodes a few packets now and then to see that they are
// the same.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "pipeline/av/av.h"
#include "pipeline/base/channel.h"
#include "pipeline/base/notice.h"
#include "pipeline/measure/measure_log.h"
#include "pipeline/measure/vmaf.h"
#include "pipeline/measure/xpsnr.h"

namespace vidconv {

// Of one encoder; all members belong to the thread that encodes.
class Meter {
 public:
  // `coded`: what the encoder makes, its pixel format being that of the frames that go in. `log`
  // outlives the meter. Throws Error(output_unsuited) where there is no decoder for it, or no way
  // to compare. `notify` hears that the encoder's own pictures are of no use.
  Meter(MeasureLog& log, const AVCodecParameters& coded, AVRational time_base,
        const std::string& filtered, Notify notify);
  // Drops what was not compared yet.
  ~Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // A frame goes into the encoder, to be shown at `pts` of the video. Its memory is kept until it
  // has come out.
  void expect(const AVFrame& frame, std::int64_t pts);
  // A packet has come out, with the times of the video, and, where the encoder says so, the picture
  // that a decoder makes of it. Waits where the decoder is far behind. Throws what decoding and
  // comparing have thrown: Error(unaccounted).
  void take(const AVPacket& packet, FramePtr picture = nullptr);
  // No more packets: returns when all frames were compared. Throws as take(), and where not all
  // have come out.
  void finish();

 private:
  struct Coded {
    PacketPtr packet;
    FramePtr picture;  // the encoder's, if it has any
  };
  // Whose pictures are compared with what went in.
  enum class Judge : std::uint8_t {
    decoder,
    both,  // the decoder's, and the encoder's have to be the same: the beginning
    encoder,
  };

  void work() noexcept;
  void measure_all();
  void measure(Coded coded);
  void trust_encoder();
  void begin_check();
  void end_check();
  void decode(const AVPacket* packet);
  void receive_all();
  void came_out(FramePtr decoded);
  void keep_for_check(FramePtr picture);
  bool is_the_encoders(const AVFrame& decoded);
  void compare(FramePtr picture);
  FramePtr given_at(std::int64_t pts);
  // False where the libraries that look at pictures in order do not know it yet.
  bool complete(FrameScore& score);
  void hand_on();
  [[noreturn]] void fail(const std::string& why) const;
  void check();

  MeasureLog& log_;
  const AVRational time_base_;
  const Notify notify_;
  CodecContextPtr decoder_;
  Judge judge_ = Judge::both;
  bool checking_ = true;              // packets go to the decoder
  int since_check_ = 0;               // packets since the last check began
  int agreed_ = 0;                    // pictures of this check that were the same
  std::deque<FramePtr> to_check_;     // the encoder's, which the decoder has not made yet
  std::optional<std::int64_t> from_;  // when the first picture of this check is shown
  std::unique_ptr<Vmaf> vmaf_;        // where it was asked for
  std::unique_ptr<Xpsnr> xpsnr_;      // the same
  std::deque<FrameScore> waiting_;    // for what these two give later
  unsigned handed_on_ = 0;
  Channel<Coded> packets_;
  std::mutex mutex_;  // of the next two
  std::deque<FramePtr> given_;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace vidconv
