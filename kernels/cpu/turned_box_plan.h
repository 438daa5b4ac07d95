// A plan of floats under a square of equal taps, as its sums are made of vectors along columns of
// lines and then along lines.
#pragma once

#include <optional>

#include "kernels/plan/finish.h"
#include "kernels/plan/plan.h"

namespace vidconv {

struct TurnedBoxPlan {
  static constexpr int rows = 8;   // output rows computed together, as many as a vector has lanes
  static constexpr int least = 6;  // taps in each direction: of fewer, the planner makes none

  int size = 0;  // taps in each direction
  int left = 0;  // samples from the first tap to the output sample
  float tap = 1;
  float offset = 0;  // of results
  int scratch = 0;   // lines that are kept for the next rows: one less than there are taps

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// None for plans of other kinds.
std::optional<TurnedBoxPlan> make_turned_box_plan(const Plan& plan);

}  // namespace vidconv
