#include "kernels/cpu/dense/conv_int16_plan.h"

#include <algorithm>
#include <cmath>

#include "kernels/convolver/window.h"

namespace vidconv {
namespace {

using TapPair = ConvInt16Plan::TapPair;
using Term = ConvInt16Plan::Term;

// Returns tap `i`, or 0 beyond the ends.
double tap_at(const double* taps, int count, int i) { return i < 0 || i >= count ? 0 : taps[i]; }

TapPair pair_at(const double* taps, int count, int i) {
  const auto half = [&](int at) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(tap_at(taps, count, at))) & 0xFFFF;
  };
  return static_cast<TapPair>(half(i) | half(i + 1) << 16);
}

// Returns a * sum(taps) + b modulo 2^32.
std::int32_t start_of(std::int64_t a, const std::vector<double>& taps, std::int64_t b = 0) {
  std::int64_t sum = 0;
  for (double tap : taps) sum += static_cast<std::int64_t>(tap);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a * sum + b));
}

// Adds to the sum modulo 2^32.
void add(std::int32_t& sum, std::int32_t value) {
  sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) +
                                  static_cast<std::uint32_t>(value));
}

Term one_pass(const Taps& t, const Reach& reach, int code_offset) {
  Term term;
  term.start = start_of(code_offset, t.dense);
  const std::vector<double> zeros(static_cast<std::size_t>(t.width));
  const auto kernel_row = [&](int j) {
    return j < 0 || j >= t.height ? zeros.data()
                                  : &t.dense[static_cast<std::size_t>(j) * zeros.size()];
  };
  // Line j under the first output row's kernel lies at kernel row j for it, at j - 1 for the
  // second.
  for (int j = 0; j <= t.height; ++j) {
    const double* upper = kernel_row(j);
    const double* lower = kernel_row(j - 1);
    for (int i = 0; i <= t.width; i += 2) {
      const ConvInt16Plan::DenseStep step = {
          reach.above - t.anchor_y + j,
          i - t.anchor_x,
          {pair_at(upper, t.width, i), pair_at(lower, t.width, i)},
          {pair_at(upper, t.width, i - 1), pair_at(lower, t.width, i - 1)}};
      const bool above = step.even[0] != 0 || step.odd[0] != 0;
      const bool below = step.even[1] != 0 || step.odd[1] != 0;
      if (above || below) (!below ? term.first : !above ? term.second : term.both).push_back(step);
    }
  }
  return term;
}

void add_grid(const Taps& t, ConvInt16Plan& result) {
  const int size = t.width;
  if (t.height != size || size % 2 == 0 || size < 3 || size > ConvInt16Plan::largest) return;
  result.size = size;
  std::vector<double> last;
  for (int j = 0; j < size; ++j) {
    const double* row = &t.dense[static_cast<std::size_t>(j * size)];
    for (int k = 0; k < size / 2; ++k)
      result.grid[TapPairs::pair_at(size, j, k)] = pair_at(row, size, 2 * k);
    last.push_back(row[size - 1]);
  }
  for (int r = 0; r < ConvInt16Plan::rows; ++r)
    for (int k = 0; k <= size / 2; ++k)
      result.grid[TapPairs::woven_at(size, r, k)] = pair_at(last.data(), size, 2 * k - r);
}

Term two_passes(const Taps& t, const Reach& reach, int code_offset) {
  Term term;
  // The offset of intermediates that need the 16th bit.
  const std::int64_t offset =
      t.row_min < -32768 || t.row_max > 32767 ? t.row_min + 32768 : std::int64_t{0};
  term.row_shift = t.row_shift;
  term.row_start = start_of(code_offset, t.row, (1 << t.row_shift >> 1) - (offset << t.row_shift));
  for (int i = 0; i <= t.width; i += 2) {
    const ConvInt16Plan::RowStep step = {i - t.anchor_x, pair_at(t.row.data(), t.width, i),
                                         pair_at(t.row.data(), t.width, i - 1)};
    if (step.even != 0 || step.odd != 0) term.row_steps.push_back(step);
  }

  term.start = start_of(offset, t.column);
  const int top = reach.above - t.anchor_y;
  const int bottom = reach.above + reach.below + ConvInt16Plan::rows - 1;  // the window's last row
  for (int j = 0; j <= t.height; ++j) {
    const double* taps = t.column.data();
    if (tap_at(taps, t.height, j) == 0 && tap_at(taps, t.height, j - 1) == 0) continue;
    term.column_steps.push_back({top + j,
                                 std::min(top + j + 1, bottom),
                                 {pair_at(taps, t.height, j), pair_at(taps, t.height, j - 1)}});
    ++j;
  }
  return term;
}

}  // namespace

bool fit_16_bits(const std::vector<double>& taps) {
  return std::ranges::all_of(taps, [](double tap) { return std::abs(tap) <= 32767; });
}

double ConvInt16Plan::Term::cost() const {
  // A step loads once and multiplies twice for each output row it serves; a column step weaves
  // two lines first. The line between the passes is packed, stored and loaded.
  const auto count = [](const auto& steps) { return static_cast<double>(steps.size()); };
  const double dense = (3 * count(first) + 3 * count(second) + 5 * count(both)) / rows;
  const double passes = 3 * count(row_steps) + 10 * count(column_steps) / rows;
  return two_passes() ? passes + 6 : dense;
}

int ConvInt16Plan::passes() const {
  return static_cast<int>(std::ranges::count_if(terms, &Term::two_passes));
}

// Whether codes are sums shifted down (ConvInt16Plan::shifts), for one kernel.
bool shifts(const Plan& plan, const ConvInt16Plan& made) {
  const Finish& f = plan.finish;
  if (made.terms.size() != 1 || made.terms[0].two_passes() || !f.divides_by_power_of_two())
    return false;
  double largest = std::abs(f.offset) + 32768.0 * f.divisor;
  for (double tap : plan.terms[0].dense) largest += std::abs(tap) * plan.sample.max();
  return largest < 0x1p31;
}

std::optional<ConvInt16Plan> make_int16_plan(const Plan& plan) {
  if (plan.arith != Arith::int32) return std::nullopt;
  ConvInt16Plan result;
  result.finish = plan.finish;
  result.division = find_division16(plan.finish);
  result.shift = plan.sample.shift;
  result.code_offset = plan.sample.max() > 32767 ? 32768 : 0;
  const Reach reach = reach_of(plan);
  std::size_t kernel = 0;  // its first term's number
  for (const Taps& t : plan.terms) {
    const bool dense = !t.dense.empty() && fit_16_bits(t.dense);
    const bool separable = t.separable() && fit_16_bits(t.row) && fit_16_bits(t.column) &&
                           t.row_max - t.row_min <= 65535 && t.row_shift <= 16;
    if (!dense && !separable) return std::nullopt;
    std::optional<Term> term;
    if (dense) term = one_pass(t, reach, result.code_offset);
    // Two passes in 32-bit lanes cost about this, and are left to another variant.
    if (t.separable() && !separable && term->cost() > 8 * (t.width + t.height)) return std::nullopt;
    if (separable) {
      Term passes = two_passes(t, reach, result.code_offset);
      if (!term || passes.cost() < term->cost()) term = std::move(passes);
    }
    term->joins = t.joins;
    if (t.joins) {
      result.terms.back().last = false;
      add(result.terms[kernel].start, term->start);
    } else {
      kernel = result.terms.size();
    }
    result.terms.push_back(*std::move(term));
  }
  if (result.terms.size() == 1 && !result.terms[0].two_passes()) add_grid(plan.terms[0], result);
  result.plain = plan.finish.combine == Combine::linear && !plan.finish.absolute;
  if (result.plain) add(result.terms[0].start, plan.finish.offset);
  result.shifts = result.plain && plan.sample.storage == Storage::u16 && shifts(plan, result);
  return result;
}

}  // namespace vidconv
