#include "kernels/cpu/gradient/sobel_plan.h"

#include <algorithm>
#include <vector>

namespace vidconv {
namespace {

// Whether the taps are `want`, or all of them its negatives.
bool same_but_for_sign(const std::vector<double>& taps, const std::vector<double>& want) {
  return taps == want || std::ranges::equal(taps, want, [](double a, double b) { return a == -b; });
}

bool is_centred_3x3(const Taps& t) {
  return !t.joins && t.width == 3 && t.height == 3 && t.anchor_x == 1 && t.anchor_y == 1;
}

const std::vector<double> across = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
const std::vector<double> down = {-1, -2, -1, 0, 0, 0, 1, 2, 1};

// Returns a plan of the absolute value of one kernel's response.
std::optional<SobelPlan> make_part_plan(const Plan& plan) {
  const Finish& f = plan.finish;
  const Taps& t = plan.terms[0];
  if (f.combine != Combine::linear || plan.terms.size() != 1 || !f.absolute || f.divisor != 1 ||
      f.offset != 0 || f.half != 0 || !is_centred_3x3(t))
    return std::nullopt;
  const bool is_across = same_but_for_sign(t.dense, across);
  if (!is_across && !same_but_for_sign(t.dense, down)) return std::nullopt;
  return SobelPlan{is_across ? SobelResult::across : SobelResult::down, f.max, plan.sample.shift};
}

}  // namespace

std::optional<SobelPlan> make_sobel_plan(const Plan& plan) {
  const Finish& f = plan.finish;
  const bool floats = plan.arith == Arith::float32 && plan.sample.storage == Storage::f32;
  if (!floats) {
    if (plan.arith != Arith::int32 || f.min != 0 || f.max != plan.sample.max()) return std::nullopt;
    if (f.combine != Combine::l2) return make_part_plan(plan);
    if (f.real_divisor != 1 || f.real_offset != 0 || f.real_half != 0.5) return std::nullopt;
  }
  if (f.combine != Combine::l2 || plan.terms.size() != 2) return std::nullopt;
  const Taps &a = plan.terms[0], &b = plan.terms[1];
  if (!is_centred_3x3(a) || !is_centred_3x3(b)) return std::nullopt;
  // The sum of two squares is the same in either order.
  const bool turned = same_but_for_sign(a.dense, down);
  if (!same_but_for_sign(turned ? b.dense : a.dense, across) ||
      !same_but_for_sign(turned ? a.dense : b.dense, down))
    return std::nullopt;
  return SobelPlan{SobelResult::length, f.max, plan.sample.shift};
}

}  // namespace vidconv
