// FrameStages makes the results of a chain with filters over time, on any device: each of these
// filters begins a stage, whose frames are made when a later one's window asks for them, and kept
// as long as one may.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "pipeline/av/frame.h"
#include "pipeline/av/frame_window.h"
#include "pipeline/filter/time_stages.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

// Returns that of two frames in host memory.
double mean_difference(const Frame& a, const Frame& b);

// Returns the window of result `result` of an endless video whose frames are `frames` in turn.
std::shared_ptr<const FrameWindow> sample_window(
    const FrameReach& reach, std::int64_t result,
    const std::vector<std::shared_ptr<const Frame>>& frames);

// A result is a function of its window alone. Not thread-safe.
class FrameStages {
 public:
  using SharedFrame = std::shared_ptr<const Frame>;

  explicit FrameStages(const TimedWork& work);
  virtual ~FrameStages() = default;
  FrameStages(const FrameStages&) = delete;
  FrameStages& operator=(const FrameStages&) = delete;

  // Returns the result whose window the frame has, as the last stage makes it, with the frame's
  // place and duration.
  Frame make(const Frame& frame);
  // Forgets all frames, before windows that do not follow.
  void forget_all();

  const FrameReach& reach() const { return reach_; }

 protected:
  const TimedWork& work(std::size_t stage) const { return stages_[stage].work; }
  std::size_t count() const { return stages_.size(); }

  // Filters a frame by the work of a stage; input.taps() are the frames under the taps of its
  // filter over time, if it has one.
  virtual Frame filter(std::size_t stage, Frame input) = 0;
  // Returns mean_difference() of two frames that the source or a stage has given.
  virtual double difference(const Frame& a, const Frame& b) { return mean_difference(a, b); }
  // Returns whether frames that a stage does not filter may come out as they went in.
  virtual bool passes_on(std::size_t) const { return true; }

 private:
  struct Stage {
    TimedWork work;
    std::map<std::int64_t, SharedFrame> made;  // by number
    // Whether a scene ends before this frame of the stage before, where that was asked for.
    std::map<std::int64_t, bool> cuts;
  };

  std::optional<std::int64_t> count_of(std::size_t s) const;
  SharedFrame before(std::size_t s, std::int64_t number);
  Frame make(std::size_t s, std::int64_t number);
  std::shared_ptr<const FrameTaps> taps(std::size_t s, std::int64_t here, const Frame& centre);
  Scene scene_of(std::size_t s, std::int64_t here, std::int64_t first, std::int64_t last);
  bool is_at_hand(std::size_t s, std::int64_t number) const;
  void forget(std::size_t s, std::int64_t number);

  const FrameReach reach_;
  std::vector<Stage> stages_;
  std::vector<const TimedWork*> works_;  // the stages'
  const FrameWindow* window_ = nullptr;  // belongs to the frame being made
};

}  // namespace vidconv
