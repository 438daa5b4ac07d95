// An integer plan in the form of 16-bit multiply-adds, which take two taps at a time.
//
// Lanes are signed 16-bit. Codes that do not fit are stored less an offset, and sums start from the
// offset times the sum of the taps. All sums are right modulo 2^32, which is enough: the plan
// promises that the true ones fit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cpu/dense/tap_pairs.h"
#include "kernels/cpu/simd/division16.h"
#include "kernels/plan/plan.h"

namespace vidconv {

struct ConvInt16Plan {
  // Output rows computed together, so that a loaded line serves each of them.
  static constexpr int rows = TapPairs::rows;

  // Two neighbouring taps, the left (or upper) one in the lower half.
  using TapPair = std::int32_t;

  // Taps for the samples at columns `column` and `column + 1`, counted from the output sample: for
  // an output sample at an even column, and for the next one.
  struct RowStep {
    int column;
    TapPair even, odd;
  };
  // Such taps for the line of window row `row`, for each output row.
  struct DenseStep {
    int row, column;
    TapPair even[rows], odd[rows];
  };
  // Taps for the samples of two window rows at the output's column.
  struct ColumnStep {
    int upper, lower;
    TapPair taps[rows];
  };

  struct Term {
    // Where the sum starts that this term and those that join it make.
    std::int32_t start = 0;
    bool joins = false;  // as in Taps
    bool last = true;    // whether no other term joins this one's kernel
    // One pass: steps that serve the first output row only, both, or the second only.
    std::vector<DenseStep> first, both, second;
    // Two passes, where row_steps is not empty.
    std::vector<RowStep> row_steps;
    std::int32_t row_start = 0;
    int row_shift = 0;  // at most 16
    std::vector<ColumnStep> column_steps;

    bool two_passes() const { return !row_steps.empty(); }
    // Returns the number of instructions for each vector of output.
    double cost() const;
  };

  int code_offset = 0;  // subtracted from each code
  int shift = 0;        // shift of stored codes
  Finish finish;
  std::optional<Division16> division;
  std::vector<Term> terms;

  // The size of the matrix, where the plan is one kernel of one pass, square and of an odd size up
  // to `largest`, for which there is code without lists; else 0. `grid` has its taps where TapPairs
  // says.
  static constexpr int largest = 7;
  int size = 0;
  std::array<TapPair, TapPairs::count(largest)> grid{};

  // Whether there is one kernel whose sums, as they start, are the numerators of the last division
  // but for the clamp.
  bool plain = false;
  // Whether codes are such sums shifted down, for one kernel of one pass over 16-bit codes, and 32
  // bits hold the sums less 2^15 codes.
  bool shifts = false;

  int passes() const;
  bool any_dense() const { return passes() < static_cast<int>(terms.size()); }
};

bool fit_16_bits(const std::vector<double>& taps);

// Returns nothing where taps need more than 16 bits, and where two passes save much work but their
// intermediate needs more.
std::optional<ConvInt16Plan> make_int16_plan(const Plan& plan);

}  // namespace vidconv
