// ShardEncoder: one part of a video, encoded on a thread of its own.
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
#include <optional>
#include <set>
#include <thread>

#include "pipeline/base/channel.h"
#include "pipeline/encode/encoder.h"
#include "pipeline/shards/shard_order.h"
#include "pipeline/shards/shard_store.h"

namespace vidconv {

// What may be in the encoders of several parts, and how whoever feeds them hears of a change.
struct ShardLimits {
  std::size_t slots = 4;  // frames that may wait for each, at least 1
  // Of all parts but the oldest whose encoder has not ended, bytes of packets that may wait, and
  // one packet more of each: their encoders wait then.
  std::size_t packet_bytes = SIZE_MAX;
  std::size_t encoders = SIZE_MAX;  // at once: of the oldest parts that have not ended
  ShardOrder* order = nullptr;      // hears what becomes of frames; may be null
  ShardStore* store = nullptr;      // gets parts that are whole; may be null

  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::int64_t> unfinished;  // parts whose encoders have not ended
  std::size_t waiting_bytes = 0;      // of packets of all parts
};

// All members belong to one thread, the same for all parts.
class ShardEncoder {
 public:
  // Called on the thread of the part.
  using Make = std::function<std::unique_ptr<Encoder>()>;

  // `limits` outlives it. All parts with lower numbers were made before.
  ShardEncoder(std::int64_t number, ShardLimits& limits, Make make);
  // Drops what was not taken.
  ~ShardEncoder();
  ShardEncoder(const ShardEncoder&) = delete;
  ShardEncoder& operator=(const ShardEncoder&) = delete;

  std::int64_t number() const { return number_; }

  // Blocks while as many frames wait as may, and nothing has come out of `oldest`, whose packets
  // may be what all wait for. Whether there is room for a frame.
  bool wait_for_room(ShardEncoder& oldest);
  // Where there is room. Throws what the encoder has.
  void write(Frame frame);
  // No more frames. Calling it again does nothing.
  void end() { frames_.close(); }
  // All frames of the part were written, and end() was called.
  void end_whole() {
    whole_ = true;
    end();
  }
  bool is_whole() const { return whole_; }
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
  // Until there may be one more encoder. False where none is wanted any longer.
  bool wait_for_permission();
  // To encode.
  std::optional<Frame> next();
  void keep(AVPacket& packet);
  // Whether it is one of the first so many that have not ended. Under the lock.
  bool is_among_first(std::size_t count) const;

  const std::int64_t number_;
  const Make make_;
  bool whole_ = false;
  Channel<Frame> frames_;
  std::atomic<bool> dropped_ = false;  // nobody will take what is still inside
  ShardLimits& limits_;
  // Guarded by its mutex.
  std::deque<PacketPtr> packets_;
  std::size_t packet_bytes_ = 0, waiting_frames_ = 0;
  std::exception_ptr failure_;
  bool ended_ = false;

  std::jthread thread_;  // last: it uses the others
};

}  // namespace vidconv
