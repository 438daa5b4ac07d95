// A plan of floats under equal taps, as the engine that adds them up wants it.
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
  // Output rows computed together. What lies between their sums and the rows above and below them
  // is computed again for the next ones.
  int rows = most_rows;

  static int passes() { return 1; }
  static bool any_dense() { return false; }
};

}  // namespace vidconv
