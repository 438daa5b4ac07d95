#include "kernels/cpu/smooth_plan.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace vidconv {
namespace {

// 1 2 1 or 1 4 6 4 1 in both directions.
std::vector<double> binomial(int size) {
  const std::vector<double> taps =
      size == 3 ? std::vector<double>{1, 2, 1} : std::vector<double>{1, 4, 6, 4, 1};
  std::vector<double> result;
  for (double down : taps)
    for (double across : taps) result.push_back(down * across);
  return result;
}

}  // namespace

std::optional<SmoothPlan> make_smooth_plan(const Plan& plan) {
  const Finish& f = plan.finish;
  if (plan.arith != Arith::int32 || f.combine != Combine::linear || f.absolute ||
      plan.terms.size() != 1)
    return std::nullopt;
  const Taps& t = plan.terms[0];
  const int size = t.width;
  if (size % 2 == 0 || size < 3 || size > 7 || t.height != size || t.anchor_x != size / 2 ||
      t.anchor_y != size / 2)
    return std::nullopt;
  const bool weighted = t.dense == binomial(size);
  if (!weighted && std::ranges::count(t.dense, 1.0) != size * size) return std::nullopt;
  const double sum = std::accumulate(t.dense.begin(), t.dense.end(), 0.0);
  const double highest = sum * plan.sample.max() + f.offset;
  // What the limit lets pass fits 16 bits where there is such a division.
  if (f.offset < 0 || f.min != 0 || f.max != plan.sample.max() || highest > f.limit)
    return std::nullopt;
  const auto division = find_division16(f);
  // Running sums are faster than 7x7 of 32 bits.
  if (!division && (plan.sample.storage == Storage::u8 || size > 5)) return std::nullopt;
  return SmoothPlan{
      size, weighted, f.offset, division, f, find_inverse(f, plan.sample.max()), plan.sample.shift};
}

}  // namespace vidconv
