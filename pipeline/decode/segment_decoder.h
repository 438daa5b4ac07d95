// SegmentDecoder: several decoders work on one stream at once, each on a part that begins with a
// key frame, and their frames come out in order: the same frames as from one.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/decode/segment_queue.h"

namespace vidconv {

class SegmentDecoder final : public VideoDecoder {
 public:
  using MakeDecoder = std::function<std::unique_ptr<Decoder>()>;

  // `make` is called once for each session, on its thread, the first time on this one, and from the
  // second on when a second frame is asked for: until then whoever filters the first one has the
  // device to himself. `stream` outlives this object. Throws what `make` throws.
  SegmentDecoder(const AVStream& stream, MakeDecoder make, const SegmentOptions& options);
  ~SegmentDecoder() override { cancel(); }

  // Takes every packet. Keeps references.
  Result send(const AVPacket* packet) override { return queue_.send(packet); }
  // Asks for more packets (Result::again) until every session has a part and as many wait; blocks
  // for the next frame then. Refused only where no session decodes: one that is refused while
  // others work, for want of memory say, leaves its part to them. first_error() is why, then.
  Result receive(FramePtr& frame) override;
  bool on_device() const override { return on_device_; }
  std::int64_t errors() const override;
  std::string first_error() const override;
  void cancel() override { queue_.cancel(); }
  std::size_t memory() const override;

 private:
  // `decoder`: nullptr where the session makes its own.
  void start_session(std::unique_ptr<Decoder> decoder);
  void run_session(Decoder& decoder);

  const MakeDecoder make_;
  const std::size_t most_sessions_;
  bool on_device_;
  SegmentQueue queue_;
  mutable std::mutex mutex_;        // of the decoders and what they complained of
  std::vector<Decoder*> decoders_;  // of all sessions, while they live
  std::int64_t errors_ = 0;         // of sessions that have ended
  std::string first_error_;
  std::vector<std::jthread> threads_;  // end before all that they use
};

}  // namespace vidconv
