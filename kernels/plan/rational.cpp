#include "kernels/plan/rational.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vidconv {
namespace {

constexpr std::int64_t max_divisor = std::int64_t{1} << 24;
constexpr double largest_numerator = 0x1p52;

// Whether value * d is an integer but for a few roundings. Every number is near some fraction whose
// divisor is large; one that is no closer than that (1 / d^2) is no sign of a divisor.
bool makes_integer(std::int64_t d, double value) {
  const double product = value * static_cast<double>(d);
  const double off = std::abs(product - std::round(product));
  return off <= std::max(1e-12, 1e-15 * std::abs(product)) && off * static_cast<double>(d) < 1e-3;
}

// Returns the smallest d <= max_divisor with d * value an integer: one of the convergents of its
// continued fraction, whose denominators are the best ones of their size.
std::optional<std::int64_t> denominator(double value) {
  double rest = std::abs(value);
  std::int64_t previous = 0, current = 1;
  while (!makes_integer(current, value)) {
    const double fraction = rest - std::floor(rest);
    if (fraction <= 0) return std::nullopt;
    rest = 1 / fraction;
    if (rest > static_cast<double>(max_divisor)) return std::nullopt;
    const std::int64_t next = static_cast<std::int64_t>(rest) * current + previous;
    if (next > max_divisor) return std::nullopt;
    previous = current;
    current = next;
  }
  return current;
}

}  // namespace

std::optional<Rationals> find_rationals(std::span<const double> taps) {
  Rationals result;
  for (double tap : taps) {
    const auto d = denominator(tap * static_cast<double>(result.divisor));
    if (!d || *d > max_divisor / result.divisor) return std::nullopt;
    result.divisor *= *d;
  }
  std::int64_t common = result.divisor;
  for (double tap : taps) {
    const double numerator = std::round(tap * static_cast<double>(result.divisor));
    if (std::abs(numerator) > largest_numerator) return std::nullopt;
    result.numerators.push_back(static_cast<std::int64_t>(numerator));
    common = std::gcd(common, result.numerators.back());
  }
  for (std::int64_t& numerator : result.numerators) numerator /= common;
  result.divisor /= common;
  return result;
}

}  // namespace vidconv
