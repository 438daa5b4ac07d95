// ShardOrder: frames of several parts of a video are read in turns, so that all encoders have some.
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

// As many parts are read as are encoded at once, always a frame of the one that has the fewest on
// their way to its encoder. Each encoder says when it has taken one: at most `slots` of a part are
// on their way, in all `jobs` times as many, and where the oldest part has none, one more.
//
// The next part is read as soon as the last frame of another was, while that one's encoder still
// works: what it reads by then waits until there may be one more encoder.
//
// Parts that ShardOptions::store has are not read.
class ShardOrder final : public FrameOrder {
 public:
  // Of a video of as many frames as it has times, or else of a steady one of `frames` frames, cut
  // so: with settled() options.
  ShardOrder(const ShardOptions& options, const VideoInfo& video);

  std::optional<std::int64_t> next() override;
  void end_at(std::int64_t number) override;
  void cancel() override;
  std::optional<Stretch> stretch_of(std::int64_t number) override;
  void begin_when(std::function<bool(std::int64_t)> is_ready) override;
  void judge_later() override;
  void judged(const Stretch& stretch) override;
  int at_once() const override { return jobs_; }

  // Whether no frame of its part comes after that one.
  bool is_last(std::int64_t number);

  // An encoder has taken a frame of its part.
  void took(std::int64_t part);
  // An encoder has ended. Where frames of its part are left, it has failed, and no more are wanted.
  void ended(std::int64_t part);

 private:
  struct Part {
    std::int64_t number = 0;
    std::int64_t next = 0, end = 0;  // frames
    int on_their_way = 0;            // frames

    bool is_read() const { return next == end; }
  };

  // Those that are ready; `anyway`: one more that is not. Whether there was any.
  bool begin_parts(bool anyway);
  // The first frame from `number` on whose part was not kept.
  std::int64_t skip_kept(std::int64_t number);
  Part* choose();
  // Under the lock, as the next.
  std::int64_t part_of(std::int64_t number);
  // The first frame behind `inside`, which is of that part, that is not.
  std::int64_t end_of(std::int64_t part, std::int64_t inside);
  Part* find(std::int64_t part);

  const int jobs_, slots_;
  const std::shared_ptr<ShardStore> store_;                       // may be null
  const std::shared_ptr<const std::vector<std::int64_t>> times_;  // VideoInfo::times
  std::mutex mutex_;                                              // of all below
  std::condition_variable changed_;
  ShardCuts cuts_;
  std::int64_t frames_;      // of the video
  std::int64_t begun_ = 0;   // so many first frames belong to parts that have begun
  std::vector<Part> parts_;  // that have begun, and whose encoders have not ended
  std::int64_t on_their_way_ = 0;
  std::function<bool(std::int64_t)> is_ready_;  // none: all are
  bool over_ = false;
};

}  // namespace vidconv
