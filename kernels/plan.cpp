#include "kernels/plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>

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

std::size_t anchor_index(const Kernel& k) {
  return static_cast<std::size_t>(k.anchor_y()) * static_cast<std::size_t>(k.width()) +
         static_cast<std::size_t>(k.anchor_x());
}

bool two_dimensional(const Kernel& k) { return k.width() > 1 && k.height() > 1; }

void set_row_range(Taps& t, const Integers& row, int max) {
  const Extent e = extent(row);
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
    if (plan_.sample.storage != Storage::f32 &&
        (try_exact() || try_two_passes() || try_quantised()))
      return;
    use_real();
  }

 private:
  bool linear() const { return filter_.combine == Combine::linear; }

  // The largest response, as sum |tap| * max: of all terms together where they are added.
  double reach(double (*of)(const Kernel&)) const {
    double sum = 0, largest = 0;
    for (const Kernel& k : filter_.kernels) {
      sum += of(k);
      largest = std::max(largest, of(k));
    }
    return adds(filter_.combine) ? sum : largest;
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
    const double largest_sum = reach(&abs_sum) * max_ * divisor;
    const double largest = largest_sum + (std::abs(bias_) + threshold_ + 1) * divisor;
    if (largest >= 0x1p52) return false;
    plan_.arith =
        largest < 0x1p31 && lowest_fits(rationals->divisor) ? Arith::int32 : Arith::float64;
    plan_.exact = true;
    plan_.fits24 = largest_sum < 0x1p24;

    auto from = rationals->numerators.begin();
    for (const Kernel& k : filter_.kernels) {
      const Integers matrix(from, from + std::ssize(k.taps()));
      from += std::ssize(matrix);
      Taps t = shape_of(k);
      t.dense = to_double(matrix);
      if (two_dimensional(k)) {
        if (const auto factors = factor_exactly(matrix, k.width(), k.height())) {
          t.row = to_double(factors->row);
          t.column = to_double(factors->column);
          set_row_range(t, factors->row, max_);
        }
      }
      plan_.terms.push_back(std::move(t));
    }
    if (plan_.arith == Arith::int32)
      set_integer_finish(rationals->divisor);
    else
      set_real_finish(divisor);
    plan_.finish.real_threshold = static_cast<double>(rationals->numerators.back());
    return true;
  }

  bool try_two_passes() {
    if (!linear() || !two_dimensional(filter_.kernels[0])) return false;
    const Kernel& k = filter_.kernels[0];
    const auto factors = factor(k.taps(), k.width(), k.height());
    if (!factors) return false;
    const auto column = static_cast<std::size_t>(k.anchor_y());
    const auto row = static_cast<std::size_t>(k.anchor_x());
    const double headroom = std::abs(bias_) + 0.5;
    auto passes = quantise_passes(*factors, row, column, max_, headroom, 24);
    if (!passes || passes->error > coarse_bound)
      passes = quantise_passes(*factors, row, column, max_, headroom, 31);
    if (!passes || passes->error > integer_bound) return false;
    const std::int64_t divisor = std::int64_t{1}
                                 << (passes->intermediate_bits + passes->column.bits);
    if (!lowest_fits(divisor)) return false;

    plan_.arith = Arith::int32;
    plan_.error_bound = passes->error;
    Taps t = shape_of(k);
    t.row = to_double(passes->row.numerators);
    t.column = to_double(passes->column.numerators);
    t.row_shift = passes->row_shift;
    set_row_range(t, passes->row.numerators, max_);
    plan_.terms.push_back(std::move(t));
    set_integer_finish(divisor);
    return true;
  }

  // Dense integer taps, with one power of two for all kernels of the filter.
  bool try_quantised() {
    return try_quantised_below(24, coarse_bound) || try_quantised_below(31, integer_bound);
  }

  bool try_quantised_below(int sum_bits, double bound) {
    const double headroom = std::abs(bias_) + threshold_ + 0.5;
    int sum_limit = sum_bits;
    // Where the responses are added, their sum has to fit: each may use its share.
    if (adds(filter_.combine))
      sum_limit -= static_cast<int>(std::bit_width(filter_.kernels.size() - 1));
    int bits = 30;
    for (const Kernel& k : filter_.kernels) {
      if (two_dimensional(k) && linear() && factor(k.taps(), k.width(), k.height()))
        return false;  // two passes are its definition, in float then
      const auto q = quantise_dense(k.taps(), anchor_index(k), max_, headroom, sum_limit);
      if (!q) return false;
      bits = std::min(bits, q->bits);
    }
    // A threshold is rounded to a unit.
    double error = threshold_ > 0 ? std::ldexp(0.5, -bits) : 0;
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

  // Fused multiply-adds of the taps as they are.
  void use_real() {
    // Each tap is rounded once, each step of a chain of width + height steps once.
    double steps = 0;
    for (const Kernel& k : filter_.kernels)
      steps = std::max(steps, static_cast<double>(k.width() + k.height() + 2));
    if (threshold_ > 0) steps += 2;  // subtracted and added
    const double unit = (reach(&abs_sum) * max_ + threshold_) * steps;
    const bool narrow = plan_.sample.storage == Storage::f32 || unit * 0x1p-24 <= float_bound;
    plan_.arith = narrow ? Arith::float32 : Arith::float64;
    plan_.error_bound = unit * (narrow ? 0x1p-24 : 0x1p-53);
    const auto rounded = [narrow](std::vector<double> taps) {
      if (narrow)
        for (double& tap : taps) tap = static_cast<double>(static_cast<float>(tap));
      return taps;
    };
    for (const Kernel& k : filter_.kernels) {
      Taps t = shape_of(k);
      std::optional<Factors<double>> factors;
      if (linear() && two_dimensional(k)) factors = factor(k.taps(), k.width(), k.height());
      if (factors) {
        t.row = rounded(factors->row);
        t.column = rounded(factors->column);
      } else {
        t.dense = rounded({k.taps().begin(), k.taps().end()});
      }
      plan_.terms.push_back(std::move(t));
    }
    set_real_finish(1);
  }

  static double abs_sum(const Kernel& k) { return k.abs_sum(); }

  const Filter& filter_;
  Plan& plan_;
  int max_;
  double bias_;       // in codes
  double threshold_;  // the same
};

}  // namespace

bool Plan::is_copy() const {
  const Finish& f = finish;
  return exact && arith == Arith::int32 && f.combine == Combine::linear && f.real_divisor == 1 &&
         f.real_offset == 0 && f.min == 0 && terms[0].width == 1 && terms[0].height == 1 &&
         terms[0].dense[0] == 1;
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
