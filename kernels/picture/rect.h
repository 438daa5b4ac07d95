// Rectangles of samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/picture/plane.h"

namespace vidconv {

struct Rect {
  int x = 0, y = 0, width = 0, height = 0;  // the top left sample, and the size
  constexpr int right() const { return x + width; }
  constexpr int bottom() const { return y + height; }
  constexpr bool empty() const { return width <= 0 || height <= 0; }
  bool operator==(const Rect&) const = default;
};

constexpr Rect rect_between(int left, int top, int right, int bottom) {
  return {left, top, right - left, bottom - top};
}

constexpr std::int64_t area(const Rect& r) { return std::int64_t{r.width} * r.height; }

constexpr bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

// Returns the smallest rectangle that holds both.
constexpr Rect around(const Rect& a, const Rect& b) {
  return rect_between(std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.right(), b.right()),
                      std::max(a.bottom(), b.bottom()));
}

constexpr Rect grown(const Rect& r, int by) {
  return rect_between(r.x - by, r.y - by, r.right() + by, r.bottom() + by);
}

// Returns its intersection with a plane of that size; may be empty.
constexpr Rect cut(const Rect& r, int width, int height) {
  return rect_between(std::max(r.x, 0), std::max(r.y, 0), std::min(r.right(), width),
                      std::min(r.bottom(), height));
}

// Returns a rectangle, which lies in the plane, as a plane of its own. `sample_bytes` is the size
// of a sample.
template <class T>
Plane<T> part_of(Plane<T> plane, const Rect& r, int sample_bytes) {
  plane.data = plane.row(r.y) + std::ptrdiff_t{r.x} * plane.step * sample_bytes;
  plane.width = r.width;
  plane.height = r.height;
  return plane;
}

// Returns one of the two fields of a plane: every other row, from row `field` on.
template <class T>
Plane<T> field_of(Plane<T> plane, int field) {
  plane.data = plane.row(field);
  plane.stride *= 2;
  plane.height = (plane.height + 1 - field) / 2;
  return plane;
}

}  // namespace vidconv
