// The length of the gradient of Sobel's 3x3 kernels, whose sums share most of their additions.
#pragma once

#include <optional>

#include "kernels/plan/plan.h"

namespace vidconv {

struct SobelPlan {
  static constexpr int rows = 4;  // output rows computed together

  int most = 255;  // the largest code
  int shift = 0;   // of stored codes

  // Up to this code 16 bits hold the sums, and the definition's operations give the true root
  // rounded (as GradientPlan says).
  static constexpr int largest_of_16_bits = 1023;

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// None but for Combine::l2 of the two kernels whose result is neither scaled nor moved.
std::optional<SobelPlan> make_sobel_plan(const Plan& plan);

}  // namespace vidconv
