#include "kernels/plan/own_tap.h"

namespace vidconv {

std::optional<double> own_tap(const Plan& plan) {
  if (plan.arith == Arith::int32 || plan.terms.size() != 2 || !plan.terms[1].joins)
    return std::nullopt;
  const Taps& t = plan.terms[1];
  if (!t.separable() || !t.dense.empty() || t.width != 1 || t.height != 1 || t.row[0] != 1)
    return std::nullopt;
  return t.column[0];
}

}  // namespace vidconv
