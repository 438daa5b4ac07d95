// Plans of equal taps over floats.
#include <algorithm>
#include <vector>

#include "kernels/plan/pairwise.h"
#include "kernels/plan/planner.h"

namespace vidconv {

bool Planner::try_pairwise() {
  constexpr int smallest = 12;  // width + height; fused multiply-adds of fewer are faster
  if (plan_.sample.storage != Storage::f32 || !linear()) return false;
  const Kernel& k = filter_.kernels[0];
  const double tap = k.taps()[0];
  if (k.width() + k.height() < smallest || tap == 0 ||
      std::ranges::count(k.taps(), tap) != std::ssize(k.taps()))
    return false;
  Taps t = shape_of(k);
  t.pairwise = true;
  t.row.assign(static_cast<std::size_t>(k.width()), 1);
  t.column.assign(static_cast<std::size_t>(k.height()),
                  static_cast<double>(static_cast<float>(tap)));
  // The tap is rounded, and multiplied once; the bias is added.
  const int steps = pairwise_additions(k.width()) + pairwise_additions(k.height()) + 3;
  plan_.arith = Arith::float32;
  plan_.error_bound = k.abs_sum() * max_ * steps * 0x1p-24;
  plan_.terms.push_back(std::move(t));
  set_real_finish(1);
  return true;
}

}  // namespace vidconv
