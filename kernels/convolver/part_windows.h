// The windows of a plane that are filtered for parts of it, and what can be done at once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/convolver/part.h"
#include "kernels/picture/blocks.h"

namespace vidconv {

// How windows are chosen.
struct WindowRule {
  bool whole = false;  // one window, of the whole plane
  // Several at once: two become one where that takes at most so many samples more, and they begin
  // where a device reads whole vectors. Else each part has a window of its own, as small as will
  // do.
  bool together = false;
  int worth = 1 << 17;  // about what a CUDA device filters in the time of a launch
};

class PartWindows {
 public:
  // Parts that are brought in after windows that are filtered before; from the ends of the round
  // before to these.
  struct Round {
    std::size_t windows, parts;
  };

  // For parts of a plane of that size, by a plan of that reach and border. No part overlaps
  // another. Allocates only where there are more of them than ever.
  // `blocks`: of a mosaic, whose windows hold whole ones.
  void set(std::span<const Rect> parts, const Reach& reach, BorderMode border, int width,
           int height, const WindowRule& rule, const Blocks& blocks = {});

  // Round after round. Windows of one do not overlap, and hold all that is read for its parts.
  const std::vector<Rect>& windows() const { return windows_; }
  const std::vector<std::size_t>& parts() const { return parts_; }  // their numbers
  const std::vector<Round>& rounds() const { return rounds_; }

 private:
  void add_rounds(int worth);

  std::vector<Rect> needed_;       // the window of each part
  std::vector<Rect> left_;         // windows that are in no round yet,
  std::vector<std::size_t> open_;  // and parts
  std::vector<Rect> windows_;
  std::vector<std::size_t> parts_;
  std::vector<Round> rounds_;
};

}  // namespace vidconv
