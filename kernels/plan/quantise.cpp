#include "kernels/plan/quantise.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

// Returns nothing where a numerator does not fit 16 bits.
std::optional<Quantised> quantise_to_16_bits(std::span<const double> taps, std::size_t residual,
                                             int bits) {
  // It is tested as a real number first, which may be far too large for any integer.
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
    auto q = quantise_to_16_bits(taps, residual, bits);
    if (!q) continue;
    const double largest_sum =
        static_cast<double>(extent(q->numerators).total()) * max + std::ldexp(headroom, bits);
    if (largest_sum < std::ldexp(1.0, sum_bits)) return q;
  }
  return std::nullopt;
}

std::optional<QuantisedPasses> quantise_short_blur(const Product& product, int max,
                                                   double headroom) {
  constexpr int bits = 15;
  const int intermediate_bits = max == 255 ? 6 : 4;
  if (product.width() != 3 || product.height() != 3 || max > 1023 ||
      std::ldexp(max + headroom, intermediate_bits + bits) >= 0x1p31)
    return std::nullopt;
  QuantisedPasses::Pass pass;
  for (auto [taps, quantised] :
       {std::pair(&product.row, &pass.row), std::pair(&product.column, &pass.column)}) {
    if (std::ranges::any_of(*taps, [](double tap) { return tap < 0 || tap > 1; }))
      return std::nullopt;
    *quantised = quantise(*taps, 1, bits);
    const std::vector<std::int64_t>& n = quantised->numerators;
    if (n[0] != n[2] || n[0] >= 1 << 14 || 2 * n[0] + n[1] != 1 << bits) return std::nullopt;
  }
  pass.row_shift = bits - intermediate_bits;
  const double error =
      max * (pass.row.error + pass.column.error) + std::ldexp(0.5, -intermediate_bits);
  return QuantisedPasses{{std::move(pass)}, intermediate_bits, bits, error};
}

std::optional<QuantisedPasses> quantise_passes(std::span<const Product> products, int max,
                                               double headroom, int row_sum_bits) {
  // Looks for the finest intermediate whose whole range fits 16 bits; one is added for the
  // rounding.
  QuantisedPasses p;
  p.intermediate_bits = max_bits;
  for (const Product& product : products) {
    const auto residual = static_cast<std::size_t>(product.anchor_x);
    const auto row = quantise_dense(product.row, residual, max, 1, row_sum_bits);
    if (!row) return std::nullopt;
    const std::int64_t range = extent(row->numerators).total() * max;
    int shift = 0;
    while ((range >> shift) + 1 > max_intermediate_range) ++shift;
    p.intermediate_bits = std::min(p.intermediate_bits, row->bits - shift);
    p.list.push_back({*row, {}, 0});
  }
  if (p.intermediate_bits < 0) return std::nullopt;
  for (auto& pass : p.list) pass.row_shift = pass.row.bits - p.intermediate_bits;

  for (p.column_bits = std::min(max_bits - p.intermediate_bits, 15);; --p.column_bits) {
    if (p.column_bits < 0) return std::nullopt;
    // The sum over all column passes of intermediates whose codes are 2^intermediate_bits units.
    double sum = std::ldexp(headroom, p.column_bits + p.intermediate_bits);
    for (std::size_t k = 0; k < products.size(); ++k) {
      const auto residual = static_cast<std::size_t>(products[k].anchor_y);
      const auto column = quantise_to_16_bits(products[k].column, residual, p.column_bits);
      if (!column) {
        sum = HUGE_VAL;
        break;
      }
      p.list[k].column = *column;
      const std::int64_t largest =
          (extent(p.list[k].row.numerators).total() * max >> p.list[k].row_shift) + 1;
      sum += static_cast<double>(extent(column->numerators).total()) * static_cast<double>(largest);
    }
    if (sum < 0x1p31) break;
  }

  for (std::size_t k = 0; k < products.size(); ++k) {
    const auto& [row, column, shift] = p.list[k];
    const double column_sum = abs_sum(products[k].column);
    p.error += max * (row.error * column_sum + column.error);
    const std::int64_t units = std::int64_t{1} << shift;
    if (std::ranges::any_of(row.numerators, [&](std::int64_t n) { return n % units != 0; }))
      p.error += std::ldexp(0.5, -p.intermediate_bits) * column_sum;
  }
  return p;
}

}  // namespace vidconv
