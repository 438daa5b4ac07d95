#include "kernels/rational.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vidconv {
namespace {

constexpr std::int64_t max_divisor = std::int64_t{1} << 24;
constexpr double max_numerator = 0x1p52;

bool is_integer(double value) {
  return std::abs(value - std::round(value)) <= std::max(1e-12, 1e-15 * std::abs(value));
}

// The smallest d <= max_divisor with d * value an integer: the convergents of its continued
// fraction, whose denominators are the best ones of their size.
std::optional<std::int64_t> denominator(double value) {
  double rest = std::abs(value);
  std::int64_t previous = 0, current = 1;
  while (!is_integer(value * static_cast<double>(current))) {
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

std::size_t largest(std::span<const double> values) {
  const auto it = std::ranges::max_element(values, {}, [](double v) { return std::abs(v); });
  return static_cast<std::size_t>(it - values.begin());
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
    if (std::abs(numerator) > max_numerator) return std::nullopt;
    result.numerators.push_back(static_cast<std::int64_t>(numerator));
    common = std::gcd(common, result.numerators.back());
  }
  for (std::int64_t& numerator : result.numerators) numerator /= common;
  result.divisor /= common;
  return result;
}

std::optional<Factors<std::int64_t>> factor_exactly(std::span<const std::int64_t> matrix, int width,
                                                    int height) {
  const auto w = static_cast<std::size_t>(width), h = static_cast<std::size_t>(height);
  const auto pivot = std::ranges::find_if(matrix, [](std::int64_t v) { return v != 0; });
  if (pivot == matrix.end()) return std::nullopt;
  const std::size_t at = static_cast<std::size_t>(pivot - matrix.begin());

  Factors<std::int64_t> f;
  const auto pivot_row = matrix.subspan(at / w * w, w);
  std::int64_t divisor = 0;
  for (std::int64_t v : pivot_row) divisor = std::gcd(divisor, v);
  for (std::int64_t v : pivot_row) f.row.push_back(v / divisor);
  // A row of integers that is a multiple of a primitive integer row is an integer multiple of it.
  for (std::size_t j = 0; j < h; ++j) f.column.push_back(matrix[j * w + at % w] / f.row[at % w]);

  // By division: the product of two factors that do not match can be too large for an integer.
  for (std::size_t j = 0; j < h; ++j)
    for (std::size_t i = 0; i < w; ++i) {
      const std::int64_t value = matrix[j * w + i], row = f.row[i], column = f.column[j];
      if (row == 0 ? value != 0 : value % row != 0 || value / row != column) return std::nullopt;
    }
  return f;
}

std::optional<Factors<double>> factor(std::span<const double> matrix, int width, int height) {
  const auto w = static_cast<std::size_t>(width), h = static_cast<std::size_t>(height);
  const std::size_t at = largest(matrix);
  const double pivot = matrix[at];
  if (pivot == 0) return std::nullopt;

  Factors<double> f;
  for (std::size_t i = 0; i < w; ++i) f.row.push_back(matrix[at / w * w + i]);
  double total = 0;
  for (double v : f.row) total += std::abs(v);
  for (double& v : f.row) v /= total;
  for (std::size_t j = 0; j < h; ++j) f.column.push_back(matrix[j * w + at % w] / pivot * total);

  for (std::size_t j = 0; j < h; ++j)
    for (std::size_t i = 0; i < w; ++i)
      if (std::abs(matrix[j * w + i] - f.column[j] * f.row[i]) > 1e-9 * std::abs(pivot))
        return std::nullopt;
  return f;
}

}  // namespace vidconv
