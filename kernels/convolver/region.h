// Regions of a plane, filtered as if all of it were.
#pragma once

#include "kernels/convolver/window.h"
#include "kernels/picture/border.h"
#include "kernels/picture/rect.h"

namespace vidconv {

// The range of samples [from, to) in a row or column.
struct Reached {
  int from, to;
};

// Returns the samples, out of `size`, that have to be filtered so that [part.from, part.to) gets
// the results it gets where all are filtered.
inline Reached window_around(const Reached& part, int reach, BorderMode border, int size) {
  const int from = part.from - reach, to = part.to + reach;
  // Samples beyond one edge come from the other one, wherever that is.
  if (border == BorderMode::wrap && (from < 0 || to > size)) return {0, size};
  // The other modes reflect at most `reach` samples of what lies beyond an edge, and the window has
  // these: it reaches as far to both sides. Where it ends at both edges it is the whole line.
  return {std::max(from, 0), std::min(to, size)};
}

// Returns the window of a plane to filter for the region `part`, by a plan of that reach and
// border. Run on the window, with the window's edges as its border, a convolver gives the samples
// of the region that it gives when run on the whole plane.
inline Rect window_around(const Rect& part, const Reach& reach, BorderMode border, int width,
                          int height) {
  const Reached across =
      window_around({part.x, part.right()}, std::max(reach.left, reach.right), border, width);
  const Reached down =
      window_around({part.y, part.bottom()}, std::max(reach.above, reach.below), border, height);
  return rect_between(across.from, down.from, across.to, down.to);
}

}  // namespace vidconv
