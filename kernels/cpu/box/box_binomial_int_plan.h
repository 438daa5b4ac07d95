// Sums of 3x3, 5x5 or 7x7 samples, with equal taps, or 1 2 1 or 1 4 6 4 1 in both directions.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/cpu/simd/division16.h"
#include "kernels/plan/plan.h"

namespace vidconv {

// A division by one multiply-add of floats. The bits of the integer `sum + start` are a float from
// 2^23 to 2^24. Times `inverse` plus `added` it becomes 2^23 plus the code, rounded, whose lower 16
// bits are the code.
struct RoundedQuotient {
  float inverse = 0;  // 0: there is none
  float added = 0;
  std::int32_t start = 0;
};

// code = (sum + start) / divisor.
struct BoxBinomialPlan {
  int size = 3;
  bool binomial = false;  // else all taps are 1
  int start = 0;
  std::optional<Division16> division;  // divides 16-bit sums; without it sums have 32 bits
  Finish finish;
  RoundedQuotient rounded;
  int shift = 0;  // shift of stored codes

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// `rows_together`: output rows computed at a time. More of them share more sums of lines, but their
// lines take more of the cache.
template <int rows_together>
struct BoxBinomialPlanOf : BoxBinomialPlan {
  static constexpr int rows = rows_together;
};

// Returns nothing for plans that are not one such kernel, or whose sums need a clamp.
std::optional<BoxBinomialPlan> make_smooth_plan(const Plan& plan);

}  // namespace vidconv
