// Plan: exactly what is computed for one plane. It fixes the arithmetic (docs/numerics.md), so that
// every variant that runs it gives the same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/filter/filter.h"
#include "kernels/picture/blocks.h"
#include "kernels/picture/border.h"
#include "kernels/picture/plane.h"
#include "kernels/plan/finish.h"

namespace vidconv {

enum class Arith : std::uint8_t {
  int32,    // integer taps; every sum fits 32 bits, so the order of additions does not matter
  float32,  // fused multiply-adds in a fixed order, or additions in one (Taps::pairwise)
  float64,  // as float32, in double; also exact integer sums beyond 32 bits
};

// One kernel, ready to compute. Taps are kept as double, whatever the arithmetic: each is exactly
// an int32, a float or a double, as Plan::arith says.
struct Taps {
  int width = 1, height = 1;
  int anchor_x = 0, anchor_y = 0;

  // width * height taps row by row. Empty where two passes are the definition.
  std::vector<double> dense;

  // The factors of a rank 1 kernel, `row` over x first, then `column` over y; else empty. Where
  // `dense` is there too, both ways give the same bytes.
  std::vector<double> row, column;

  // int32 passes: the row pass gives t = (sum + (1 << row_shift >> 1)) >> row_shift (arithmetic
  // shift), which lies in [row_min, row_max]. Where `dense` is empty, row_max - row_min <= 65535.
  int row_shift = 0;
  std::int64_t row_min = 0, row_max = 0;

  // Equal taps, in float32 and as the only term: each is column[0], and those of the row are 1.
  // Sums of rows, and of columns of these, are added up as kernels/plan/pairwise.h says and
  // multiplied by the tap; `dense` is empty.
  bool pairwise = false;

  // Whether the response is added to that of the term before it: together they are one kernel.
  bool joins = false;

  bool separable() const { return !row.empty(); }
  // Returns the distance of the farthest row or column of taps from the anchor.
  int reach() const;

  bool operator==(const Taps&) const = default;
};

// A plane's role in its picture: chroma is centred on a neutral code, the others on black.
enum class Role : std::uint8_t { colour, chroma };

// The codes that results may have: all, or only those of limited-range video (ITU-R BT.709: 16 to
// 235, for chroma 16 to 240, at 8 bits). Float samples are never clamped.
enum class Codes : std::uint8_t { all, limited };

// A plan over time has these beside its taps, which are those of one matrix: a row over frames, or
// the planes of a volume one below the other (OverTime::plane_rows).
struct TimePlan {
  // A sample counts as that of the filtered frame where it differs by more; a code, or a float;
  // below 0: never.
  double threshold = -1;
  double black = 0;  // the sample of frames that TimeBorder::zero supplies, as a code or a float
  // The plan was made of these: for windows that lack frames (without_frames()).
  Filter filter;
  Border border;
  Role role = Role::colour;
  Codes codes = Codes::all;
  bool operator==(const TimePlan&) const = default;
};

// A plan whose samples count by weights (kernels/plan/weighted.h). Its taps are all 0 or more;
// those of one term.
struct WeightPlan {
  // Each sample's weight is the sum of x by y weights.
  Subsampling weights;
  double outside = 0;  // the weight that BorderMode::constant supplies, as a code or a float
  bool operator==(const WeightPlan&) const = default;
};

// A plan's kind of result.
enum class Operation : std::uint8_t {
  sums,       // taps times samples, added
  copy,       // the samples as they are stored, to the bit
  mosaic,     // the mean of each of Plan::blocks
  fill,       // Plan::fill
  over_time,  // taps times samples of other frames, added
  weighted,   // means of samples, by taps times weights
};

struct Plan {
  SampleType sample;
  // Components of a pixel where a row's samples are whole pixels (interleave.h): the period of the
  // border. Only variants that are meant for such plans look at it.
  int components = 1;
  unsigned kept = 0;  // components that are only copied: bit 0 is the first's
  BorderMode border = BorderMode::reflect101;
  double outside = 0;  // the sample that BorderMode::constant supplies, as a code or a float
  Arith arith = Arith::int32;
  // One for each kernel of the filter; more where a kernel of low rank is a sum of products
  // (`joins`).
  std::vector<Taps> terms;
  Finish finish;
  // Instead of sums; `terms` is one tap then, and of `finish` only the limits of a code count.
  Blocks blocks;                    // a mosaic's
  std::optional<double> fill = {};  // a code, or a float
  // Where taps are on frames.
  std::optional<TimePlan> over_time = {};
  // Where samples count by weights: pairs without a result follow those of each picture, and are
  // the weights.
  std::optional<WeightPlan> weighted = {};

  Operation operation() const {
    return weighted       ? Operation::weighted
           : fill         ? Operation::fill
           : blocks.any() ? Operation::mosaic
           : is_copy()    ? Operation::copy
           : over_time    ? Operation::over_time
                          : Operation::sums;
  }

  // Facts for people and for choosing a variant.
  bool exact = false;      // equal to real arithmetic rounded once (l2: to the root's rounding)
  double error_bound = 0;  // before the last rounding, in codes; 0 where exact
  bool fits24 = false;     // int32: |every sum| < 2^24, so float computes it exactly too

  // Whether the sample in column x is only copied.
  bool keeps(int x) const { return (kept >> (x % components) & 1) != 0; }
  // Return, of a plan over time, the rows of a volume's planes, or 0; and its taps' frames.
  int plane_rows() const { return over_time->filter.over_time->plane_rows; }
  TapFrames tap_frames() const {
    const Taps& t = terms[0];
    return vidconv::tap_frames(*over_time->filter.over_time, t.width, t.height, t.anchor_x,
                               t.anchor_y);
  }
  // Returns the number of kernels whose responses are combined.
  int kernels() const;
  // Whether the output is the input: one tap of gain 1 on the pixel itself.
  bool is_copy() const;

  bool operator==(const Plan&) const = default;  // whether they compute the same
};

// Plans `filter` for planes of `sample`. Throws std::invalid_argument where the filter has no
// kernel, or several with Combine::linear.
Plan make_plan(const Filter& filter, SampleType sample, Border border, Role role,
               Codes codes = Codes::all);

// Plans means of `filter` in which samples count by `weights`, which are of the same type. The
// filter is one that why_not_weighted() says nothing about.
Plan make_weighted_plan(const Filter& filter, SampleType sample, Border border, Role role,
                        Codes codes, Subsampling weights);

// Returns the plan over time without the first and the last so many taps, whose frames are missing;
// the others are scaled so that their sum stays what it was.
Plan without_frames(const Plan& plan, int first, int last);

// Returns a plan that writes `code` everywhere.
Plan make_fill_plan(SampleType sample, double code);

}  // namespace vidconv
