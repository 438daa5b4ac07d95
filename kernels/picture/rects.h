// Sets of samples, as rectangles.
#pragma once

#include <span>
#include <vector>

#include "kernels/picture/rect.h"

namespace vidconv {

// Rectangles that hold the same samples, none of them twice, from top to bottom.
std::vector<Rect> disjoint(std::span<const Rect> rects);

// The same of what they leave of a plane.
std::vector<Rect> outside(std::span<const Rect> rects, int width, int height);

// Makes fewer of them, which hold these: two that overlap become the one around them where they
// shall lie `apart`, and two that are at most `worth` samples smaller than that one.
void join(std::vector<Rect>& rects, int worth, bool apart);

// What of a picture's rectangle lies in one of its two fields, in rows of that field; may be empty.
Rect in_field(const Rect& r, int field);

// The samples of a plane of which each stands for `x` by `y` pixels: those that stand for at least
// one pixel of the rectangle.
Rect touched(const Rect& r, int x, int y);

}  // namespace vidconv
