// An integer plan in the form of 16-bit multiply-adds, which take two taps at a time.
//
// Lanes are signed 16-bit; what does not fit is stored less an offset, and the offset times the sum
// of the taps is where the sum starts. All sums are right modulo 2^32, which is enough: the plan
// promises that the true ones fit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cpu/division16.h"
#include "kernels/plan/plan.h"

namespace vidconv {

struct Int16Plan {
  // Output rows computed together, so that a loaded line serves each of them.
  static constexpr int rows = 2;

  // Two neighbouring taps, the left (or upper) one in the lower half.
  using TapPair = std::int32_t;

  // Taps for the samples at columns `column` and `column + 1`, counted from the output sample: of
  // an output sample at an even column, and of the next one.
  struct RowStep {
    int column;
    TapPair even, odd;
  };
  // The same on the line of window row `row`, for each output row.
  struct DenseStep {
    int row, column;
    TapPair even[rows], odd[rows];
  };
  // taps times the samples of two window rows at the output's column.
  struct ColumnStep {
    int upper, lower;
    TapPair taps[rows];
  };

  struct Term {
    // Where the sum starts: of this term and those that join it.
    std::int32_t start = 0;
    bool joins = false;  // as in Taps
    bool last = true;    // no other term joins the kernel that this one belongs to
    // One pass; steps that serve the first output row only, both, or the second only.
    std::vector<DenseStep> first, both, second;
    // Two passes, where row_steps is not empty.
    std::vector<RowStep> row_steps;
    std::int32_t row_start = 0;
    int row_shift = 0;
    std::vector<ColumnStep> column_steps;

    bool two_passes() const { return !row_steps.empty(); }
    // Instructions for each vector of output.
    double cost() const;
  };

  int code_offset = 0;  // taken from each code
  int shift = 0;        // of stored codes
  Finish finish;
  std::optional<Division16> division;
  std::vector<Term> terms;

  // Of one kernel of one pass that is 3x3, for which there is code without lists: the taps of the
  // first two columns in each row, and of the last column, for output row `r` on lines 2 * `pair`
  // and the next one.
  bool small = false;
  std::array<TapPair, 7> grid{};
  static constexpr std::size_t woven_at(int r, int pair) {
    return static_cast<std::size_t>(3 + 2 * r + pair);
  }

  // One kernel whose sums, as they start, are the numerators of the last division but for the
  // clamp.
  bool plain = false;

  int passes() const;
  bool any_dense() const { return passes() < static_cast<int>(terms.size()); }
};

bool fit_16_bits(const std::vector<double>& taps);

// None where taps need more than 16 bits, and where two passes save much work but their
// intermediate needs more.
std::optional<Int16Plan> make_int16_plan(const Plan& plan);

}  // namespace vidconv
