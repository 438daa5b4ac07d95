// The last division of an integer plan in 16-bit lanes.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/plan/finish.h"

namespace vidconv {

// floor(n / divisor) = (n * multiplier >> 16) >> shift for 0 <= n <= finish.limit, which fits 16
// bits; a multiplier of 0 stands for 2^16.
struct Division16 {
  std::uint16_t multiplier = 0;
  int shift = 0;
};

// Returns 1 / divisor as a float, where (n + 1/2) times it, rounded down, is floor(n / divisor) for
// 0 <= n <= finish.limit and codes up to `max`; else 0. The product is then at least inverse / 2
// away from every whole number.
float find_inverse(const Finish& finish, int max);

// Returns nothing where n or the multiplier needs more than 16 bits, and for l2, which divides real
// numbers.
std::optional<Division16> find_division16(const Finish& finish);

}  // namespace vidconv
