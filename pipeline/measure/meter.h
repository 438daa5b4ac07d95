// Meter: compares an encoder's input with its decoded output, on a thread of its own. It decodes
// each packet again; or, if the encoder hands out the pictures that it predicts from, takes those,
// and decodes a few packets now and then to check that they are equal.
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

// Serves one encoder; all members belong to the thread that encodes.
class Meter {
 public:
  // `coded` describes the stream; its pixel format is the encoder's input format. `log` outlives
  // the meter. Throws Error(output_unsuited) where there is no decoder for it, or no way to
  // compare. `notify` hears that the encoder's own pictures are of no use.
  Meter(MeasureLog& log, const AVCodecParameters& coded, AVRational time_base,
        const std::string& filtered, Notify notify);
  // Drops what was not compared yet.
  ~Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // Takes a frame that goes into the encoder, to be shown at `pts` of the video. Keeps its memory
  // until it has come out.
  void expect(const AVFrame& frame, std::int64_t pts);
  // Takes a packet that has come out, with the times of the video, and, if the encoder gives it,
  // the picture that a decoder makes of it. Blocks where the decoder is far behind. Throws what
  // decoding and comparing have thrown: Error(unaccounted).
  void take(const AVPacket& packet, FramePtr picture = nullptr);
  // Ends the packets: blocks until all frames were compared. Throws as take(), and where not all
  // have come out.
  void finish();

 private:
  struct Coded {
    PacketPtr packet;
    FramePtr picture;  // the encoder's, if it has any
  };
  // Says whose pictures are compared with the input.
  enum class Judge : std::uint8_t {
    decoder,
    both,  // the decoder's, while the encoder's must equal them: the beginning
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
  // Returns false where a library that needs pictures in order does not know the score yet.
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
  int agreed_ = 0;                    // pictures of this check that were equal
  std::deque<FramePtr> to_check_;     // the encoder's, which the decoder has not made yet
  std::optional<std::int64_t> from_;  // when the first picture of this check is shown
  std::unique_ptr<Vmaf> vmaf_;        // if requested
  std::unique_ptr<Xpsnr> xpsnr_;      // if requested
  std::deque<FrameScore> waiting_;    // for scores that these two give later
  unsigned handed_on_ = 0;
  Channel<Coded> packets_;
  std::mutex mutex_;  // guards the next two
  std::deque<FramePtr> given_;
  std::exception_ptr failure_;
  std::thread thread_;  // last, because it uses the others
};

}  // namespace vidconv
