// An integer plan for 8-bit samples in the form of products of two samples with two taps of a byte,
// added up in 16 bits.
//
// Two samples lie side by side; of a matrix of an odd width, the last column's lie one above the
// other. All sums are right modulo 2^16, or go no further than its end, or are widened to 32 bits
// before they are neither.
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

  // Two taps, twice, for each output row: of the samples at `column` and `column + 1`, counted from
  // the output sample, on the line of window row `row`; or, where `woven`, of those at `column` on
  // that line and on the one below.
  struct Step {
    int row, column;
    std::uint32_t taps[rows];
  };
  struct Group {
    // Steps that serve the first output row only, both, or the second only; and those of woven
    // samples, which serve both.
    std::vector<Step> first, both, second, woven;
    // Where the sums of 16 bits start, so that none is below 0.
    std::uint16_t start[rows] = {};
  };
  // One, but where `wide`: what each makes is added up in 32 bits then.
  std::vector<Group> groups;

  // The same of square matrices of odd sizes up to `largest`, for which there is code without
  // lists: their size, else 0; and their taps as TapPairs has them.
  static constexpr int largest = 11;
  int size = 0;
  std::array<std::uint32_t, TapPairs::count(largest)> grid{};

  bool wide = false;
  // Whether sums stop at the end of 16 bits: no tap is negative then.
  bool saturates = false;

  // The last step. 16 bits: n = sum less `below_zero`, from `lowest` to `limit`, divided.
  std::uint16_t below_zero = 0, lowest = 0, limit = 0;
  Division16 division;
  // 32 bits: what is added to the sums of each output row before numerators().
  std::int32_t start[rows] = {};
  Finish finish;

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// None but for one matrix of taps of a signed byte on 8-bit samples, two products of which fit 16
// bits, that two passes do not do better.
std::optional<ConvU8Avx2Plan> make_pairs_plan(const Plan& plan);

}  // namespace vidconv
