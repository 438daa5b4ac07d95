// Sums of 3x3, 5x5 or 7x7 samples, all alike, or 1 2 1 or 1 4 6 4 1 in both directions, that fit 16
// bits.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/cpu/division16.h"
#include "kernels/plan/plan.h"

namespace vidconv {

// code = (sum + start) / divisor
struct SmoothPlan {
  static constexpr int rows = 4;  // output rows computed together

  int size = 3;
  bool binomial = false;  // else all taps are 1
  std::uint16_t start = 0;
  Division16 division;
  int shift = 0;  // of stored codes

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// None but for one such kernel whose sums need no clamp.
std::optional<SmoothPlan> make_smooth_plan(const Plan& plan);

}  // namespace vidconv
