// A matrix of 3x3 whose sums fit 16 bits, as vectors of products.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/cpu/simd/sums16.h"
#include "kernels/plan/plan.h"

namespace vidconv {

struct Conv3x3Plan : Sums16 {
  static constexpr int rows = 8;  // output rows computed together

  std::array<std::int16_t, 9> taps = {};  // row by row
  bool symmetric = false;                 // left to right and top to bottom

  std::uint16_t tap(int i) const {
    return static_cast<std::uint16_t>(taps[static_cast<std::size_t>(i)]);
  }

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// Returns nothing for other plans. On 8-bit samples it takes only symmetric matrices whose taps
// multiplications of byte pairs take: dot products are faster for others.
std::optional<Conv3x3Plan> make_matrix16_plan(const Plan& plan);

}  // namespace vidconv
