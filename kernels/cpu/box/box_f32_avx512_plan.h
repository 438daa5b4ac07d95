// A plan of a few equal taps over floats, whose sums along and across lines are made at once.
#pragma once

#include <optional>

#include "kernels/plan/finish.h"
#include "kernels/plan/plan.h"

namespace vidconv {

struct FloatBoxPlan {
  static constexpr int rows = 8;  // output rows computed together
  // Sums of more taps along a line reach beyond the next vector; fewer taps are not planned so.
  static constexpr int least = 6, most = 16;

  int size = 0;  // taps in each direction
  int left = 0;  // samples from the first tap to the output sample
  float tap = 1;
  float offset = 0;  // added to results

  // Lines that are kept for the next rows: for each column one sum less than there are taps.
  static constexpr int scratch = most - 1;
  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// Returns nothing for other plans.
std::optional<FloatBoxPlan> make_fused_box_plan(const Plan& plan);

}  // namespace vidconv
