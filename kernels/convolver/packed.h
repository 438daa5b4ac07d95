// Components that lie side by side in memory: which planes do, and where in a pixel.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/picture/plane.h"

namespace vidconv {

// So many planes are computed together at most: no pixel has more components.
inline constexpr int most_packed = 4;

// Where components lie in rows of pixels. Places are counted in samples from the first component's.
struct PixelLayout {
  int bytes = 1;                         // of a sample
  int step = 1;                          // samples from one pixel to the next
  int count = 1;                         // of components
  std::array<int, most_packed> place{};  // of each component
  std::byte* first = nullptr;            // what lies at place 0 of pixel (0, 0); only read of a
                                         // source
  std::ptrdiff_t stride = 0;             // bytes from one row to the next

  // Samples from the first component of a pixel to its last.
  int span() const { return *std::max_element(place.begin(), place.begin() + count) + 1; }
  bool is_full() const { return count == step; }
  std::byte* row(int y) const { return first + stride * y; }
};

// Of planes that lie in the same pixels, or of one of any step. `plane(k)`: component k's.
template <class PlaneOf>
PixelLayout pixel_layout(int count, int bytes, const PlaneOf& plane) {
  const auto address = [&](int k) { return reinterpret_cast<std::uintptr_t>(plane(k).data); };
  std::uintptr_t least = address(0);
  for (int k = 1; k < count; ++k) least = std::min(least, address(k));
  PixelLayout layout{.bytes = bytes,
                     .step = plane(0).step,
                     .count = count,
                     .first = reinterpret_cast<std::byte*>(least),
                     .stride = plane(0).stride};
  for (int k = 0; k < count; ++k)
    layout.place[static_cast<std::size_t>(k)] = static_cast<int>(address(k) - least) / bytes;
  return layout;
}

// How many of the planes `all` (at least one) lie in the pixels of the first, and can be computed
// together with it: they come one after the other, and are there only once.
inline std::size_t packed_together(std::span<const PlanePair> all, int bytes) {
  const auto alike = [&](const auto& a, const auto& b) {
    return a.stride == b.stride && a.step == b.step && a.width == b.width && a.height == b.height;
  };
  // Whether the planes up to `last` lie in one pixel, each at a place of its own.
  const auto in_one_pixel = [&](std::size_t last, const auto& plane) {
    std::uintptr_t least = UINTPTR_MAX, most = 0;
    unsigned taken = 0;
    for (std::size_t k = 0; k <= last; ++k) {
      const auto address = reinterpret_cast<std::uintptr_t>(plane(k).data);
      least = std::min(least, address);
      most = std::max(most, address);
    }
    const auto size = static_cast<std::uintptr_t>(bytes);
    if (most - least >= static_cast<std::uintptr_t>(plane(0).step) * size) return false;
    for (std::size_t k = 0; k <= last; ++k) {
      const auto offset = reinterpret_cast<std::uintptr_t>(plane(k).data) - least;
      const unsigned place = 1U << offset / size;
      if (offset % size != 0 || (taken & place) != 0) return false;
      taken |= place;
    }
    return true;
  };
  const PlanePair& first = all.front();
  if (first.src.step < 2 || first.src.step > most_packed || first.dst.step < 2 ||
      first.dst.step > most_packed)
    return 1;
  std::size_t count = 1;
  while (count < all.size() && alike(all[count].src, first.src) &&
         alike(all[count].dst, first.dst) &&
         in_one_pixel(count, [&](std::size_t k) { return all[k].src; }) &&
         in_one_pixel(count, [&](std::size_t k) { return all[k].dst; }))
    ++count;
  return count;
}

}  // namespace vidconv
