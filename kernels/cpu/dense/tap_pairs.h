// The places of pairs of taps of a square matrix of an odd size, for code without lists of steps:
// pairs of two columns in a row, and pairs of the last column on two lines, one above the other.
#pragma once

#include <cstddef>

namespace vidconv {

struct TapPairs {
  static constexpr int rows = 2;  // output rows computed together

  static constexpr std::size_t pair_at(int size, int row, int pair) {
    return static_cast<std::size_t>(row * (size / 2) + pair);
  }
  // Returns the place of the pair for output row `r`, on lines 2 * `pair` and the next one.
  static constexpr std::size_t woven_at(int size, int r, int pair) {
    return static_cast<std::size_t>(size * (size / 2) + r * ((size + 1) / 2) + pair);
  }
  // Returns the number of pairs of a whole matrix.
  static constexpr std::size_t count(int size) { return woven_at(size, rows, 0); }
};

}  // namespace vidconv
