// ShardOrder: reads frames of several shards of a video in turns, so that all encoders have some.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "pipeline/base/frame_order.h"
#include "pipeline/shards/shards.h"

namespace vidconv {

// Reads as many shards as are encoded at once, always a frame of the one that has the fewest on
// their way to its encoder. Each encoder says when it has taken one: at most `slots` of a shard are
// on their way, and `jobs` times as many in all; if the oldest shard has none, one more.
//
// The next part is read as soon as the last frame of another was, while that one's encoder still
// works: what it reads by then waits until there may be one more encoder.
//
// Parts that ShardOptions::store has are not read, but for those of ShardStore::is_read().
class ShardOrder final : public FrameOrder {
 public:
  // Takes settled() options, and a video that has `times`, or a steady one of `frames` frames.
  ShardOrder(const ShardOptions& options, const VideoInfo& video);

  std::optional<std::int64_t> next() override;
  void end_at(std::int64_t number) override;
  void cancel() override;
  std::optional<Stretch> stretch_of(std::int64_t number) override;
  void begin_when(std::function<bool(std::int64_t)> is_ready) override;
  void judge_later() override;
  void judged(const Stretch& stretch) override;
  int at_once() const override { return jobs_; }

  // Returns whether no frame of its shard comes after this one.
  bool is_last(std::int64_t number);

  // Tells that an encoder has taken a frame of its shard.
  void took(std::int64_t part);
  // Tells that an encoder has ended. If frames of its shard are left, it has failed, and no more
  // are wanted.
  void ended(std::int64_t part);

 private:
  struct Part {
    std::int64_t number = 0;
    std::int64_t next = 0, end = 0;  // frames
    int on_their_way = 0;            // frames

    bool is_read() const { return next == end; }
  };

  // Begins the shards that are ready; with `anyway`, one that is not as well. Returns whether it
  // began any.
  bool begin_parts(bool anyway);
  // The first frame from `number` on whose part is read.
  std::int64_t skip_kept(std::int64_t number);
  Part* choose();
  // This one and the next ones need the lock.
  std::int64_t part_of(std::int64_t number);
  // Returns the first frame after `inside`, a frame of `part`, that is not in it.
  std::int64_t end_of(std::int64_t part, std::int64_t inside);
  Part* find(std::int64_t part);

  const int jobs_, slots_;
  const std::shared_ptr<ShardStore> store_;                       // may be null
  const std::shared_ptr<const std::vector<std::int64_t>> times_;  // VideoInfo::times
  std::mutex mutex_;                                              // guards all below
  std::condition_variable changed_;
  ShardCuts cuts_;
  std::int64_t frames_;      // the video's
  std::int64_t begun_ = 0;   // the first frames, whose shards have begun
  std::vector<Part> parts_;  // begun, with encoders that have not ended
  std::int64_t on_their_way_ = 0;
  std::function<bool(std::int64_t)> is_ready_;  // empty: all are
  bool over_ = false;
};

}  // namespace vidconv
