// An integer plan of two passes with a symmetric row: samples as far from the centre to the left
// and to the right are added before they are multiplied, two such sums at a time. The centre sample
// may have a share of its own besides, as in unsharp masks.
//
// Lanes are signed 16-bit. Intermediates that do not fit are stored less an offset, and the
// column's sums start from the offset times the sum of the taps. All sums are right modulo 2^32,
// which is enough: the plan promises that the true ones fit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/plan/plan.h"

namespace vidconv {

struct SeparableIntPlan {
  // Output rows computed together, so that a loaded line serves each of them.
  static constexpr int rows = 4;

  // Two taps of 16 bits, the first one in the lower half.
  using TapPair = std::int32_t;

  // Taps for the samples `first` and `second` columns to the left and to the right of the centre.
  struct RowStep {
    int first, second;
    TapPair taps;
  };
  // Taps for the samples of two window rows at the output's column, for each output row.
  struct ColumnStep {
    int upper, lower;
    TapPair taps[rows];
  };

  // Whether the row pass begins with the centre alone; else with the centre and its two neighbours.
  bool centre_alone = false;
  TapPair centre = 0;
  std::vector<RowStep> row_steps;
  int to_centre = 0;  // columns from the output sample to the centre
  std::int32_t row_start = 0;
  int row_shift = 0;

  // Steps that serve the first two output rows only, all, or the last two only.
  std::vector<ColumnStep> first, all, last;
  std::int32_t start = 0;
  // The sums have own_tap * ((sample << own_shift) - 32768) besides, of the output's own sample.
  // The sample of the first output row is in window row own_row. An own_tap of 0 stands for none.
  TapPair own_tap = 0;
  int own_shift = 0, own_row = 0;
  // code = sum >> log2, from `min` to `max`.
  int log2 = 0, min = 0, max = 255;
  int shift = 0;  // shift of stored codes

  static constexpr int passes() { return 1; }
  bool any_dense() const { return own_tap != 0; }
};

// Returns nothing except for one kernel that is defined as such passes of taps of 16 bits, or as
// these and one tap, on samples of up to 14 bits.
std::optional<SeparableIntPlan> make_passes_plan(const Plan& plan);

}  // namespace vidconv
