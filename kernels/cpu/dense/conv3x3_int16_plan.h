// A matrix of 3x3 whose sums fit 16 bits, as vectors of products.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/cpu/simd/division16.h"
#include "kernels/plan/plan.h"

namespace vidconv {

// n = sum + start, of which `absolute` ones are in signed 16 bits and become |n| + half;
// code = min(max(n - below_zero, 0), limit) / divisor.
struct Conv3x3Plan {
  static constexpr int rows = 8;  // output rows computed together

  std::array<std::int16_t, 9> taps;  // row by row
  bool symmetric = false;            // the same from all sides
  std::uint16_t start = 0, below_zero = 0, limit = 0;
  bool absolute = false;
  std::uint16_t half = 0;
  Division16 division;
  int shift = 0;  // of stored codes

  std::uint16_t tap(int i) const {
    return static_cast<std::uint16_t>(taps[static_cast<std::size_t>(i)]);
  }

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// None for other plans. Of bytes for such taps alone that multiplications of pairs of bytes take,
// and for symmetric ones: dot products make others faster.
std::optional<Conv3x3Plan> make_matrix16_plan(const Plan& plan);

}  // namespace vidconv
