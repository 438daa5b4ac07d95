// A plan whose taps are all equal, in the form of running sums.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/cpu/simd/division16.h"
#include "kernels/plan/plan.h"

namespace vidconv {

struct RunningBoxPlan {
  static constexpr int rows = 2;           // output rows computed together
  static constexpr int taps_a_sample = 8;  // the cost in taps, however many there are
  static constexpr int parts = 3;          // parts of a row that are computed apart

  int width = 1, height = 1;
  int left = 0;  // samples from the first tap to the output sample
  std::int32_t tap = 1;
  Finish finish;
  // Whether the last step is only a division of the sum of samples and finish.offset.
  bool plain = false;
  // The result of find_inverse() for the divisor where `plain`, else 0.
  float inverse = 0;
  // There where `plain`, samples have 8 bits, and no sum needs more than 16.
  std::optional<Division16> division16;
  // Whether sums of columns, of 8-bit samples, fit 15 bits, or there is division16.
  bool in_16_bits() const { return division16.has_value() || height * 255 < 1 << 15; }
  int start() const { return plain ? finish.offset : 0; }
  int shift = 0;  // shift of stored codes

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// `lane_bytes` is the size of samples.
template <int lane_bytes>
struct RunningBoxPlanOf : RunningBoxPlan {
  // Lines beside those of source rows, for sums of up to 32 bits: one for each part, two for each
  // output row, and one for what they need at their ends.
  static constexpr int scratch = (parts + 2 * rows + 1) * 4 / lane_bytes;
};

// Returns nothing where taps differ, where sums need more than 32 bits, for real arithmetic, and
// for kernels so small that adding up their samples is faster.
std::optional<RunningBoxPlan> make_running_plan(const Plan& plan);

}  // namespace vidconv
