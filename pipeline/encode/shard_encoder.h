// ShardEncoder: encodes one shard of a video on a thread of its own.
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

// Limits what waits in the encoders of several shards, and tells their feeder of changes.
struct ShardLimits {
  std::size_t slots = 4;  // frames that may wait for each, at least 1
  // Bytes of packets that may wait, for all shards but the oldest whose encoder has not ended; each
  // may add one packet more, then its encoder waits.
  std::size_t packet_bytes = SIZE_MAX;
  std::size_t encoders = SIZE_MAX;  // at once: of the oldest parts that have not ended
  ShardOrder* order = nullptr;      // hears what becomes of frames; may be null
  ShardStore* store = nullptr;      // gets parts that are whole; may be null

  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::int64_t> unfinished;  // shards whose encoders have not ended
  std::size_t waiting_bytes = 0;      // packets of all shards
};

// All members belong to one thread, which is the same for all shards.
class ShardEncoder {
 public:
  // Makes the encoder, on the shard's thread.
  using Make = std::function<std::unique_ptr<Encoder>()>;

  // `limits` outlives it. Shards are made in the order of their numbers.
  ShardEncoder(std::int64_t number, ShardLimits& limits, Make make);
  // Drops frames and packets that were not taken.
  ~ShardEncoder();
  ShardEncoder(const ShardEncoder&) = delete;
  ShardEncoder& operator=(const ShardEncoder&) = delete;

  std::int64_t number() const { return number_; }

  // Blocks while its frames reach the limit and nothing has come out of `oldest`, whose packets may
  // be what everyone waits for. Returns whether there is room for a frame.
  bool wait_for_room(ShardEncoder& oldest);
  // Needs room. Throws the encoder's error.
  void write(Frame frame);
  // Ends the frames. Calling it again does nothing.
  void end() { frames_.close(); }
  // Ends the frames, and tells that all frames of the shard were written.
  void end_whole() {
    whole_ = true;
    end();
  }
  bool is_whole() const { return whole_; }
  // Throws the encoder's error, if there is one.
  void check();

  enum class Patience : bool { none, until_the_next };
  // Returns the next packet; null where none is there yet, or none will come, which is_done()
  // tells. Throws the encoder's error.
  PacketPtr take(Patience patience);
  // Returns whether all packets were taken.
  bool is_done();
  // Returns whether the encoder has ended; packets may be left.
  bool has_ended();
  // Returns the bytes of packets that were not taken.
  std::size_t waiting_bytes();

  // When the frames of the packets that were not taken are shown, in order.
  std::deque<std::int64_t> times;  // pts

 private:
  void work() noexcept;
  // Blocks until another encoder is permitted. Returns false where none is wanted any longer.
  bool wait_for_permission();
  // Returns the next frame to encode.
  std::optional<Frame> next();
  void keep(AVPacket& packet);
  // Returns whether its encoder is among the `count` oldest that have not ended. Needs the lock.
  bool is_among_first(std::size_t count) const;

  const std::int64_t number_;
  const Make make_;
  bool whole_ = false;
  Channel<Frame> frames_;
  std::atomic<bool> dropped_ = false;  // nobody will take what is still inside
  ShardLimits& limits_;
  // Guarded by limits_.mutex.
  std::deque<PacketPtr> packets_;
  std::size_t packet_bytes_ = 0, waiting_frames_ = 0;
  std::exception_ptr failure_;
  bool ended_ = false;

  std::jthread thread_;  // last, because it uses the others
};

}  // namespace vidconv
