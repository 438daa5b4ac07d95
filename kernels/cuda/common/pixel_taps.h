// Plans of whole pixels (Plan::components), whose taps lie a pixel apart, for kernels that leave
// out the zeros between taps.
#pragma once

#include <algorithm>

#include "kernels/plan/plan.h"

namespace vidconv::cuda {

// Returns the least odd number of taps each way, centred, at least 3, that holds all taps.
inline int square_of_pixels(const Plan& plan) {
  int reach = 1;
  for (const Taps& t : plan.terms)
    reach = std::max({reach, std::max(t.anchor_x, t.width - 1 - t.anchor_x) / plan.components,
                      t.anchor_y, t.height - 1 - t.anchor_y});
  return 2 * reach + 1;
}

// Returns whether sample i lies under a tap of any of `columns` adjacent outputs. The first tap of
// the first output is at sample `reach`; each output has `size` taps, `apart` samples from each
// other.
constexpr bool is_under_tap(int i, int reach, int columns, int size, int apart) {
  for (int c = 0; c < columns; ++c)
    if (i - reach >= c && (i - reach - c) % apart == 0 && (i - reach - c) / apart < size)
      return true;
  return false;
}

}  // namespace vidconv::cuda
