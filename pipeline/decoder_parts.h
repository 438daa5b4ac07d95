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

#include "pipeline/cut.h"
#include "pipeline/decoder.h"

namespace vidconv {

struct PartedOptions {
  int sessions = 4;          // decoders side by side
  std::size_t frames = 256;  // decoded frames of all parts that may wait for the parts before them
  int least_packets = 12;    // of a part: starting one costs a few frames
  bool join = false;  // decoders go from part to part without a restart; only where can_join()
};

class PartedDecoder final : public VideoDecoder {
 public:
  using MakeDecoder = std::function<std::unique_ptr<Decoder>()>;

  // `make` is called once for each session, on its thread, the first time on this one, and from the
  // second on when a second frame is asked for: until then whoever filters the first one has the
  // device to himself. `stream` outlives this object. Throws what `make` throws.
  PartedDecoder(const AVStream& stream, MakeDecoder make, const PartedOptions& options);
  ~PartedDecoder() override;

  // Takes every packet. Keeps references.
  Result send(const AVPacket* packet) override;
  // Asks for more packets (Result::again) until every session has a part and as many wait; blocks
  // for the next frame then. Refused only where no session decodes: one that is refused while
  // others work, for want of memory say, leaves its part to them. first_error() is why, then.
  Result receive(FramePtr& frame) override;
  bool on_device() const override { return on_device_; }
  std::int64_t errors() const override;
  std::string first_error() const override;
  void cancel() override;
  std::size_t memory() const override;

 private:
  struct Part;
  using PartPtr = std::shared_ptr<Part>;

  void run_session(std::unique_ptr<Decoder> decoder);
  struct Session;

  // Decodes the session's part but for the frames that the decoder still holds. False where the
  // session was refused and ends; finish() likewise.
  bool decode(Session& session);
  // Brings out what the decoder holds, and makes it ready for another part.
  bool finish(Session& session);
  // Takes what the decoder has, up to the first result that is not a frame.
  Result drain(Session& session);
  Part& owner(Session& session, const AVFrame& frame);
  void put(Part& part, FramePtr frame);  // nullptr: damage
  bool has_room(const Part& part) const;
  void end(Part& part);
  bool refuse(Session& session, PacketPtr packet);  // false
  PartPtr next_part();
  PartPtr part_to_join();
  PartPtr take_waiting();
  PacketPtr next_packet(Part& part);

  void begin_part(const AVPacket& packet, Cut cut);
  void start_sessions();
  void start_session();
  void append(Part& part, const AVPacket& packet);
  void complete(Part& part);
  void wake_all();

  const AVCodecParameters& parameters_;
  const MakeDecoder make_;
  const PartedOptions options_;
  bool on_device_;
  mutable std::mutex mutex_;  // of all below but tail_ and times_known_, which belong to send()
  std::condition_variable ready_;   // receive() waits for a frame,
  std::condition_variable idle_;    // sessions for a part; see also Part
  std::deque<PartPtr> parts_;       // in order; the first one's frames come out
  std::deque<PartPtr> waiting_;     // in order, that no session works on
  std::vector<Decoder*> decoders_;  // of all sessions, while they live
  std::int64_t errors_ = 0;         // of sessions that have ended
  std::string first_error_;
  std::size_t packets_ = 0;  // that wait to be decoded
  std::size_t frames_ = 0;   // that wait for receive()
  int sessions_ = 0;         // begun and not ended
  bool left_ = false;        // a part that a session was refused waits for others
  bool proven_ = false;      // a frame has come out
  bool ended_ = false, cancelled_ = false, refused_ = false;
  std::string refusal_;  // what the refused sessions complained of
  std::exception_ptr failure_;
  PartPtr tail_;             // the part before the last, while it may still need packets
  bool times_known_ = true;  // every packet so far has said when its frame is shown
  std::vector<std::jthread> threads_;
};

}  // namespace vidconv
