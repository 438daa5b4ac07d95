// Plans of integer taps that are close to those asked for.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/plan/planner.h"
#include "kernels/plan/quantise.h"

namespace vidconv {
namespace {

// Error bounds in codes, see docs/numerics.md, "Which arithmetic".
constexpr double coarse_bound = 1.0 / 8;   // good enough to prefer sums below 2^24
constexpr double integer_bound = 1.0 / 2;  // worse: use float

std::size_t anchor_index(const Kernel& k) {
  return static_cast<std::size_t>(k.anchor_y()) * static_cast<std::size_t>(k.width()) +
         static_cast<std::size_t>(k.anchor_x());
}

}  // namespace

bool Planner::try_passes() {
  if (passes_.empty()) return false;
  std::vector<Product> products;
  double error = 0;
  for (const Products& of_kernel : passes_) {
    products.insert(products.end(), of_kernel.list.begin(), of_kernel.list.end());
    error += of_kernel.error * max_;
  }
  const double headroom = std::abs(bias_) + threshold_ + 0.5;
  std::optional<QuantisedPasses> quantised;
  if (products.size() == 1) quantised = quantise_short_blur(products[0], max_, headroom);
  if (!quantised) {
    quantised = quantise_passes(products, max_, headroom, 24);
    if (!quantised || quantised->error > coarse_bound)
      quantised = quantise_passes(products, max_, headroom, 31);
  }
  if (!quantised) return false;
  const int bits = quantised->intermediate_bits + quantised->column_bits;
  error += quantised->error + rounding_error(bits);
  if (error > integer_bound || !lowest_fits(std::int64_t{1} << bits)) return false;

  plan_.arith = Arith::int32;
  plan_.error_bound = error;
  auto pass = quantised->list.begin();
  for (const Products& of_kernel : passes_) {
    for (const Product& p : of_kernel.list) {
      Taps t = shape_of(p, &p != of_kernel.list.data());
      t.row = to_double(pass->row.numerators);
      t.column = to_double(pass->column.numerators);
      t.row_shift = pass->row_shift;
      set_row_range(t, max_);
      plan_.terms.push_back(std::move(t));
      ++pass;
    }
  }
  set_integer_finish(std::int64_t{1} << bits);
  return true;
}

double Planner::rounding_error(int bits) const {
  const int rounded = (threshold_ > 0 ? 1 : 0) + (filter_.absolute && bias_ != 0 ? 1 : 0);
  return std::ldexp(0.5 * rounded, -bits);
}

bool Planner::try_quantised() {
  // Passes are the definition where there are any, in float if not in integers.
  return passes_.empty() &&
         (try_quantised_below(24, coarse_bound) || try_quantised_below(31, integer_bound));
}

bool Planner::try_quantised_below(int sum_bits, double bound) {
  const double headroom = std::abs(bias_) + threshold_ + 0.5;
  int sum_limit = sum_bits;
  // Where the responses are added, their sum has to fit: each may use its share.
  if (adds(filter_.combine))
    sum_limit -= static_cast<int>(std::bit_width(filter_.kernels.size() - 1));
  int bits = 30;
  for (const Kernel& k : filter_.kernels) {
    const auto q = quantise_dense(k.taps(), anchor_index(k), max_, headroom, sum_limit);
    if (!q) return false;
    bits = std::min(bits, q->bits);
  }
  double error = rounding_error(bits);
  std::vector<Taps> terms;
  for (const Kernel& k : filter_.kernels) {
    const Quantised q = quantise(k.taps(), anchor_index(k), bits);
    error += q.error * max_;
    terms.push_back(shape_of(k));
    terms.back().dense = to_double(q.numerators);
  }
  if (error > bound || !lowest_fits(std::int64_t{1} << bits)) return false;
  plan_.arith = Arith::int32;
  plan_.error_bound = error;
  plan_.fits24 = sum_bits == 24;
  plan_.terms = std::move(terms);
  set_integer_finish(std::int64_t{1} << bits);
  return true;
}

bool Planner::try_many_quantised() {
  constexpr std::size_t many = 4096;
  constexpr double fine_bound = 1.0 / 64;
  if (!linear() || !passes_.empty()) return false;
  const Kernel& k = filter_.kernels[0];
  if (k.taps().size() < many) return false;
  const double largest = k.abs_sum() * max_ + std::abs(bias_) + 1;
  std::optional<Quantised> best;
  for (int bits = 16; bits < 40 && std::ldexp(largest, bits) < 0x1p52; ++bits) {
    best = quantise(k.taps(), anchor_index(k), bits);
    if (best->error * max_ <= fine_bound) break;
  }
  if (!best || best->error * max_ > integer_bound) return false;
  plan_.arith = Arith::float64;
  plan_.error_bound = best->error * max_;
  plan_.terms.push_back(shape_of(k));
  plan_.terms[0].dense = to_double(best->numerators);
  set_real_finish(std::ldexp(1.0, best->bits));
  return true;
}

}  // namespace vidconv
