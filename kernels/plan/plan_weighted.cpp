// Plans of means that count by weights: taps without rounding, sums in double.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/plan/planner.h"
#include "kernels/plan/rational.h"

namespace vidconv {
namespace {

// Sets the taps as one product of a row and a column, all of them 0 or more.
void set_passes(Taps& taps, const Product& product) {
  taps = shape_of(product, false);
  for (const double tap : product.row) taps.row.push_back(std::abs(tap));
  for (const double tap : product.column) taps.column.push_back(std::abs(tap));
}

// Sets integer taps, if sums of them do not need more than 52 bits; `largest`: of samples times
// their weights.
bool set_exact(const Kernel& kernel, double largest, Plan& plan) {
  const auto rationals = find_rationals(kernel.taps());
  if (!rationals) return false;
  const auto divisor = static_cast<double>(rationals->divisor);
  const auto fits = [&](double sum) { return 2 * sum * largest < 0x1p52; };
  if (!fits(kernel.abs_sum() * divisor)) return false;
  Taps& taps = plan.terms[0];
  const Products products = find_exact_products(rationals->numerators, kernel);
  if (two_dimensional(kernel) && products.list.size() == 1 && fits(products.abs_sum()))
    set_passes(taps, products.list[0]);
  else
    taps.dense = to_double(rationals->numerators);
  plan.exact = true;
  plan.finish.real_divisor = divisor;
  return true;
}

void set_real(const Kernel& kernel, Plan& plan) {
  Taps& taps = plan.terms[0];
  const Products products = two_dimensional(kernel) ? find_products(kernel, true) : Products{};
  if (products.list.size() == 1)
    set_passes(taps, products.list[0]);
  else
    taps.dense = {kernel.taps().begin(), kernel.taps().end()};
  // Nothing cancels out: each sum is off by its roundings, and so is their quotient.
  const double roundings = 2.0 * (2 * (kernel.width() + kernel.height()) + 3);
  plan.error_bound = (roundings * 0x1p-53 + products.error) * plan.sample.max();
}

}  // namespace

Plan make_weighted_plan(const Filter& filter, SampleType sample, Border border, Role role,
                        Codes codes, Subsampling weights) {
  if (const std::string why = why_not_weighted(filter); !why.empty())
    throw std::invalid_argument("a filter that is weighted " + why);
  Plan plan = make_plan(filter, sample, border, role, codes);
  plan.weighted = WeightPlan{.weights = weights,
                             .outside = make_plan(filter, sample, border, Role::colour).outside};
  plan.arith = Arith::float64;
  plan.exact = false;
  plan.fits24 = false;
  plan.error_bound = 0;
  const Finish limits = plan.finish;
  plan.finish = {};
  plan.finish.min = limits.min;
  plan.finish.max = limits.max;
  const Kernel& kernel = filter.kernels[0];
  plan.terms = {shape_of(kernel)};
  const double most = plan.sample.max();
  const bool codes_only = sample.storage != Storage::f32;
  if (!codes_only || !set_exact(kernel, most * most * weights.x * weights.y, plan))
    set_real(kernel, plan);
  return plan;
}

}  // namespace vidconv
