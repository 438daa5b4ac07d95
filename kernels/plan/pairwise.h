// The order in which equal taps of floats are added up (docs/numerics.md, "Equal taps of floats"):
// for the definition and for all variants, on every device.
#pragma once

#include "kernels/picture/plane.h"

namespace vidconv {

// A step from sums of n / 2 neighbours to sums of n:
//
//   sum of n from x on = (sum of n / 2 from x on) + (sum of n / 2 behind those)
//                        and, where n is odd, + the last one
//
// Each n has a list of steps, from single values (n = 1, no step) upwards. So a sum takes as many
// additions as n has bits, and one more for each bit that is set, rather than n.
struct PairwiseStep {
  int half;  // number of values in the sums before the step
  bool odd;

  VIDCONV_HD constexpr int size() const { return 2 * half + (odd ? 1 : 0); }
  // `last` is ignored where the size is even.
  VIDCONV_HD constexpr float sum(float first, float second, float last) const {
    const float both = first + second;
    return odd ? both + last : both;
  }
};

VIDCONV_HD constexpr int pairwise_steps(int n) {
  int steps = 0;
  while (n >> (steps + 1) != 0) ++steps;
  return steps;
}

// Returns step number i of n values.
VIDCONV_HD constexpr PairwiseStep pairwise_step(int n, int i) {
  const int size = n >> (pairwise_steps(n) - 1 - i);
  return {size / 2, size % 2 != 0};
}

// Returns the largest number of additions that one value goes through.
constexpr int pairwise_additions(int n) {
  int additions = 0;
  for (; n > 1; n /= 2) additions += 1 + n % 2;
  return additions;
}

// Returns the sum of the `n` values value_at(x), value_at(x + 1), ...
template <class ValueAt>
float pairwise_sum(int n, int x, const ValueAt& value_at) {
  if (n == 1) return value_at(x);
  const PairwiseStep step = pairwise_step(n, pairwise_steps(n) - 1);
  return step.sum(pairwise_sum(step.half, x, value_at),
                  pairwise_sum(step.half, x + step.half, value_at),
                  step.odd ? value_at(x + n - 1) : 0);
}

}  // namespace vidconv
