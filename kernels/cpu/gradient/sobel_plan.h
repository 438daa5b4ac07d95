// Sobel's 3x3 gradient, its length or one of its parts, by sums that share most of their additions.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/plan/plan.h"

namespace vidconv {

// The result of a gradient: its length, or the size of one of its parts.
enum class SobelResult : std::uint8_t { length, across, down };

struct SobelPlan {
  static constexpr int rows = 8;  // output rows computed together

  SobelResult result = SobelResult::length;
  int most = 255;  // the largest code
  int shift = 0;   // shift of stored codes

  // The largest code up to which 16 bits hold the sums, and the definition's operations give the
  // true root, rounded.
  static constexpr int largest_of_16_bits = 1023;
  // The largest code up to which 16 bits hold the sums where no root is taken.
  static constexpr int largest_part_of_16_bits = 32767 / 4;
  bool fits_16_bits() const {
    return most <= (result == SobelResult::length ? largest_of_16_bits : largest_part_of_16_bits);
  }

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// The plan for floats.
struct SobelFloatsPlan : SobelPlan {
  static constexpr int rows = 8;
  static constexpr int kept = 4;  // sums of each column for the rows below
  static constexpr int scratch = kept;
};

// Returns nothing except for Combine::l2 of the two kernels or, of codes, the absolute value of one
// of them; and of codes only where the result is neither scaled nor offset.
std::optional<SobelPlan> make_sobel_plan(const Plan& plan);

}  // namespace vidconv
