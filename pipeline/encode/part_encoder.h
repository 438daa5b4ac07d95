// PartEncoder: one part of a video, encoded on a thread of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "pipeline/base/channel.h"
#include "pipeline/encode/encoder.h"

namespace vidconv {

// What may be in the encoders of several parts, and how whoever feeds them hears of a change.
struct PartLimits {
  std::size_t slots = 4;  // frames that may wait for each, at least 1
  // Bytes of packets that may wait of each, but for one packet, before its turn has come; its
  // encoder waits then.
  std::size_t packet_bytes = SIZE_MAX;
  std::mutex mutex;
  std::condition_variable changed;
};

// All members belong to one thread, the same for all parts.
class PartEncoder {
 public:
  // Called on the thread of the part.
  using Make = std::function<std::unique_ptr<Encoder>()>;

  // `limits` outlives it.
  PartEncoder(std::int64_t number, PartLimits& limits, Make make);
  // Drops what was not taken.
  ~PartEncoder();
  PartEncoder(const PartEncoder&) = delete;
  PartEncoder& operator=(const PartEncoder&) = delete;

  std::int64_t number() const { return number_; }

  // The packets of all parts before were taken: from now on none waits for its turn.
  void take_turn();
  // Blocks while as many frames wait as may, and nothing has come out of `oldest`, whose packets
  // may be what all wait for. Whether there is room for a frame.
  bool wait_for_room(PartEncoder& oldest);
  // Where there is room. Throws what the encoder has.
  void write(Frame frame);
  // No more frames.
  void end() { frames_.close(); }
  // Throws what the encoder has.
  void check();

  enum class Patience : bool { none, until_the_next };
  // The next packet; null where none has come out yet, or none will, which is_done() tells. Throws
  // what the encoder has.
  PacketPtr take(Patience patience);
  // All packets were taken.
  bool is_done();
  // The encoder has ended; packets may be left.
  bool has_ended();
  // Of packets that were not taken.
  std::size_t waiting_bytes();

  // When its frames are shown, in their order; as many as packets that were not taken.
  std::deque<std::int64_t> times;  // pts

 private:
  void work() noexcept;
  void keep(AVPacket& packet);

  const std::int64_t number_;
  const Make make_;
  Channel<Frame> frames_;
  std::atomic<bool> dropped_ = false;  // nobody will take what is still inside
  PartLimits& limits_;
  // Guarded by its mutex.
  std::deque<PacketPtr> packets_;
  std::size_t packet_bytes_ = 0, waiting_frames_ = 0;
  bool has_turn_ = false;
  std::exception_ptr failure_;
  bool ended_ = false;

  std::jthread thread_;  // last: it uses the others
};

}  // namespace vidconv
