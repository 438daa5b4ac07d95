// Decides whether results are written past the caches (hn::Stream).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "kernels/convolver/convolver.h"

namespace vidconv {

// How a block of results is stored: `part` where it is a row's last one and not whole.
enum class StoreWay : std::uint8_t { usual, past_caches, part };

// Planes of this many bytes do not stay in caches until somebody reads them, but what they
// overwrite would be brought in first. With the source, and other frames that are under way, they
// fill a third-level cache.
inline constexpr std::ptrdiff_t past_caches_from = 12'000'000;
// The limit where rows are written in turns, strip by strip, so that each strip waits for what it
// overwrites: more than a second-level cache holds.
inline constexpr std::ptrdiff_t past_caches_from_in_strips = 4 << 20;

inline bool is_large(const BytePlane& results, std::ptrdiff_t from) {
  return results.step == 1 && results.height * std::abs(results.stride) >= from;
}

// Whether a plane is that large and vectors of results are aligned in every row.
inline bool goes_past_caches(const BytePlane& results) {
  const auto places = reinterpret_cast<std::uintptr_t>(results.data) |
                      static_cast<std::uintptr_t>(std::abs(results.stride));
  return is_large(results, past_caches_from) && places % 64 == 0;
}

}  // namespace vidconv
