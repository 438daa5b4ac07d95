// A plan of equal taps over floats, in the form of the variant that adds them up in pairs.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>

#include "kernels/plan/finish.h"
#include "kernels/plan/plan.h"

namespace vidconv {

struct PairwisePlan {
  static constexpr int most_rows = 128;
  static constexpr int scratch = 1;  // vectors may reach beyond the last line

  int width = 1, height = 1;
  int left = 0;  // samples from the first tap to the output sample
  float tap = 1;
  Finish finish;
  // Output rows computed together. Intermediate sums that these share with the rows above and below
  // are computed again for those.
  int rows = most_rows;

  static int passes() { return 1; }
  static bool any_dense() { return false; }
};

}  // namespace vidconv
