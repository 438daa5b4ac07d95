// Parts of a plane, filtered as if all of it were.
#pragma once

#include "kernels/convolver/window.h"
#include "kernels/picture/border.h"
#include "kernels/picture/rect.h"

namespace vidconv {

// Where samples of a row or column begin and end.
struct Reached {
  int from, to;
};

// What of `size` samples has to be filtered so that [part.from, part.to) become what they become
// where all are.
inline Reached window_around(const Reached& part, int reach, BorderMode border, int size) {
  const int from = part.from - reach, to = part.to + reach;
  // Samples beyond one edge come from the other one, wherever that is.
  if (border == BorderMode::wrap && (from < 0 || to > size)) return {0, size};
  // The other modes reflect at most `reach` samples of what lies beyond an edge, which the window
  // has: it reaches as far to both sides. Where it ends at both edges it is all there is.
  return {std::max(from, 0), std::min(to, size)};
}

// The same of a plane, by a plan of that reach and border: run on the window, with the window's
// edges as its border, a convolver gives the samples of `part` that it gives when run on all.
inline Rect window_around(const Rect& part, const Reach& reach, BorderMode border, int width,
                          int height) {
  const Reached across =
      window_around({part.x, part.right()}, std::max(reach.left, reach.right), border, width);
  const Reached down =
      window_around({part.y, part.bottom()}, std::max(reach.above, reach.below), border, height);
  return rect_between(across.from, down.from, across.to, down.to);
}

}  // namespace vidconv
