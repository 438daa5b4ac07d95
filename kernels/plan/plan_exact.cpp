// Plans without any error: taps that are integers over a divisor.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/plan/planner.h"
#include "kernels/plan/rational.h"

namespace vidconv {

bool Planner::try_exact() {
  std::vector<double> all;
  for (const Kernel& k : filter_.kernels) all.insert(all.end(), k.taps().begin(), k.taps().end());
  all.push_back(threshold_);  // the threshold has to be a whole number of units too
  const auto rationals = find_rationals(all);
  if (!rationals) return false;

  const double divisor = static_cast<double>(rationals->divisor);
  const double beside = (std::abs(bias_) + threshold_ + 1) * divisor;
  std::vector<double> sums;  // each kernel's sum of absolute taps
  for (const Kernel& k : filter_.kernels) sums.push_back(k.abs_sum() * divisor);
  if (combined(sums) * max_ + beside >= 0x1p52) return false;
  // int32 adds a whole number of units before it takes an absolute value.
  const double offset = bias_ * divisor;
  const bool whole = !filter_.absolute || std::abs(offset - std::round(offset)) < 1e-9;
  const bool narrow =
      whole && combined(sums) * max_ + beside < 0x1p31 && lowest_fits(rationals->divisor);
  const double limit = narrow ? 0x1p31 : 0x1p52;
  plan_.arith = narrow ? Arith::int32 : Arith::float64;
  plan_.exact = true;

  std::vector<Integers> matrices;
  auto from = rationals->numerators.begin();
  for (const Kernel& k : filter_.kernels) {
    matrices.emplace_back(from, from + std::ssize(k.taps()));
    from += std::ssize(k.taps());
    // Passes over the rows of all planes of a volume mean nothing.
    passes_.push_back(filter_.over_time ? Products{} : find_exact_products(matrices.back(), k));
  }
  // There are passes for all kernels or for none: for none where only kernels of rank 1 have them,
  // which have their matrices too.
  bool in_passes =
      std::ranges::any_of(passes_, [](const Products& p) { return p.list.size() > 1; }) &&
      std::ranges::none_of(passes_, [](const Products& p) { return p.list.empty(); });
  if (in_passes) {
    std::vector<double> pass_sums;
    for (const Products& p : passes_) pass_sums.push_back(p.abs_sum());
    in_passes = combined(pass_sums) * max_ + beside < limit;
    if (in_passes) sums = pass_sums;
  }
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    if (in_passes && passes_[i].list.size() > 1)
      add_exact_passes(passes_[i]);
    else
      add_exact_matrix(i, matrices[i], in_passes);
  }
  plan_.fits24 = combined(sums) * max_ < 0x1p24;
  if (plan_.arith == Arith::int32)
    set_integer_finish(rationals->divisor);
  else
    set_real_finish(divisor);
  plan_.finish.real_threshold = static_cast<double>(rationals->numerators.back());
  return true;
}

void Planner::add_exact_matrix(std::size_t i, const Integers& matrix, bool in_passes) {
  const Kernel& k = filter_.kernels[i];
  Taps t = shape_of(k);
  t.dense = to_double(matrix);
  if (passes_[i].list.size() == 1 && (in_passes || two_dimensional(k))) {
    t.row = passes_[i].list[0].row;
    t.column = passes_[i].list[0].column;
    set_row_range(t, max_);
  }
  plan_.terms.push_back(std::move(t));
}

void Planner::add_exact_passes(const Products& products) {
  for (const Product& p : products.list) {
    Taps t = shape_of(p, &p != products.list.data());
    t.row = p.row;
    t.column = p.column;
    set_row_range(t, max_);
    // A single row or column is as well computed in one pass.
    if (t.width == 1 || t.height == 1)
      for (double c : t.column)
        for (double r : t.row) t.dense.push_back(c * r);
    plan_.terms.push_back(std::move(t));
  }
}

}  // namespace vidconv
