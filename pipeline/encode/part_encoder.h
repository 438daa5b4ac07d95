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

// All members belong to one thread, the same for all.
class PartEncoder {
 public:
  // Called on the thread of the part.
  using Make = std::function<std::unique_ptr<Encoder>()>;

  // `slots`: how many frames may wait, at least 1.
  PartEncoder(std::int64_t number, std::size_t slots, Make make);
  // Drops what was not taken.
  ~PartEncoder();
  PartEncoder(const PartEncoder&) = delete;
  PartEncoder& operator=(const PartEncoder&) = delete;

  std::int64_t number() const { return number_; }

  // Blocks while as many frames wait as may. Throws what the encoder has.
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

  // When its frames are shown, in their order; as many as packets that were not taken.
  std::deque<std::int64_t> times;  // pts

 private:
  void work() noexcept;
  void keep(AVPacket& packet);

  const std::int64_t number_;
  const Make make_;
  Channel<Frame> frames_;
  std::atomic<bool> dropped_ = false;  // nobody will take what is still inside
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex.
  std::deque<PacketPtr> packets_;
  std::exception_ptr failure_;
  bool ended_ = false;

  std::jthread thread_;  // last: it uses the others
};

}  // namespace vidconv
