// Sums of products that fit 16 bits, and what makes codes of them.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/cpu/simd/division16.h"
#include "kernels/plan/plan.h"

namespace vidconv {

// The last step of such sums. A sum begins at `start`, so that none is below 0 or above 65535, but
// where absolute values are taken: then it is signed, and `half` is added behind that.
struct Sums16 {
  std::uint16_t start = 0, half = 0;
  std::uint16_t below_zero = 0;  // a sum of 0 code is this much
  std::uint16_t limit = 0;       // the largest that is divided
  bool absolute = false;
  Division16 division;
  int shift = 0;  // stored codes are shifted up by it
};

// Returns nothing where the plan is not of one matrix of integers, or its sums need more bits.
std::optional<Sums16> find_sums16(const Plan& plan);

}  // namespace vidconv
