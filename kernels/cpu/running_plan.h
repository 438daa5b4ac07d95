// A plan whose taps are all the same: what running sums compute.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/plan/plan.h"

namespace vidconv {

struct RunningPlan {
  static constexpr int rows = 2;           // output rows computed together
  static constexpr int taps_a_sample = 8;  // cost as much, however many there are
  static constexpr int scratch = 2;        // lines beside those of source rows: sums of 32 bits

  int width = 1, height = 1;
  int left = 0;  // samples from the first tap to the output sample
  std::int32_t tap = 1;
  Finish finish;
  // 1 / divisor where the last step is no more than a division that float makes exactly, and sums
  // start at finish.offset: code = floor((sum + 1/2) * inverse), which is at least inverse / 2 away
  // from every whole number. Else 0, and sums start at 0.
  float inverse = 0;
  int start() const { return inverse == 0 ? 0 : finish.offset; }
  int shift = 0;  // of stored codes

  static int passes() { return 1; }
  static bool any_dense() { return false; }
};

// None where taps differ, where sums need more than 32 bits, for real arithmetic, and for kernels
// so small that adding up their samples is faster.
std::optional<RunningPlan> make_running_plan(const Plan& plan);

}  // namespace vidconv
