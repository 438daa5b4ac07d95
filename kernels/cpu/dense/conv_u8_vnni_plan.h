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
  // Sums that are made together: of `rows` output rows; for a gradient, of both kernels in one row
  // and of both in the next.
  static constexpr int sums = rows;
  static constexpr int gradient_rows = sums / 2;

  // Of the samples that begin at column `column`, counted from the output sample, on the line of
  // window row `row`, for each sum.
  struct Step {
    int row, column;
    std::array<FourTaps, sums> taps;
  };

  // steps[range(from, to)]: those that serve the sums from `from` up to `to`.
  static constexpr int range(int from, int to) { return from * (sums + 1) + to; }
  std::array<std::vector<Step>, sums*(sums + 1)> steps;
  // The same of matrices of 3x3 or 5x5, for which there is code without lists: their height, else
  // 0; and at tap_at() the taps of four columns from column 4 * `four` on, of row `row` of kernel
  // `kernel`.
  int size = 0;
  std::array<FourTaps, 10> grid;
  static constexpr int across(int size) { return (size + 3) / 4; }
  static constexpr std::size_t tap_at(int size, int kernel, int row, int four) {
    return static_cast<std::size_t>((kernel * size + row) * across(size) + four);
  }

  bool gradient = false;   // two kernels, and the result is their length
  bool narrow = false;     // every tap is a signed byte
  std::int32_t start = 0;  // where sums start

  // The last step, where this is no gradient.
  // Whether numerators may be below finish.lowest or above finish.limit.
  bool clamps = true;
  // They may, and 16 bits hold them all, signed, and finish.lowest, and `division` is there.
  bool clamps16 = false;
  Finish finish;
  std::optional<Division16> division;

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// None but for one matrix of taps of 16 bits on 8-bit samples that two passes do not do better, and
// for two such matrices that a GradientPlan takes.
std::optional<ConvU8VnniPlan> make_bytes_plan(const Plan& plan);

}  // namespace vidconv
