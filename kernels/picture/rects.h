// Sets of samples, as rectangles.
#pragma once

#include <span>
#include <vector>

#include "kernels/picture/rect.h"

namespace vidconv {

// Returns rectangles that hold the same samples, none of them twice, from top to bottom.
std::vector<Rect> disjoint(std::span<const Rect> rects);

// Returns such rectangles of the samples of a plane that `rects` do not hold.
std::vector<Rect> outside(std::span<const Rect> rects, int width, int height);

// Merges rectangles into fewer that hold them all: two become the one around them where it holds at
// most `worth` samples more than both, and, where they shall lie `apart`, where they overlap.
void join(std::vector<Rect>& rects, int worth, bool apart);

// Returns the rows of a picture's rectangle that lie in one of its two fields, in rows of that
// field; may be empty.
Rect in_field(const Rect& r, int field);

// Returns the samples of a subsampled plane, of which each stands for `x` by `y` pixels, that stand
// for at least one pixel of the rectangle.
Rect touched(const Rect& r, int x, int y);

}  // namespace vidconv
