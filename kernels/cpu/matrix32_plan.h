// A matrix of 3x3 of codes of 16 bits, as multiply-adds of pairs of neighbours.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kernels/cpu/int16_plan.h"
#include "kernels/plan/plan.h"

namespace vidconv {

struct Matrix32Plan {
  static constexpr int rows = 8;  // output rows computed together

  // Of a row of the matrix: its first two taps, and the third one for even and for odd columns.
  struct Row {
    Int16Plan::TapPair both, even, odd;
  };
  std::array<Row, 3> taps;
  Int16Plan int16;  // where sums start, and the last step

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// None for plans of other kinds, and for samples of bytes.
std::optional<Matrix32Plan> make_matrix32_plan(const Plan& plan);

}  // namespace vidconv
