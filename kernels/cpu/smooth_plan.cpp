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
  const auto division = find_division16(f);
  // What the limit lets pass fits 16 bits, as find_division16() has seen to.
  if (!division || f.offset < 0 || f.min != 0 || highest > f.limit) return std::nullopt;
  return SmoothPlan{size, weighted, static_cast<std::uint16_t>(f.offset), *division,
                    plan.sample.shift};
}

}  // namespace vidconv
