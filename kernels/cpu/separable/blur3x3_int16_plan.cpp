#include "kernels/cpu/separable/blur3x3_int16_plan.h"

#include <vector>

namespace vidconv {
namespace {

constexpr int bits = 15;  // fraction bits of taps

// Returns p · 2^15 for taps p, 1 - 2p, p; -1 for other taps.
int side_tap(const std::vector<double>& taps) {
  if (taps.size() != 3 || taps[0] != taps[2] || taps[0] < 0 || taps[0] >= 1 << (bits - 1) ||
      2 * taps[0] + taps[1] != 1 << bits)
    return -1;
  return static_cast<int>(taps[0]);
}

}  // namespace

std::optional<Blur3x3Plan> make_blur3_plan(const Plan& plan) {
  const Finish& f = plan.finish;
  if (plan.sample.storage == Storage::f32 || plan.arith != Arith::int32 || plan.terms.size() != 1 ||
      f.combine != Combine::linear || f.absolute)
    return std::nullopt;
  const Taps& t = plan.terms[0];
  const int fraction = Blur3x3Plan::fraction(plan.sample.storage == Storage::u8 ? 8 : 16);
  const int row = side_tap(t.row), column = side_tap(t.column);
  if (row < 0 || column < 0 || t.anchor_x != 1 || t.anchor_y != 1 || plan.sample.max() > 1023 ||
      t.row_shift != bits - fraction || f.divisor != 1U << (fraction + bits))
    return std::nullopt;
  // Neither a bias nor a clamp: what is between samples stays between them.
  if (f.offset != static_cast<std::int32_t>(f.divisor / 2) || f.min != 0 ||
      f.max != plan.sample.max())
    return std::nullopt;
  return Blur3x3Plan{static_cast<std::int16_t>(row), static_cast<std::int16_t>(2 * column),
                     plan.sample.shift};
}

}  // namespace vidconv
