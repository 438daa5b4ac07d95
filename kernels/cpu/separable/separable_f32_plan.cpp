#include "kernels/cpu/separable/separable_f32_plan.h"

#include <algorithm>

#include "kernels/convolver/window.h"
#include "kernels/cpu/variants.h"
#include "kernels/plan/own_tap.h"

namespace vidconv {

std::optional<SeparableF32Plan> make_fused_plan(const Plan& plan) {
  if (plan.arith != Arith::float32 || plan.sample.storage == Storage::u8) return std::nullopt;
  if (plan.terms.size() > 2 || plan.finish.combine != Combine::linear) return std::nullopt;
  const Taps& taps = plan.terms.front();
  const bool is_matrix = !taps.dense.empty();
  if (is_matrix && (plan.sample.storage != Storage::f32 || taps.width != 3)) return std::nullopt;
  if ((!is_matrix && !taps.separable()) || taps.pairwise) return std::nullopt;
  if (taps.width != taps.height || taps.width % 2 == 0 || taps.width < 3 ||
      taps.width > SeparableF32Plan::most)
    return std::nullopt;
  std::optional<float> tap;
  if (const auto own = own_tap(plan)) tap = static_cast<float>(*own);
  const int centre = taps.width / 2;
  if (plan.terms.size() > 1 &&
      (!tap || taps.width == 3 || taps.anchor_x != centre || taps.anchor_y != centre))
    return std::nullopt;
  SeparableF32Plan fused{.size = taps.width,
                         .left = taps.anchor_x,
                         .top = reach_of(plan).above - taps.anchor_y,
                         .is_matrix = is_matrix,
                         .tap = tap,
                         .finish = plan.finish,
                         .shift = plan.sample.shift};
  const auto cast = [](double value) { return static_cast<float>(value); };
  if (is_matrix) {
    std::ranges::transform(taps.dense, fused.matrix.begin(), cast);
    return fused;
  }
  std::ranges::transform(taps.row, fused.row.begin(), cast);
  std::ranges::transform(taps.column, fused.column.begin(), cast);
  return fused;
}

Prepared prepare_cpu_separable_f32(const Plan& plan, const CudaAbilities&) {
  return plan.sample.storage == Storage::f32 ? prepare_fused_f32(plan) : prepare_fused_u16(plan);
}

}  // namespace vidconv
