// An integer plan for 8-bit samples in the form of products of two samples with two taps of a byte,
// added up in 16 bits.
//
// The two samples lie side by side; in the last column of a matrix of odd width, one above the
// other. Sums are right modulo 2^16, or saturate at its end, or are widened to 32 bits before they
// would be neither.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cpu/dense/tap_pairs.h"
#include "kernels/cpu/simd/division16.h"
#include "kernels/plan/plan.h"

namespace vidconv {

struct ConvU8Avx2Plan {
  // Output rows computed together, so that what is loaded serves each of them.
  static constexpr int rows = TapPairs::rows;

  // Two taps, twice, for each output row: for the samples at `column` and `column + 1`, counted
  // from the output sample, on the line of window row `row`; or, where `woven`, for those at
  // `column` on that line and on the one below.
  struct Step {
    int row, column;
    std::uint32_t taps[rows];
  };
  struct Group {
    // Steps that serve the first output row only, both, or the second only; and steps of woven
    // samples, which serve both.
    std::vector<Step> first, both, second, woven;
    // Where sums of 16 bits start, so that none is below 0.
    std::uint16_t start[rows] = {};
  };
  // One group, unless `wide`: then the sums of each are added up in 32 bits.
  std::vector<Group> groups;

  // The size of the matrix where it is square and of an odd size up to `largest`, for which there
  // is code without lists; else 0. `grid` has its taps where TapPairs says.
  static constexpr int largest = 11;
  int size = 0;
  std::array<std::uint32_t, TapPairs::count(largest)> grid{};

  bool wide = false;
  // Whether sums saturate at the end of 16 bits: no tap is negative then.
  bool saturates = false;

  // The last step in 16 bits: n = sum less `below_zero`, from `lowest` to `limit`, divided.
  std::uint16_t below_zero = 0, lowest = 0, limit = 0;
  Division16 division;
  // The last step in 32 bits: `start` is added to the sums of each output row before numerators().
  std::int32_t start[rows] = {};
  Finish finish;

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// Returns nothing except for one matrix of signed byte taps on 8-bit samples, two products of which
// fit 16 bits, that two passes do not do better.
std::optional<ConvU8Avx2Plan> make_pairs_plan(const Plan& plan);

}  // namespace vidconv
