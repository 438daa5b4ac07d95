// Plans of whole pixels (Plan::components), whose taps lie a pixel apart, as kernels see them that
// leave out the zeros between.
#pragma once

#include <algorithm>

#include "kernels/plan/plan.h"

namespace vidconv::cuda {

// The least odd number of taps each way, centred, at least 3, that holds all.
inline int square_of_pixels(const Plan& plan) {
  int reach = 1;
  for (const Taps& t : plan.terms)
    reach = std::max({reach, std::max(t.anchor_x, t.width - 1 - t.anchor_x) / plan.components,
                      t.anchor_y, t.height - 1 - t.anchor_y});
  return 2 * reach + 1;
}

// Whether one of `columns` adjacent outputs, `reach` columns before the first, needs sample i,
// where each has `size` taps that lie so far apart.
constexpr bool is_under_tap(int i, int reach, int columns, int size, int apart) {
  for (int c = 0; c < columns; ++c)
    if (i - reach >= c && (i - reach - c) % apart == 0 && (i - reach - c) / apart < size)
      return true;
  return false;
}

}  // namespace vidconv::cuda
