// SegmentDecoder decodes a stream with several decoders at once, each on a segment that begins with
// a key frame. Frames come out in order, the same as from one decoder.
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

  // `make` is called once per session, on its thread; for the first session on this one. Sessions
  // from the second on start when a second frame is asked for: until then whoever filters the first
  // one has the device to himself. `stream` outlives this object. Throws what `make` throws.
  SegmentDecoder(const AVStream& stream, MakeDecoder make, const SegmentOptions& options);
  ~SegmentDecoder() override { cancel(); }

  // Takes every packet and keeps a reference to it.
  Result send(const AVPacket* packet) override { return queue_.send(packet); }
  // Asks for more packets (Result::again) until every session has a segment and as many wait; then
  // blocks for the next frame. Refused only if no session decodes: a session that is refused while
  // others work, say for want of memory, leaves its segment to them. first_error() is then the
  // reason.
  Result receive(FramePtr& frame) override;
  bool on_device() const override { return on_device_; }
  std::int64_t errors() const override;
  std::string first_error() const override;
  void cancel() override { queue_.cancel(); }
  std::size_t memory() const override;

 private:
  // `decoder`: nullptr if the session makes its own.
  void start_session(std::unique_ptr<Decoder> decoder);
  void run_session(Decoder& decoder);

  const MakeDecoder make_;
  const std::size_t most_sessions_;
  bool on_device_;
  SegmentQueue queue_;
  mutable std::mutex mutex_;        // guards the decoders and their complaints
  std::vector<Decoder*> decoders_;  // all sessions', while they live
  std::int64_t errors_ = 0;         // ended sessions'
  std::string first_error_;
  std::vector<std::jthread> threads_;  // joined before all that they use is destroyed
};

}  // namespace vidconv
