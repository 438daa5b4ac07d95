// PartedDecoder: several decoders work on one stream at once, each on a part that begins with a key
// frame, and their frames come out in order: the same frames as from one.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "pipeline/decoder.h"

namespace vidconv {

// Whether a part may begin with this packet, and what of the stream before is needed after it.
enum class Cut : std::uint8_t {
  no,
  // Nothing that follows refers to what came before.
  clean,
  // Packets that follow at once may: those of frames shown before this one. They are decoded with
  // the part before, which gets a copy of this packet for them.
  open,
};
// `parameters`: how the NAL units of H.264 and HEVC lie in the packet.
Cut cut_at(const AVPacket& packet, const AVCodecParameters& parameters);

struct PartedOptions {
  int sessions = 4;        // decoders side by side
  int frames = 64;         // decoded frames of a part that may wait for the parts before it
  int least_packets = 12;  // of a part: starting one costs a few frames
};

class PartedDecoder final : public VideoDecoder {
 public:
  using MakeDecoder = std::function<std::unique_ptr<Decoder>()>;

  // `make` is called once for each session, on its thread, the first time on this one; `stream`
  // outlives this object. Throws what `make` throws.
  PartedDecoder(const AVStream& stream, MakeDecoder make, const PartedOptions& options);
  ~PartedDecoder() override;

  // Takes every packet. Keeps references.
  Result send(const AVPacket* packet) override;
  // Asks for more packets (Result::again) until every session has one part and the next one waits;
  // blocks for the next frame then.
  Result receive(FramePtr& frame) override;
  bool on_device() const override { return on_device_; }
  std::int64_t errors() const override;
  std::string first_error() const override;
  void cancel() override;
  std::size_t memory() const override;

 private:
  struct Part;

  void work(std::unique_ptr<Decoder> decoder);
  void decode(Decoder& decoder, Part& part);
  // Takes what the decoder has; false where it wants packets, or is at the end.
  Result drain(Decoder& decoder, Part& part);
  bool put(Part& part, FramePtr frame);  // nullptr: damage
  std::shared_ptr<Part> next_part();
  PacketPtr next_packet(Part& part);

  void begin_part(const AVPacket& packet, Cut cut);
  void append(Part& part, const AVPacket& packet);

  const AVCodecParameters& parameters_;
  const MakeDecoder make_;
  const PartedOptions options_;
  bool on_device_;
  mutable std::mutex mutex_;  // of all below but tail_ and times_known_, which belong to send()
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Part>> parts_;    // in order; the first one's frames come out
  std::deque<std::shared_ptr<Part>> waiting_;  // that no session has taken
  std::vector<Decoder*> decoders_;             // of all sessions, while they live
  std::int64_t errors_ = 0;                    // of sessions that have ended
  std::string first_error_;
  std::size_t packets_ = 0;  // that wait to be decoded
  bool ended_ = false, cancelled_ = false, refused_ = false;
  std::exception_ptr failure_;
  std::shared_ptr<Part> tail_;  // the part before the last, while it may still need packets
  bool times_known_ = true;     // every packet so far has said when its frame is shown
  std::vector<std::jthread> threads_;
};

}  // namespace vidconv
