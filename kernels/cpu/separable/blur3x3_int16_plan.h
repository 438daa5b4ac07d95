// Blurs of 3x3 in two passes, p, 1 - 2p, p each, by differences of neighbours in 16 bits.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/plan/plan.h"

namespace vidconv {

// A sample b between two others, a and c, becomes b + p · (a + c - 2b). A multiplication gives the
// upper half of such sums of 16 bits, rounded as the definition asks.
struct Blur3x3Plan {
  static constexpr int rows = 8;  // output rows computed together

  std::int16_t row_tap = 0;     // p · 2^15
  std::int16_t column_tap = 0;  // p · 2^16
  int shift = 0;                // shift of stored codes

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }

  // Returns the fraction bits between the passes, for samples of `bits`: see quantise_short_blur().
  static constexpr int fraction(int bits) { return bits == 8 ? 6 : 4; }
};

// Returns nothing for other plans.
std::optional<Blur3x3Plan> make_blur3_plan(const Plan& plan);

}  // namespace vidconv
