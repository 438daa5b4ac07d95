#include "kernels/cpu/folded_plan.h"

#include <algorithm>

#include "kernels/cpu/int16_plan.h"

namespace vidconv {
namespace {

double tap_at(const Taps& t, int x, int y) {
  return t.dense[static_cast<std::size_t>(y) * static_cast<std::size_t>(t.width) +
                 static_cast<std::size_t>(x)];
}

bool is_same_from_all_sides(const Taps& t) {
  for (int y = 0; y < t.height; ++y)
    for (int x = 0; x < t.width; ++x)
      if (tap_at(t, x, y) != tap_at(t, t.width - 1 - x, y) ||
          tap_at(t, x, y) != tap_at(t, x, t.height - 1 - y))
        return false;
  return true;
}

}  // namespace

std::optional<FoldedPlan> make_folded_plan(const Plan& plan) {
  const Finish& f = plan.finish;
  if (plan.arith != Arith::int32 || f.combine != Combine::linear || f.absolute ||
      plan.terms.size() != 1 || !f.divides_by_power_of_two() || plan.sample.depth > 13)
    return std::nullopt;
  const Taps& t = plan.terms[0];
  if (t.dense.empty() || std::min(t.width, t.height) < 4 ||
      std::max(t.width, t.height) > FoldedPlan::most || !fit_16_bits(t.dense) ||
      !is_same_from_all_sides(t))
    return std::nullopt;

  FoldedPlan result;
  result.width = t.width;
  result.height = t.height;
  const int zeros = result.lines();
  int count = 0;
  for (int y = 0; y < zeros; ++y)
    for (int x = 0; x < (t.width + 1) / 2; ++x) {
      const int tap = static_cast<int>(tap_at(t, x, y));
      if (tap == 0) continue;
      const int right = t.width - 1 - x;
      const bool alone = right == x;
      const FoldedPlan::Samples samples{y, x, alone ? zeros : y, alone ? 0 : right};
      const auto bits = static_cast<std::uint32_t>(tap) & 0xFFFF;
      if (count++ % 2 == 0) {
        result.steps.push_back(
            {samples, {zeros, 0, zeros, 0}, static_cast<FoldedPlan::TapPair>(bits)});
      } else {
        FoldedPlan::Step& step = result.steps.back();
        step.second = samples;
        step.taps =
            static_cast<FoldedPlan::TapPair>(static_cast<std::uint32_t>(step.taps) | bits << 16);
      }
    }
  result.start = f.offset;
  result.log2 = f.log2;
  result.min = f.min;
  result.max = f.max;
  result.shift = plan.sample.shift;
  return result;
}

}  // namespace vidconv
