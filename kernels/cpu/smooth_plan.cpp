#include "kernels/cpu/smooth_plan.h"

#include <vector>

namespace vidconv {

std::optional<SmoothPlan> make_smooth_plan(const Plan& plan) {
  static const std::vector<double> ones(9, 1.0);
  static const std::vector<double> binomial = {1, 2, 1, 2, 4, 2, 1, 2, 1};
  const Finish& f = plan.finish;
  if (plan.arith != Arith::int32 || f.combine != Combine::linear || f.absolute ||
      plan.terms.size() != 1)
    return std::nullopt;
  const Taps& t = plan.terms[0];
  if (t.width != 3 || t.height != 3 || t.anchor_x != 1 || t.anchor_y != 1 ||
      (t.dense != ones && t.dense != binomial))
    return std::nullopt;
  const bool weighted = t.dense == binomial;
  const std::int64_t highest = std::int64_t{weighted ? 16 : 9} * plan.sample.max() + f.offset;
  const auto division = find_division16(f);
  // What the limit lets pass fits 16 bits, as find_division16() has seen to.
  if (!division || f.offset < 0 || f.min != 0 || highest > f.limit) return std::nullopt;
  return SmoothPlan{weighted, static_cast<std::uint16_t>(f.offset), *division, plan.sample.shift};
}

}  // namespace vidconv
