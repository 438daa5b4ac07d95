#include "kernels/plan/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/plan/planner.h"
#include "kernels/plan/quantise.h"

namespace vidconv {

Taps shape_of(const Kernel& kernel) {
  Taps t;
  t.width = kernel.width();
  t.height = kernel.height();
  t.anchor_x = kernel.anchor_x();
  t.anchor_y = kernel.anchor_y();
  return t;
}

Taps shape_of(const Product& product, bool joins) {
  Taps t;
  t.width = product.width();
  t.height = product.height();
  t.anchor_x = product.anchor_x;
  t.anchor_y = product.anchor_y;
  t.joins = joins;
  return t;
}

void set_row_range(Taps& t, int max) {
  const Extent e = extent(std::vector<std::int64_t>(t.row.begin(), t.row.end()));
  const std::int64_t rounding = t.row_shift > 0 ? std::int64_t{1} << (t.row_shift - 1) : 0;
  t.row_min = (e.negative * max + rounding) >> t.row_shift;
  t.row_max = (e.positive * max + rounding) >> t.row_shift;
}

Planner::Planner(const Filter& filter, Plan& plan)
    : filter_(filter),
      plan_(plan),
      max_(plan.sample.max()),
      bias_(filter.bias * max_),
      threshold_(filter.combine == Combine::unsharp ? filter.threshold * max_ : 0) {}

void Planner::make() {
  if (filter_.kernels[0].is_product()) {
    const Kernel& k = filter_.kernels[0];
    if (!linear()) throw std::invalid_argument("a filter of several kernels has only matrices");
    passes_.push_back({.list = {{.row = {k.row().begin(), k.row().end()},
                                 .column = {k.column().begin(), k.column().end()},
                                 .anchor_x = k.anchor_x(),
                                 .anchor_y = k.anchor_y()}}});
    return use_real();
  }
  const bool integers = plan_.sample.storage != Storage::f32;
  if (integers ? try_exact() : !filter_.over_time && try_pairwise()) return;
  find_passes();
  if (integers && (try_passes() || try_quantised() || try_many_quantised())) return;
  use_real();
}

void Planner::find_passes() {
  if (linear() && !two_dimensional(filter_.kernels[0])) return;
  if (filter_.over_time) return;  // passes over the rows of all planes of a volume mean nothing
  const bool floats = plan_.sample.storage == Storage::f32;
  double cost = 0, taps = 0;
  for (const Kernel& k : filter_.kernels) {
    passes_.push_back(find_products(k, floats));
    cost += passes_.back().list.empty() ? HUGE_VAL : passes_.back().cost(floats);
    taps += static_cast<double>(k.taps().size());
  }
  if (linear() ? passes_[0].list.empty() : cost >= taps) passes_.clear();
}

bool Planner::many_taps() const {
  constexpr std::size_t many = 441;  // docs/decisions/float-matrix-transforms.md
  return linear() && passes_.empty() && two_dimensional(filter_.kernels[0]) &&
         filter_.kernels[0].taps().size() >= many;
}

void Planner::use_real() {
  constexpr double float_bound = 1.0 / 2;  // in codes; worse: use double
  // Each tap is rounded once, each step of a chain of width + height steps once, and so is each sum
  // of products.
  const double own_steps = threshold_ > 0 ? 4 : 2;  // the threshold is subtracted and added
  double lost = 0;
  std::vector<double> roundings;  // for each kernel, relative to 1: the sum over its products
  for (std::size_t i = 0; i < filter_.kernels.size(); ++i) {
    const Kernel& k = filter_.kernels[i];
    if (passes_.empty()) {
      roundings.push_back(k.abs_sum() * (k.width() + k.height() + own_steps));
      continue;
    }
    const std::vector<Product>& products = passes_[i].list;
    const double steps = own_steps + static_cast<double>(products.size() - 1);
    roundings.push_back(0);
    for (const Product& p : products)
      roundings.back() += p.abs_sum() * (p.width() + p.height() + steps);
    lost += passes_[i].error * max_;
  }
  const double unit = combined(roundings) * max_ + threshold_ * own_steps;
  const bool floats = plan_.sample.storage == Storage::f32;
  const bool narrow = floats ? !many_taps() : unit * 0x1p-24 + lost <= float_bound;
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

double Planner::combined(const std::vector<double>& values) const {
  return adds(filter_.combine) ? std::accumulate(values.begin(), values.end(), 0.0)
                               : *std::ranges::max_element(values);
}

bool Planner::lowest_fits(std::int64_t divisor) const {
  return plan_.finish.min * divisor <= std::numeric_limits<std::int32_t>::max();
}

void Planner::set_integer_finish(std::int64_t divisor) {
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
  f.threshold = static_cast<std::int32_t>(std::llround(threshold_ * static_cast<double>(divisor)));
  set_divisor(f, static_cast<std::uint32_t>(divisor));
  set_real_finish(static_cast<double>(divisor));  // for l2
}

void Planner::set_real_finish(double divisor) {
  plan_.finish.real_divisor = divisor;
  plan_.finish.real_offset = bias_ * divisor + 0.0;  // never -0: added last, it makes 0 of a -0
  plan_.finish.real_half = divisor / 2;
  plan_.finish.real_threshold = threshold_ * divisor;
}

int Taps::reach() const {
  return std::max({anchor_x, anchor_y, width - 1 - anchor_x, height - 1 - anchor_y});
}

int Plan::kernels() const {
  return static_cast<int>(std::ranges::count(terms, false, &Taps::joins));
}

bool Plan::is_copy() const {
  const Finish& f = finish;
  if (fill || blocks.any() || terms.size() != 1 || arith == Arith::float64) return false;
  const Taps& t = terms[0];
  const bool integers = arith == Arith::int32;
  return f.combine == Combine::linear && f.real_divisor == 1 && f.real_offset == 0 && f.min == 0 &&
         (integers || (sample.storage == Storage::f32 && !f.absolute)) && t.width == 1 &&
         t.height == 1 && !t.dense.empty() && t.dense[0] == 1;
}

Plan make_plan(const Filter& filter, SampleType sample, Border border, Role role, Codes codes) {
  if (filter.kernels.empty()) throw std::invalid_argument("a filter needs at least one kernel");
  if (filter.combine == Combine::linear && filter.kernels.size() != 1)
    throw std::invalid_argument("a linear filter has exactly one kernel");
  if (filter.combine == Combine::unsharp && filter.kernels.size() != 2)
    throw std::invalid_argument("an unsharp filter has exactly two kernels");

  // No neutral code counts in these, so that all planes of a picture have one plan.
  if (filter.over_time && filter.over_time->border != TimeBorder::zero && codes == Codes::all &&
      (filter.over_time->plane_rows == 0 || border.mode != BorderMode::constant))
    role = Role::colour;

  Plan plan;
  plan.sample = sample;
  plan.border = border.mode;
  double level = border.value * sample.max();
  if (sample.storage != Storage::f32)
    level = std::clamp(std::floor(level + 0.5), 0.0, static_cast<double>(sample.max()));
  else
    level = static_cast<double>(static_cast<float>(level));
  plan.outside = role == Role::chroma ? sample.neutral() : level;
  plan.finish.combine = filter.combine;
  plan.finish.absolute = filter.absolute;
  plan.finish.max = sample.max();
  if (codes == Codes::limited && sample.storage != Storage::f32) {
    plan.finish.min = 16 << (sample.depth - 8);
    plan.finish.max = (role == Role::chroma ? 240 : 235) << (sample.depth - 8);
  }
  if (filter.over_time) {
    const int rows = filter.over_time->plane_rows, height = filter.kernels[0].height();
    if (rows == 0 ? height != 1 : height % rows != 0)
      throw std::invalid_argument("a filter over time has one row of taps, or whole planes");
    if (filter.combine != Combine::linear)
      throw std::invalid_argument("a filter over time has one kernel");
    plan.over_time = TimePlan{.black = role == Role::chroma ? sample.neutral() : 0,
                              .filter = filter,
                              .border = border,
                              .role = role,
                              .codes = codes};
    if (rows == 0) plan.border = BorderMode::constant;  // there is none in space
    if (const auto threshold = filter.over_time->threshold) {
      const double most = *threshold * sample.max();
      plan.over_time->threshold = sample.storage == Storage::f32
                                      ? static_cast<double>(static_cast<float>(most))
                                      : std::floor(most + 1e-9);
    }
  }
  Planner(filter, plan).make();
  plan.blocks = filter.blocks;
  return plan;
}

Plan without_frames(const Plan& plan, int first, int last) {
  const TimePlan& time = plan.over_time.value();
  Filter filter = time.filter;
  const Kernel& kernel = filter.kernels[0];
  std::vector<double> taps(kernel.taps().begin(), kernel.taps().end());
  const std::ptrdiff_t of_frame = std::ssize(taps) / plan.tap_frames().count;
  std::fill(taps.begin(), taps.begin() + first * of_frame, 0.0);
  std::fill(taps.end() - last * of_frame, taps.end(), 0.0);
  // Where no tap has a frame that is there, the filtered frame counts for all.
  const auto here =
      static_cast<std::size_t>(kernel.anchor_y() * kernel.width() + kernel.anchor_x());
  if (std::ranges::all_of(taps, [](double tap) { return tap == 0; })) taps[here] = 1;
  const Kernel rest(kernel.width(), kernel.height(), taps, kernel.anchor_x(), kernel.anchor_y());
  filter.kernels[0] = rest.scaled(kernel.sum() / rest.sum());
  return make_plan(filter, plan.sample, time.border, time.role, time.codes);
}

Plan make_fill_plan(SampleType sample, double code) {
  Filter fill{.kernels = {Kernel(1, 1, {0.0})}};
  fill.bias = code / sample.max();
  Plan plan = make_plan(fill, sample, {}, Role::colour);
  plan.fill = code;
  return plan;
}

}  // namespace vidconv
