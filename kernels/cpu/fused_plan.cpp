#include "kernels/cpu/fused_plan.h"

#include <algorithm>

#include "kernels/convolver/window.h"

namespace vidconv {

std::optional<FusedPlan> make_fused_plan(const Plan& plan) {
  if (plan.arith != Arith::float32 || plan.sample.storage == Storage::u8) return std::nullopt;
  if (plan.terms.size() != 1 || plan.finish.combine != Combine::linear) return std::nullopt;
  const Taps& taps = plan.terms.front();
  const bool is_matrix = !taps.dense.empty();
  if (is_matrix && (plan.sample.storage != Storage::f32 || taps.width != 3)) return std::nullopt;
  if ((!is_matrix && !taps.separable()) || taps.pairwise) return std::nullopt;
  if (taps.width != taps.height || taps.width % 2 == 0 || taps.width < 3 ||
      taps.width > FusedPlan::most)
    return std::nullopt;
  FusedPlan fused{.size = taps.width,
                  .left = taps.anchor_x,
                  .top = reach_of(plan).above - taps.anchor_y,
                  .is_matrix = is_matrix,
                  .finish = plan.finish,
                  .shift = plan.sample.shift};
  const auto cast = [](double tap) { return static_cast<float>(tap); };
  if (is_matrix) {
    std::ranges::transform(taps.dense, fused.matrix.begin(), cast);
    return fused;
  }
  std::ranges::transform(taps.row, fused.row.begin(), cast);
  std::ranges::transform(taps.column, fused.column.begin(), cast);
  return fused;
}

}  // namespace vidconv
