// TimedWork: what is done to which frame of a video, whose filters come and go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pipeline/av/frame.h"
#include "pipeline/av/video.h"
#include "pipeline/work/work.h"

namespace vidconv {

// Whether the filter counts frames of the input, to know when it acts or with which values.
bool counts_frames(const FilterSpec& spec);

// Each set of filters that act on some frame together is a case.
class TimedWork {
 public:
  // The same for every frame.
  TimedWork(Work always);  // NOLINT(google-explicit-constructor): a work is one

  // `chain` for frames of `video`; `make` makes the work of those of its filters that act together,
  // given in their order and as for all frames. Throws what `make` throws, and Error(filter_spec)
  // where nobody knows the numbers of frames, or there are too many cases.
  using MakeWork = std::function<Work(std::span<const FilterSpec>)>;
  TimedWork(std::span<const FilterSpec> chain, const VideoInfo& video, const MakeWork& make);

  // Those of its filters that act by masks of videos get them here, for frames that this clock is
  // of.
  void read_masks(const std::shared_ptr<MaskVideos>& masks, const BoxClock& clock);

  const std::vector<Work>& cases() const { return *cases_; }
  // Which of them a frame is. Any thread.
  std::size_t case_of(const Frame& frame) const;

  // No filter acts on some frames: the first case then, whose work copies them for those who cannot
  // have them as they are.
  bool leaves_out() const { return leaves_out_; }
  bool leaves_out(const Frame& frame) const { return leaves_out_ && case_of(frame) == 0; }

  const PixelFormat& format() const { return *cases()[0].format; }
  // Of the cases that need most.
  const PixelFormat& scratch_format() const;
  int scratch_frames() const;
  std::size_t most_steps() const;
  bool has_regions() const;  // some case

 private:
  AVRational time_base_{1, 1};
  InputClock clock_;
  std::shared_ptr<const std::vector<Work>> cases_;  // of all copies
  bool leaves_out_ = false;
  // Where something begins or ends, in microseconds and in frames of the input, in order. Between
  // these the case is always the same.
  std::vector<std::int64_t> times_, frames_;
  std::vector<std::size_t> case_at_;  // by how many of the times, and of the frames, have passed
};

}  // namespace vidconv
