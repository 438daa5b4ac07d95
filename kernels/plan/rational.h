// Finds the integers behind a kernel's taps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vidconv {

// taps[i] = numerators[i] / divisor.
struct Rationals {
  std::vector<std::int64_t> numerators;
  std::int64_t divisor = 1;
};

// Returns the taps as integers over the smallest common divisor, if there is one up to 2^24: nine
// times 1/9, 0.25, -0.1. A numerator counts as an integer when it is off by no more than a few
// roundings of a double (1e-15 of it, or 1e-12), which is far below every error bound. sqrt(2) is
// near 22619537 / 15994428 by chance, and does not count.
std::optional<Rationals> find_rationals(std::span<const double> taps);

}  // namespace vidconv
