// TimedWork says what is done to each frame of a video whose filters come and go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/av/frame.h"
#include "pipeline/av/video.h"
#include "pipeline/work/work.h"

namespace vidconv {

// Returns whether the filter counts frames of the input, to know when it acts or with which values.
bool counts_frames(const FilterSpec& spec);

// A case is a set of filters that act together on some frame.
class TimedWork {
 public:
  // Makes a work that is done to every frame.
  TimedWork(Work always);  // NOLINT(google-explicit-constructor): it is a simple case

  // Makes the work of `chain` for frames of `video`. `make` makes the work of the filters that act
  // together, given in their order and as if for all frames. Throws what `make` throws, and
  // Error(filter_spec) if frame numbers are needed and unknown, or if there are too many cases.
  using MakeWork = std::function<Work(std::span<const FilterSpec>)>;
  TimedWork(std::span<const FilterSpec> chain, const VideoInfo& video, const MakeWork& make);

  // Makes it follow the work that is done to frames before it, for chains with filters over time:
  // each of them is the first filter of a work.
  void follow(TimedWork before);
  const TimedWork* before() const { return before_.get(); }     // nullptr where it is the first one
  bool is_over_time() const { return over_time_.has_value(); }  // not what comes before it
  const OverTime& over_time() const { return over_time_.value(); }
  // Returns how far its results depend on frames around theirs, with all that comes before it.
  FrameReach reach() const;

  // Gives `masks` to the filters that act by mask videos, for frames of this clock.
  void read_masks(const std::shared_ptr<MaskVideos>& masks, const BoxClock& clock);

  // These do not regard what comes before it.
  const std::vector<Work>& cases() const { return *cases_; }
  // Returns the index of a frame's case. Thread-safe.
  std::size_t case_of(const Frame& frame) const;

  // Returns whether no filter acts on some frames, here and before. They are the first case, whose
  // work copies them for callers that cannot have them as they are.
  bool leaves_out() const { return leaves_out_ && (!before_ || before_->leaves_out()); }
  bool leaves_out(const Frame& frame) const {
    return passes(frame) && (!before_ || before_->leaves_out(frame));
  }
  // Returns whether none of its own filters acts on the frame.
  bool passes(const Frame& frame) const { return leaves_out_ && case_of(frame) == 0; }

  const PixelFormat& format() const { return *cases()[0].format; }
  // Return what the case needs that needs most.
  const PixelFormat& scratch_format() const;
  int scratch_frames() const;
  std::size_t most_steps() const;
  bool has_regions() const;  // in some case

 private:
  AVRational time_base_{1, 1};
  InputClock clock_;
  std::shared_ptr<const std::vector<Work>> cases_;  // shared by all copies
  bool leaves_out_ = false;
  std::optional<OverTime> over_time_;
  std::shared_ptr<const TimedWork> before_;  // may be null
  // Where something begins or ends, in microseconds and in frames of the input, in order. Between
  // these the case does not change.
  std::vector<std::int64_t> times_, frames_;
  std::vector<std::size_t> case_at_;  // by how many times, and frames, have passed
};

// Makes the work of a chain, in which each filter over time begins a work of its own. Throws as
// TimedWork does.
TimedWork in_stages(std::span<const FilterSpec> chain, const VideoInfo& video,
                    const TimedWork::MakeWork& make);

// Returns the works that are done one after the other, the given one last.
std::vector<const TimedWork*> stages_of(const TimedWork& work);

// Returns whether it is done in several stages, which are joined by frames that are held.
inline bool is_staged(const TimedWork& work) { return work.before() || work.is_over_time(); }

// Returns whether no device does it: scenes (OverTime::cut) in frames that other stages make.
bool is_for_cpu(const TimedWork& work);

}  // namespace vidconv
