#include "kernels/cpu/gradient_plan.h"

#include <cmath>

#include "kernels/convolver/window.h"
#include "kernels/cpu/int16_plan.h"

namespace vidconv {

std::optional<GradientPlan> make_gradient_plan(const Plan& plan) {
  const Finish& f = plan.finish;
  // Beyond, floats round squares and sums before the root is rounded.
  constexpr int largest_code = 1023;
  constexpr double largest_sum = 4096;
  if (plan.arith != Arith::int32 || f.combine != Combine::l2 || plan.terms.size() != 2 ||
      f.real_divisor != 1 || f.real_offset != 0 || f.real_half != 0.5 || f.min != 0 ||
      f.max > largest_code || f.max != plan.sample.max())
    return std::nullopt;

  GradientPlan result;
  result.most = f.max;
  result.shift = plan.sample.shift;
  const Reach reach = reach_of(plan);
  for (std::size_t k = 0; k < 2; ++k) {
    const Taps& t = plan.terms[k];
    if (t.joins || t.dense.empty() || !fit_16_bits(t.dense)) return std::nullopt;
    double lowest = 0, highest = 0;
    for (double tap : t.dense) (tap < 0 ? lowest : highest) += tap * plan.sample.max();
    if (std::max(-lowest, highest) > largest_sum) return std::nullopt;
    const int top = reach.above - t.anchor_y;
    GradientPlan::Kernel& kernel = result.kernels[k];
    kernel.taps = group_taps(t.dense, t.width, {top, -t.anchor_x});
    if (!t.separable() || t.row_shift != 0 || !fit_16_bits(t.row) || !fit_16_bits(t.column))
      continue;
    auto row = group_taps(t.row, t.width, {0, -t.anchor_x});
    auto column = group_taps(t.column, 1, {top, 0});
    if (cost_of(row) + cost_of(column) + 2 >= cost_of(kernel.taps)) continue;
    kernel.row = std::move(row);
    kernel.taps = std::move(column);
  }
  return result;
}

}  // namespace vidconv
