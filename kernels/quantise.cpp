#include "kernels/quantise.h"

#include <algorithm>
#include <cmath>

namespace vidconv {
namespace {

constexpr std::int64_t max_numerator = 32767;  // so that 16-bit multipliers can be used
constexpr int max_bits = 30;
constexpr std::int64_t max_intermediate_range = 65535;

double abs_sum(std::span<const double> values) {
  double total = 0;
  for (double v : values) total += std::abs(v);
  return total;
}

}  // namespace

Quantised quantise(std::span<const double> taps, std::size_t residual, int bits) {
  Quantised q{.numerators = {}, .bits = bits, .error = 0};
  const double unit = std::ldexp(1.0, bits);
  double sum = 0;
  std::int64_t rounded_sum = 0;
  for (double tap : taps) {
    q.numerators.push_back(std::llround(tap * unit));
    sum += tap;
    rounded_sum += q.numerators.back();
  }
  q.numerators[residual] += std::llround(sum * unit) - rounded_sum;
  for (std::size_t i = 0; i < taps.size(); ++i)
    q.error += std::abs(taps[i] - static_cast<double>(q.numerators[i]) / unit);
  return q;
}

// None where a numerator does not fit 16 bits.
std::optional<Quantised> quantise_to_16_bits(std::span<const double> taps, std::size_t residual,
                                             int bits) {
  // First as a real number: it may be far too large for any integer.
  for (double tap : taps)
    if (std::ldexp(std::abs(tap), bits) > max_numerator + 1) return std::nullopt;
  Quantised q = quantise(taps, residual, bits);
  for (std::int64_t n : q.numerators)
    if (std::abs(n) > max_numerator) return std::nullopt;
  return q;
}

Extent extent(std::span<const std::int64_t> numerators) {
  Extent e;
  for (std::int64_t n : numerators) (n > 0 ? e.positive : e.negative) += n;
  return e;
}

std::optional<Quantised> quantise_dense(std::span<const double> taps, std::size_t residual, int max,
                                        double headroom, int sum_bits) {
  for (int bits = max_bits; bits >= 0; --bits) {
    const auto q = quantise_to_16_bits(taps, residual, bits);
    if (!q) continue;
    const double largest_sum =
        static_cast<double>(extent(q->numerators).total()) * max + std::ldexp(headroom, bits);
    if (largest_sum < std::ldexp(1.0, sum_bits)) return q;
  }
  return std::nullopt;
}

std::optional<QuantisedPasses> quantise_passes(const Factors<double>& factors,
                                               std::size_t row_residual,
                                               std::size_t column_residual, int max,
                                               double headroom, int row_sum_bits) {
  QuantisedPasses p;
  const auto row = quantise_dense(factors.row, row_residual, max, 1, row_sum_bits);
  if (!row) return std::nullopt;
  p.row = *row;

  // The finest intermediate whose whole range fits 16 bits; one is added for the rounding.
  const std::int64_t range = extent(p.row.numerators).total() * max;
  while ((range >> p.row_shift) + 1 > max_intermediate_range) ++p.row_shift;
  p.intermediate_bits = p.row.bits - p.row_shift;
  if (p.intermediate_bits < 0) return std::nullopt;

  // The column pass sums intermediates, whose codes are 2^intermediate_bits units.
  const double largest = std::ldexp(max, p.intermediate_bits) + 1;
  for (int bits = std::min(max_bits - p.intermediate_bits, 15);; --bits) {
    if (bits < 0) return std::nullopt;
    const auto column = quantise_to_16_bits(factors.column, column_residual, bits);
    if (!column) continue;
    p.column = *column;
    const double sum = static_cast<double>(extent(p.column.numerators).total()) * largest +
                       std::ldexp(headroom, bits + p.intermediate_bits);
    if (sum < 0x1p31) break;
  }
  const double rounding = p.row_shift > 0 ? std::ldexp(0.5, -p.intermediate_bits) : 0;
  const double column_sum = abs_sum(factors.column);
  p.error = max * (p.row.error * column_sum + p.column.error) + rounding * column_sum;
  return p;
}

}  // namespace vidconv
