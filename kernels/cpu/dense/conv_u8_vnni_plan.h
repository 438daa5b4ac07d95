// An integer plan for 8-bit samples in the form of dot products of four neighbouring samples.
//
// Samples stay bytes, and each line of samples that is loaded serves several output rows. All sums
// are right modulo 2^32, which is enough: the plan promises that the true ones fit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cpu/simd/division16.h"
#include "kernels/plan/plan.h"

namespace vidconv {

struct ConvU8VnniPlan {
  static constexpr int rows = 4;  // output rows computed together

  // The taps of four neighbouring samples. Byte i of `bytes` is tap i, where all taps of the plan
  // fit; else `even` holds taps 0 and 2, `odd` taps 1 and 3, the left one in the lower half.
  struct FourTaps {
    std::uint32_t bytes = 0;
    std::int32_t even = 0, odd = 0;
  };
  // The number of sums that are made together: of `rows` output rows; for a gradient, of both
  // kernels in one row and of both in the next.
  static constexpr int sums = rows;
  static constexpr int gradient_rows = sums / 2;

  // The taps, for each sum, of the samples that begin at column `column`, counted from the output
  // sample, on the line of window row `row`.
  struct Step {
    int row, column;
    std::array<FourTaps, sums> taps;
  };

  // steps[range(from, to)] has the steps that serve the sums from `from` up to `to`.
  static constexpr int range(int from, int to) { return from * (sums + 1) + to; }
  std::array<std::vector<Step>, sums*(sums + 1)> steps;
  // The height of matrices of 3x3 or 5x5, for which there is code without lists; else 0.
  // grid[tap_at()] has the taps of four columns from column 4 * `four` on, in row `row` of kernel
  // `kernel`.
  int size = 0;
  std::array<FourTaps, 10> grid;
  static constexpr int across(int size) { return (size + 3) / 4; }
  static constexpr std::size_t tap_at(int size, int kernel, int row, int four) {
    return static_cast<std::size_t>((kernel * size + row) * across(size) + four);
  }

  bool gradient = false;   // whether there are two kernels, and the result is their length
  bool narrow = false;     // whether every tap is a signed byte
  std::int32_t start = 0;  // where sums start

  // The last step, where this is no gradient. `clamps`: whether numerators may be below
  // finish.lowest or above finish.limit.
  bool clamps = true;
  // Whether they may, signed 16 bits hold them all and finish.lowest, and there is a `division`.
  bool clamps16 = false;
  Finish finish;
  std::optional<Division16> division;

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// Returns nothing except for one matrix of 16-bit taps on 8-bit samples that two passes do not do
// better, and for two such matrices whose result is the length, in sums that fit 16 bits.
std::optional<ConvU8VnniPlan> make_bytes_plan(const Plan& plan);

}  // namespace vidconv
