// Interleaved components: which planes lie side by side in memory, and where in a pixel.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/picture/plane.h"

namespace vidconv {

// The most planes that are computed together: no pixel has more components.
inline constexpr int most_packed = 4;

// The places of components in rows of pixels, counted in samples from the first component's.
struct PixelLayout {
  int bytes = 1;  // size of a sample
  int step = 1;   // samples from one pixel to the next
  int count = 0;  // number of components
  std::array<int, most_packed> place{};
  std::byte* first = nullptr;  // place 0 of pixel (0, 0); only read where it is a source
  std::ptrdiff_t stride = 0;   // bytes from one row to the next

  // Returns the number of samples from the first component of a pixel to its last.
  int span() const { return *std::max_element(place.begin(), place.begin() + count) + 1; }
  std::byte* row(int y) const { return first + stride * y; }
};

inline std::uintptr_t address_of(const auto& plane) {
  return reinterpret_cast<std::uintptr_t>(plane.data);
}

// Returns the layout of the sources or the results of pairs that are computed together. T is the
// sample type, `side` is &PlanePair::src or &PlanePair::dst.
template <class T, class Side>
PixelLayout pixel_layout(std::span<const PlanePair> pairs, Side side) {
  std::uintptr_t first = UINTPTR_MAX;
  for (const PlanePair& pair : pairs) first = std::min(first, address_of(pair.*side));
  const auto& plane = pairs.front().*side;
  PixelLayout layout{.bytes = sizeof(T),
                     .step = plane.step,
                     .first = reinterpret_cast<std::byte*>(first),
                     .stride = plane.stride};
  for (const PlanePair& pair : pairs)
    layout.place[static_cast<std::size_t>(layout.count++)] =
        static_cast<int>((address_of(pair.*side) - first) / sizeof(T));
  return layout;
}

// Whether the planes lie in the same pixels, each at a place of its own. `side` is &PlanePair::src
// or &PlanePair::dst, `bytes` the size of a sample.
template <class Side>
bool share_pixels(std::span<const PlanePair> pairs, std::uintptr_t bytes, Side side) {
  const auto& first = pairs.front().*side;
  if (first.step < 2 || first.step > most_packed) return false;
  std::uintptr_t least = UINTPTR_MAX;
  for (const PlanePair& pair : pairs) least = std::min(least, address_of(pair.*side));
  unsigned taken = 0;
  for (const PlanePair& pair : pairs) {
    const auto& plane = pair.*side;
    const std::uintptr_t offset = address_of(plane) - least, place = offset / bytes;
    const bool alike = plane.stride == first.stride && plane.step == first.step &&
                       plane.width == first.width && plane.height == first.height;
    if (!alike || offset % bytes != 0 || place >= static_cast<std::uintptr_t>(first.step) ||
        (taken >> place & 1) != 0)
      return false;
    taken |= 1U << place;
  }
  return true;
}

// Returns how many of the first pairs are to be computed together because they lie in the same
// pixels, at least 1. `bytes` is the size of a sample.
inline std::size_t packed_together(std::span<const PlanePair> pairs, int bytes) {
  const auto size = static_cast<std::uintptr_t>(bytes);
  std::size_t count = std::min(pairs.size(), std::size_t{most_packed});
  while (count > 1 && !(share_pixels(pairs.first(count), size, &PlanePair::src) &&
                        share_pixels(pairs.first(count), size, &PlanePair::dst)))
    --count;
  return count;
}

}  // namespace vidconv
