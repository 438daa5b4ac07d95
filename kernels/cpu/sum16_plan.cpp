#include "kernels/cpu/sum16_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "kernels/cpu/int16_plan.h"

namespace vidconv {

Sum16Plan::Groups group_taps(const std::vector<double>& taps, int width, Sum16Plan::Place first) {
  Sum16Plan::Groups groups;
  for (int k = 0; k < static_cast<int>(taps.size()); ++k) {
    const double tap = taps[static_cast<std::size_t>(k)];
    if (tap == 0) continue;
    const auto size = static_cast<std::int16_t>(std::abs(tap));
    auto it = std::ranges::find(groups, size, &Sum16Plan::Group::tap);
    if (it == groups.end()) it = groups.insert(it, {size, {}, {}});
    (tap > 0 ? it->plus : it->minus).push_back({first.row + k / width, first.column + k % width});
  }
  return groups;
}

// A sample beside the output's column costs two, because its load is not
// aligned; a group costs a multiplication and an addition.
int cost_of(const Sum16Plan::Groups& groups) {
  int sum = 0;
  for (const Sum16Plan::Group& g : groups) {
    sum += 2;
    for (const auto* places : {&g.plus, &g.minus})
      for (const Sum16Plan::Place& place : *places) sum += place.column == 0 ? 1 : 2;
  }
  return sum;
}

namespace {

// From here on 16-bit multiply-adds of pairs are faster: their loads serve two rows.
constexpr int max_cost = 50;

}  // namespace

std::optional<Sum16Plan> make_sum16_plan(const Plan& plan) {
  const Finish& f = plan.finish;
  const bool one_term = f.combine == Combine::linear && plan.terms.size() == 1;
  const auto division = plan.arith == Arith::int32 && one_term ? find_division16(f) : std::nullopt;
  if (!division) return std::nullopt;
  const Taps& t = plan.terms[0];
  const bool separable =
      t.separable() && t.row_shift == 0 && fit_16_bits(t.row) && fit_16_bits(t.column);
  if (!separable && (t.dense.empty() || !fit_16_bits(t.dense))) return std::nullopt;

  Sum16Plan result;
  result.shift = plan.sample.shift;
  result.division = *division;
  result.lowest = static_cast<std::uint16_t>(f.lowest);
  result.limit = static_cast<std::uint16_t>(f.limit);
  if (!t.dense.empty()) result.taps = group_taps(t.dense, t.width, {0, -t.anchor_x});
  if (separable) {
    Sum16Plan::Groups row = group_taps(t.row, t.width, {0, -t.anchor_x});
    Sum16Plan::Groups column = group_taps(t.column, 1, {0, 0});
    // The line between is stored once.
    if (t.dense.empty() || cost_of(row) + cost_of(column) + 2 < cost_of(result.taps)) {
      result.row = std::move(row);
      result.taps = std::move(column);
    }
  }

  if (cost_of(result.row) + cost_of(result.taps) > max_cost) return std::nullopt;

  // The range of the numerator before its clamp.
  double lowest = f.offset, highest = f.offset;
  const auto reach = [&](double tap) { (tap < 0 ? lowest : highest) += tap * plan.sample.max(); };
  if (!t.dense.empty()) {
    for (double tap : t.dense) reach(tap);
  } else {
    for (double c : t.column)
      for (double r : t.row) reach(c * r);
  }
  result.start = static_cast<std::uint16_t>(static_cast<unsigned>(f.offset));
  if (f.absolute) {
    if (lowest < -32767 || highest > 32767 || f.half > 32767) return std::nullopt;
    result.absolute = true;
    result.half = static_cast<std::uint16_t>(f.half);
  } else {
    lowest = std::min(lowest, 0.0);
    if (highest - lowest > 65535) return std::nullopt;
    result.below_zero = static_cast<std::uint16_t>(-lowest);
    result.start = static_cast<std::uint16_t>(result.start + result.below_zero);
  }
  return result;
}

}  // namespace vidconv
