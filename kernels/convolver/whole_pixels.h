// Pixels of which all components are at hand, as a plane of samples that lie side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "kernels/convolver/packed.h"

namespace vidconv {

struct WholePixels {
  PlanePair plane;
  int components = 2;  // components in a pixel
  unsigned kept = 0;   // components that are only copied: bit 0 is the first's
};

// Returns the pairs of the same pixels as one pair, where they are all of the pixels' components,
// in the same order in source and result, and not all of them are copied. `bytes` is the size of a
// sample.
inline std::optional<WholePixels> as_one_plane(std::span<const PlanePair> pairs, int bytes) {
  const auto least = [&](auto side) {
    return *std::ranges::min_element(pairs, {},
                                     [&](const PlanePair& pair) { return address_of(pair.*side); });
  };
  PlanePair all{least(&PlanePair::src).src, least(&PlanePair::dst).dst};
  const int step = all.src.step;
  if (step < 2 || pairs.size() != static_cast<std::size_t>(step) || all.dst.step != step ||
      packed_together(pairs, bytes) != pairs.size() ||
      all.src.width > std::numeric_limits<int>::max() / step)
    return std::nullopt;
  unsigned kept = 0;
  for (const PlanePair& pair : pairs) {
    const std::uintptr_t offset = address_of(pair.src) - address_of(all.src);
    if (offset != address_of(pair.dst) - address_of(all.dst)) return std::nullopt;
    if (pair.copied) kept |= 1U << (offset / static_cast<std::uintptr_t>(bytes));
  }
  if (kept == (1U << step) - 1) return std::nullopt;
  all.src.width *= step;
  all.dst.width *= step;
  all.src.step = all.dst.step = 1;
  return WholePixels{.plane = all, .components = step, .kept = kept};
}

}  // namespace vidconv
