// An integer plan of one matrix that is the same from the left and from the right, and from above
// and from below: the up to four samples that share a tap are added before they are multiplied, two
// such sums at a time.
//
// Lines are added first, each to the one that lies as far from the other end, and then columns of
// these lines. Lanes are signed 16-bit. All sums of products are right modulo 2^32, which is
// enough: the plan promises that the true ones fit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/plan/plan.h"

namespace vidconv {

struct FoldedPlan {
  // Output rows computed together.
  static constexpr int rows = 4;
  // Of the matrix, in each direction.
  static constexpr int most = 31;

  // Two taps of 16 bits, the first one in the lower half.
  using TapPair = std::int32_t;

  // A sum of line `line` of those that were added, at columns `left` and `right`, counted from the
  // first column under the matrix. Where they are the same, or there is none, `right` is of the
  // line of zeros, number lines().
  struct Samples {
    int left_line, left, right_line, right;
  };
  struct Step {
    Samples first, second;
    TapPair taps;
  };

  int width = 0, height = 0;  // of the matrix
  std::vector<Step> steps;
  std::int32_t start = 0;
  // code = sum >> log2, from `min` to `max`
  int log2 = 0, min = 0, max = 255;
  int shift = 0;  // of stored codes

  int lines() const { return (height + 1) / 2; }
  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// None but for one kernel that is such a matrix of 4x4 taps or more, of 16 bits, on samples of up
// to 13 bits.
std::optional<FoldedPlan> make_folded_plan(const Plan& plan);

}  // namespace vidconv
