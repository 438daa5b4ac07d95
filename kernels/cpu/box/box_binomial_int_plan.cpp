#include "kernels/cpu/box/box_binomial_int_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace vidconv {
namespace {

// The taps 1 2 1 or 1 4 6 4 1 in both directions.
std::vector<double> binomial(int size) {
  const std::vector<double> taps =
      size == 3 ? std::vector<double>{1, 2, 1} : std::vector<double>{1, 4, 6, 4, 1};
  std::vector<double> result;
  for (double down : taps)
    for (double across : taps) result.push_back(down * across);
  return result;
}

// Divides sums from 0 to `highest` less the offset; by odd divisors alone, which put nothing
// halfway between two codes.
RoundedQuotient round_quotient(const Finish& f, double highest) {
  const auto divisor = static_cast<std::int32_t>(f.divisor);
  if (divisor % 2 == 0 || divisor < 3) return {};
  // Rounded down: floor(n / divisor) is (n - half) / divisor to the nearest. A whole number of
  // divisors is added, so that what is taken off again is whole.
  constexpr std::int32_t least = 1 << 23;
  const std::int32_t half = divisor / 2, codes = (least + half) / divisor + 1;
  const std::int32_t first = codes * divisor - half;  // the value for an n of 0
  if (first + highest >= 2 * least) return {};
  const auto inverse = static_cast<float>(1.0 / divisor);
  // The factor is off by no more than this, and has to be by less than half a code's distance from
  // the next sum's.
  const double off = (first + highest) * std::abs(inverse - 1.0 / divisor);
  if (off > 0.49 / divisor) return {};
  return {inverse, static_cast<float>(least - codes),
          std::bit_cast<std::int32_t>(float{least}) - least + first + f.offset};
}

}  // namespace

std::optional<BoxBinomialPlan> make_smooth_plan(const Plan& plan) {
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
  // Sums within the limit fit 16 bits where there is such a division.
  if (f.offset < 0 || f.min != 0 || f.max != plan.sample.max() || highest > f.limit)
    return std::nullopt;
  const auto division = find_division16(f);
  // Running sums are faster than 7x7 of 32 bits.
  if (!division && (plan.sample.storage == Storage::u8 || size > 5)) return std::nullopt;
  return BoxBinomialPlan{
      size, weighted, f.offset, division, f, round_quotient(f, highest), plan.sample.shift};
}

}  // namespace vidconv
