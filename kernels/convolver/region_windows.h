// The windows of a plane that are filtered for regions of it, and which can be filtered at once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/convolver/region.h"

namespace vidconv {

// How windows are chosen.
struct WindowRule {
  bool whole = false;  // one window, of the whole plane
  // Whether several are filtered at once: two become one where that takes at most `worth` samples
  // more, and they begin where a device reads whole vectors. Else each region has a window of its
  // own, as small as will do.
  bool together = false;
  int worth = 1 << 17;  // about what a CUDA device filters in the time of a launch
};

class RegionWindows {
 public:
  // The ends of a round's windows, and of the regions that are brought in when they are filtered.
  // Both begin where the round before ends.
  struct Round {
    std::size_t windows, parts;
  };

  // Sets regions of a plane of that size, for a plan of that reach and border. Regions do not
  // overlap. `blocks`: those of a mosaic, whose windows hold whole ones. Allocates only where there
  // are more of them than ever before.
  void set(std::span<const Rect> parts, const Reach& reach, BorderMode border, int width,
           int height, const WindowRule& rule, const Blocks& blocks = {});

  // All windows, round after round. Windows of one round do not overlap, and hold all that is read
  // for its regions.
  const std::vector<Rect>& windows() const { return windows_; }
  const std::vector<std::size_t>& parts() const { return parts_; }  // the regions' numbers
  const std::vector<Round>& rounds() const { return rounds_; }

 private:
  void add_rounds(int worth);

  std::vector<Rect> needed_;       // the window of each region
  std::vector<Rect> left_;         // windows that are in no round yet
  std::vector<std::size_t> open_;  // regions that are in no round yet
  std::vector<Rect> windows_;
  std::vector<std::size_t> parts_;
  std::vector<Round> rounds_;
};

}  // namespace vidconv
