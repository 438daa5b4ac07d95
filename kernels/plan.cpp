#include "kernels/plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "kernels/factor.h"
#include "kernels/quantise.h"
#include "kernels/rational.h"

namespace vidconv {
namespace {

// Error bounds in codes, see docs/numerics.md, "Which arithmetic".
constexpr double coarse_bound = 1.0 / 8;   // good enough to prefer sums below 2^24
constexpr double integer_bound = 1.0 / 2;  // worse: use float
constexpr double float_bound = 1.0 / 2;    // worse: use double

using Integers = std::vector<std::int64_t>;

template <class T>
std::vector<double> to_double(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

Taps shape_of(const Kernel& kernel) {
  Taps t;
  t.width = kernel.width();
  t.height = kernel.height();
  t.anchor_x = kernel.anchor_x();
  t.anchor_y = kernel.anchor_y();
  return t;
}

// `joins`: whether it adds to the term before it.
Taps shape_of(const Product& product, bool joins) {
  Taps t;
  t.width = product.width();
  t.height = product.height();
  t.anchor_x = product.anchor_x;
  t.anchor_y = product.anchor_y;
  t.joins = joins;
  return t;
}

std::size_t anchor_index(const Kernel& k) {
  return static_cast<std::size_t>(k.anchor_y()) * static_cast<std::size_t>(k.width()) +
         static_cast<std::size_t>(k.anchor_x());
}

bool two_dimensional(const Kernel& k) { return k.width() > 1 && k.height() > 1; }

void set_row_range(Taps& t, int max) {
  const Extent e = extent(Integers(t.row.begin(), t.row.end()));
  const std::int64_t rounding = t.row_shift > 0 ? std::int64_t{1} << (t.row_shift - 1) : 0;
  t.row_min = (e.negative * max + rounding) >> t.row_shift;
  t.row_max = (e.positive * max + rounding) >> t.row_shift;
}

// Builds one Plan; each try_ function fills it in and returns true, or leaves it for the next.
class Planner {
 public:
  Planner(const Filter& filter, Plan& plan)
      : filter_(filter),
        plan_(plan),
        max_(plan.sample.max()),
        bias_(filter.bias * max_),
        threshold_(filter.combine == Combine::unsharp ? filter.threshold * max_ : 0) {}

  void make() {
    const bool integers = plan_.sample.storage != Storage::f32;
    if (integers && try_exact()) return;
    find_passes();
    if (integers && (try_passes() || try_quantised() || try_many_quantised())) return;
    use_real();
  }

 private:
  bool linear() const { return filter_.combine == Combine::linear; }

  // The largest of the kernels' values; their sum where responses are added.
  double combined(const std::vector<double>& values) const {
    return adds(filter_.combine) ? std::accumulate(values.begin(), values.end(), 0.0)
                                 : *std::ranges::max_element(values);
  }

  // Whether int32 reaches the smallest code of a result.
  bool lowest_fits(std::int64_t divisor) const {
    return plan_.finish.min * divisor <= std::numeric_limits<std::int32_t>::max();
  }

  // Everything after the sum, where codes are `divisor` units.
  void set_integer_finish(std::int64_t divisor) {
    Finish& f = plan_.finish;
    const double offset = bias_ * static_cast<double>(divisor);
    // Ties in the offset come from decimals (0.1 * 255 + 0.5); they go upward like all others.
    constexpr double tie = 1e-9;
    if (f.absolute) {
      f.offset = static_cast<std::int32_t>(std::floor(offset + 0.5 + tie));
      f.half = static_cast<std::int32_t>(divisor / 2);
    } else {
      f.offset =
          static_cast<std::int32_t>(std::floor(offset + static_cast<double>(divisor) / 2 + tie));
    }
    f.lowest = static_cast<std::int32_t>(f.min * divisor);
    f.limit = static_cast<std::int32_t>(
        std::min<std::int64_t>((static_cast<std::int64_t>(f.max) + 1) * divisor - 1,
                               std::numeric_limits<std::int32_t>::max()));
    f.threshold =
        static_cast<std::int32_t>(std::llround(threshold_ * static_cast<double>(divisor)));
    set_divisor(f, static_cast<std::uint32_t>(divisor));
    set_real_finish(static_cast<double>(divisor));  // for l2
  }

  // Also for l2 of integer responses, whose root is in units of 1 / divisor.
  void set_real_finish(double divisor) {
    plan_.finish.real_divisor = divisor;
    plan_.finish.real_offset = bias_ * divisor;
    plan_.finish.real_half = divisor / 2;
    plan_.finish.real_threshold = threshold_ * divisor;
  }

  // Taps that are integers over a divisor: sums without any error.
  bool try_exact() {
    std::vector<double> all;
    for (const Kernel& k : filter_.kernels) all.insert(all.end(), k.taps().begin(), k.taps().end());
    all.push_back(threshold_);  // has to be a whole number of units too
    const auto rationals = find_rationals(all);
    if (!rationals) return false;

    const double divisor = static_cast<double>(rationals->divisor);
    const double beside = (std::abs(bias_) + threshold_ + 1) * divisor;
    std::vector<double> sums;  // of absolute values, of each kernel
    for (const Kernel& k : filter_.kernels) sums.push_back(k.abs_sum() * divisor);
    if (combined(sums) * max_ + beside >= 0x1p52) return false;
    const bool narrow = combined(sums) * max_ + beside < 0x1p31 && lowest_fits(rationals->divisor);
    const double limit = narrow ? 0x1p31 : 0x1p52;
    plan_.arith = narrow ? Arith::int32 : Arith::float64;
    plan_.exact = true;

    std::vector<Integers> matrices;
    auto from = rationals->numerators.begin();
    for (const Kernel& k : filter_.kernels) {
      matrices.emplace_back(from, from + std::ssize(k.taps()));
      from += std::ssize(k.taps());
      passes_.push_back(find_exact_products(matrices.back(), k));
    }
    // Passes for all kernels or for none; for none where only those of rank 1 have them, which have
    // their matrices beside.
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

  void add_exact_matrix(std::size_t i, const Integers& matrix, bool in_passes) {
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

  void add_exact_passes(const Products& products) {
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

  // Finds the products to compute where the taps are not exact: of a linear filter's kernel, or of
  // all kernels where that costs less than their taps.
  void find_passes() {
    if (linear() && !two_dimensional(filter_.kernels[0])) return;
    double cost = 0, taps = 0;
    for (const Kernel& k : filter_.kernels) {
      passes_.push_back(find_products(k));
      cost += passes_.back().list.empty() ? HUGE_VAL : passes_.back().cost();
      taps += static_cast<double>(k.taps().size());
    }
    if (linear() ? passes_[0].list.empty() : cost >= taps) passes_.clear();
  }

  bool try_passes() {
    if (passes_.empty()) return false;
    std::vector<Product> products;
    double error = 0;
    for (const Products& of_kernel : passes_) {
      products.insert(products.end(), of_kernel.list.begin(), of_kernel.list.end());
      error += of_kernel.error * max_;
    }
    const double headroom = std::abs(bias_) + threshold_ + 0.5;
    auto quantised = quantise_passes(products, max_, headroom, 24);
    if (!quantised || quantised->error > coarse_bound)
      quantised = quantise_passes(products, max_, headroom, 31);
    if (!quantised) return false;
    const int bits = quantised->intermediate_bits + quantised->column_bits;
    error += quantised->error + threshold_error(bits);
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

  // A threshold is rounded to a unit of 2^-bits codes.
  double threshold_error(int bits) const { return threshold_ > 0 ? std::ldexp(0.5, -bits) : 0; }

  // Dense integer taps, with one power of two for all kernels of the filter.
  bool try_quantised() {
    // What is passes is passes by definition, in float then.
    return passes_.empty() &&
           (try_quantised_below(24, coarse_bound) || try_quantised_below(31, integer_bound));
  }

  bool try_quantised_below(int sum_bits, double bound) {
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
    double error = threshold_error(bits);
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

  // Thousands of taps whose sums int32 cannot hold finely enough: integers in double, because
  // sums of integers do not depend on how they are made, so that transforms may make them.
  bool try_many_quantised() {
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

  // Fused multiply-adds of the taps as they are.
  void use_real() {
    // Each tap is rounded once, each step of a chain of width + height steps once.
    double steps = 0, lost = 0;
    std::vector<double> sums;  // of absolute values, of each kernel
    for (std::size_t i = 0; i < filter_.kernels.size(); ++i) {
      const Kernel& k = filter_.kernels[i];
      double own_steps = k.width() + k.height() + 2;
      sums.push_back(k.abs_sum());
      if (!passes_.empty()) {
        own_steps += static_cast<double>(passes_[i].list.size() - 1);
        sums.back() = std::max(sums.back(), passes_[i].abs_sum());
        lost += passes_[i].error * max_;
      }
      steps = std::max(steps, own_steps);
    }
    if (threshold_ > 0) steps += 2;  // subtracted and added
    const double unit = (combined(sums) * max_ + threshold_) * steps;
    const bool narrow =
        plan_.sample.storage == Storage::f32 || unit * 0x1p-24 + lost <= float_bound;
    plan_.arith = narrow ? Arith::float32 : Arith::float64;
    plan_.error_bound = unit * (narrow ? 0x1p-24 : 0x1p-53) + lost;
    const auto rounded = [narrow](std::vector<double> taps) {
      if (narrow)
        for (double& tap : taps) tap = static_cast<double>(static_cast<float>(tap));
      return taps;
    };
    for (const Products& of_kernel : passes_) {
      for (const Product& p : of_kernel.list) {
        plan_.terms.push_back(shape_of(p, &p != of_kernel.list.data()));
        plan_.terms.back().row = rounded(p.row);
        plan_.terms.back().column = rounded(p.column);
      }
    }
    if (passes_.empty()) {
      for (const Kernel& k : filter_.kernels) {
        plan_.terms.push_back(shape_of(k));
        plan_.terms.back().dense = rounded({k.taps().begin(), k.taps().end()});
      }
    }
    set_real_finish(1);
  }

  const Filter& filter_;
  Plan& plan_;
  int max_;
  double bias_;                   // in codes
  double threshold_;              // the same
  std::vector<Products> passes_;  // of each kernel; empty where the taps are computed as they are
};

}  // namespace

int Plan::kernels() const {
  return static_cast<int>(std::ranges::count(terms, false, &Taps::joins));
}

bool Plan::is_copy() const {
  const Finish& f = finish;
  return exact && terms.size() == 1 && arith == Arith::int32 && f.combine == Combine::linear &&
         f.real_divisor == 1 && f.real_offset == 0 && f.min == 0 && terms[0].width == 1 &&
         terms[0].height == 1 && terms[0].dense[0] == 1;
}

Plan make_plan(const Filter& filter, SampleType sample, Border border, Role role, Codes codes) {
  if (filter.kernels.empty()) throw std::invalid_argument("a filter needs at least one kernel");
  if (filter.combine == Combine::linear && filter.kernels.size() != 1)
    throw std::invalid_argument("a linear filter has exactly one kernel");
  if (filter.combine == Combine::unsharp && filter.kernels.size() != 2)
    throw std::invalid_argument("an unsharp filter has exactly two kernels");

  Plan plan;
  plan.sample = sample;
  plan.border = border.mode;
  double level = border.value * sample.max();
  if (sample.storage != Storage::f32)
    level = std::clamp(std::floor(level + 0.5), 0.0, static_cast<double>(sample.max()));
  plan.outside = role == Role::chroma ? sample.neutral() : level;
  plan.finish.combine = filter.combine;
  plan.finish.absolute = filter.absolute;
  plan.finish.max = sample.max();
  if (codes == Codes::limited && sample.storage != Storage::f32) {
    plan.finish.min = 16 << (sample.depth - 8);
    plan.finish.max = (role == Role::chroma ? 240 : 235) << (sample.depth - 8);
  }
  Planner(filter, plan).make();
  return plan;
}

Plan make_fill_plan(SampleType sample, double code) {
  Filter fill{.kernels = {Kernel(1, 1, {0.0})}};
  fill.bias = code / sample.max();
  return make_plan(fill, sample, {}, Role::colour);
}

}  // namespace vidconv
