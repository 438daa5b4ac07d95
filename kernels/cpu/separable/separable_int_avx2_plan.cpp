#include "kernels/cpu/separable/separable_int_avx2_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "kernels/convolver/window.h"
#include "kernels/cpu/dense/conv_int16_plan.h"

namespace vidconv {
namespace {

// Returns taps `i` and `j`; 0 beyond the ends.
SeparableIntPlan::TapPair two_taps(const std::vector<double>& taps, int i, int j) {
  const auto half = [&](int at) {
    const bool there = at >= 0 && at < static_cast<int>(taps.size());
    const double tap = there ? taps[static_cast<std::size_t>(at)] : 0;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(tap)) & 0xFFFF;
  };
  return static_cast<SeparableIntPlan::TapPair>(half(i) | half(j) << 16);
}

// Returns the value modulo 2^32.
std::int32_t wrapped32(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

void add_row_steps(const Taps& t, std::int64_t offset, SeparableIntPlan& result) {
  const int middle = t.width / 2;  // there are as many taps on both sides
  result.centre_alone = middle % 2 == 0;
  result.centre = two_taps(t.row, middle, result.centre_alone ? -1 : middle + 1);
  for (int i = result.centre_alone ? 1 : 2; i <= middle; i += 2)
    result.row_steps.push_back(
        {i, std::min(i + 1, middle), two_taps(t.row, middle + i, middle + i + 1)});
  result.to_centre = middle - t.anchor_x;
  result.row_shift = t.row_shift;
  result.row_start = wrapped32((1 << t.row_shift >> 1) - offset * (std::int64_t{1} << t.row_shift));
}

void add_column_steps(const Taps& t, const Reach& reach, SeparableIntPlan& result) {
  constexpr int rows = SeparableIntPlan::rows;
  const int top = reach.above - t.anchor_y, lines = t.height + rows - 1;
  for (int line = 0; line < lines; line += 2) {
    SeparableIntPlan::ColumnStep step{top + line, top + std::min(line + 1, lines - 1), {}};
    for (int r = 0; r < rows; ++r) step.taps[r] = two_taps(t.column, line - r, line + 1 - r);
    (line == 0 ? result.first : line > t.height ? result.last : result.all).push_back(step);
  }
}

// Adds the sample's own tap to the start of columns. Returns false where the kernel is no such tap.
bool add_own(const Taps& t, const Plan& plan, SeparableIntPlan& result) {
  if (!t.joins || !t.separable() || !t.dense.empty() || t.width != 1 || t.height != 1 ||
      !fit_16_bits(t.column) || t.column[0] == 0)
    return false;
  const auto gain = static_cast<std::uint32_t>(std::max(t.row[0], 0.)) >> t.row_shift;
  if (!std::has_single_bit(gain) || std::ldexp(gain, t.row_shift) != t.row[0] ||
      gain * static_cast<std::uint32_t>(plan.sample.max()) > 65535)
    return false;
  result.own_tap = two_taps(t.column, 0, -1);
  result.own_shift = std::countr_zero(gain);
  result.own_row = reach_of(plan).above;
  result.start = wrapped32(result.start + std::int64_t{32768} * static_cast<int>(t.column[0]));
  return true;
}

}  // namespace

std::optional<SeparableIntPlan> make_passes_plan(const Plan& plan) {
  const Finish& f = plan.finish;
  if (plan.arith != Arith::int32 || f.combine != Combine::linear || f.absolute ||
      plan.terms.size() > 2 || !f.divides_by_power_of_two() || plan.sample.depth > 14)
    return std::nullopt;
  const Taps& t = plan.terms[0];
  if (!t.separable() || !t.dense.empty() || t.width % 2 == 0 || t.width < 3 || t.height < 3 ||
      !std::equal(t.row.begin(), t.row.end(), t.row.rbegin()) || !fit_16_bits(t.row) ||
      !fit_16_bits(t.column) || t.row_max - t.row_min > 65535)
    return std::nullopt;
  const std::int64_t offset =
      t.row_min < -32768 || t.row_max > 32767 ? t.row_min + 32768 : std::int64_t{0};
  SeparableIntPlan result;
  add_row_steps(t, offset, result);
  add_column_steps(t, reach_of(plan), result);
  const auto sum =
      static_cast<std::int64_t>(std::accumulate(t.column.begin(), t.column.end(), 0.0));
  result.start = wrapped32(offset * sum + f.offset);
  if (plan.terms.size() == 2 && !add_own(plan.terms[1], plan, result)) return std::nullopt;
  result.log2 = f.log2;
  result.min = f.min;
  result.max = f.max;
  result.shift = plan.sample.shift;
  return result;
}

}  // namespace vidconv
