#include "kernels/plan/factor.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace vidconv {
namespace {

constexpr int max_products = 4;
constexpr double max_cancellation = 4;
constexpr double max_integer = 0x1p52;

template <class T>
double size_of(const T& values) {
  double sum = 0;
  for (auto v : values) sum += std::abs(static_cast<double>(v));
  return sum;
}

template <class T>
std::size_t largest(std::span<const T> values) {
  const auto it = std::ranges::max_element(values, {}, [](T v) { return std::abs(v); });
  return static_cast<std::size_t>(it - values.begin());
}

using Integers = std::vector<std::int64_t>;

std::size_t first_tap(const Integers& row) {
  return static_cast<std::size_t>(std::ranges::find_if(row, [](std::int64_t v) { return v != 0; }) -
                                  row.begin());
}

// Does row -= times * other; returns false where that needs too many bits.
bool subtract(Integers& row, std::int64_t times, const Integers& other) {
  const double reach = std::abs(static_cast<double>(other[largest<std::int64_t>(other)]));
  if (std::abs(static_cast<double>(times)) * reach >= max_integer) return false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] -= times * other[i];
    if (std::abs(static_cast<double>(row[i])) >= max_integer) return false;
  }
  return true;
}

// Returns rows in echelon form whose integer multiples make every row of the matrix, by Euclid's
// algorithm in each leading column. Empty as in factor_exactly().
std::vector<Integers> row_basis(std::span<const std::int64_t> matrix, std::size_t width,
                                std::size_t max_rank) {
  std::vector<Integers> basis;
  for (std::size_t at = 0; at < matrix.size(); at += width) {
    const auto from = matrix.subspan(at, width);
    Integers row(from.begin(), from.end());
    auto next = basis.begin();
    for (; next != basis.end(); ++next) {
      const std::size_t lead = first_tap(*next);
      if (first_tap(row) < lead) break;
      while (row[lead] != 0) {
        if (!subtract(row, row[lead] / (*next)[lead], *next)) return {};
        if (row[lead] != 0) std::swap(row, *next);
      }
    }
    if (first_tap(row) != width) basis.insert(next, std::move(row));
    if (basis.size() > max_rank) return {};
    // This is Hermite's form, which keeps the integers small.
    for (auto lower = basis.begin(); lower != basis.end(); ++lower) {
      const std::size_t lead = first_tap(*lower);
      for (auto upper = basis.begin(); upper != lower; ++upper)
        if (!subtract(*upper, (*upper)[lead] / (*lower)[lead], *lower)) return {};
    }
  }
  return basis;
}

// Returns the value that the largest tap would have if the kernel were a product, seen from the
// largest tap that shares neither its row nor its column; nothing where all those are zero.
template <class T>
std::optional<double> without_peak(std::span<const T> matrix, std::size_t width, std::size_t peak) {
  std::size_t seen = peak;
  for (std::size_t at = 0; at < matrix.size(); ++at)
    if (at / width != peak / width && at % width != peak % width &&
        (seen == peak || std::abs(matrix[at]) > std::abs(matrix[seen])))
      seen = at;
  if (seen == peak || matrix[seen] == 0) return std::nullopt;
  return static_cast<double>(matrix[peak / width * width + seen % width]) *
         static_cast<double>(matrix[seen / width * width + peak % width]) /
         static_cast<double>(matrix[seen]);
}

// Leaves out the zeros on both sides of `taps`, as far as the anchor.
void trim(std::vector<double>& taps, int& anchor) {
  const auto is_tap = [](double tap) { return tap != 0; };
  const auto last = std::find_if(taps.rbegin(), taps.rend(), is_tap).base();
  taps.erase(std::max(last, taps.begin() + anchor + 1), taps.end());
  const auto first = std::min(std::ranges::find_if(taps, is_tap), taps.begin() + anchor);
  anchor -= static_cast<int>(first - taps.begin());
  taps.erase(taps.begin(), first);
}

template <class T>
Product product_of(const Factors<T>& f, const Kernel& shape) {
  return {{f.row.begin(), f.row.end()},
          {f.column.begin(), f.column.end()},
          shape.anchor_x(),
          shape.anchor_y()};
}

template <class T>
Products trimmed(std::span<const Factors<T>> factors, const Kernel& shape) {
  Products products;
  for (const Factors<T>& f : factors) {
    products.list.push_back(product_of(f, shape));
    Product& p = products.list.back();
    trim(p.row, p.anchor_x);
    trim(p.column, p.anchor_y);
  }
  return products;
}

// `factors_of` is factor or factor_exactly.
template <class T, class FactorsOf>
Products find(std::span<const T> matrix, const Kernel& shape, const FactorsOf& factors_of,
              bool floats) {
  const int width = shape.width(), height = shape.height();
  std::vector<Factors<T>> factors = factors_of(matrix, width, height, 1);
  if (!factors.empty()) return {{product_of(factors[0], shape)}, 0};
  const std::size_t peak = largest(matrix);
  if (const auto rest = without_peak(matrix, static_cast<std::size_t>(width), peak);
      rest && std::abs(*rest) < max_integer) {
    std::vector<T> flat(matrix.begin(), matrix.end());
    flat[peak] = static_cast<T>(std::is_same_v<T, double> ? *rest : std::round(*rest));
    factors = factors_of(flat, width, height, 1);
    if (!factors.empty()) {
      Factors<T> tap{std::vector<T>(static_cast<std::size_t>(width)),
                     std::vector<T>(static_cast<std::size_t>(height))};
      tap.row[peak % static_cast<std::size_t>(width)] = 1;
      tap.column[peak / static_cast<std::size_t>(width)] = matrix[peak] - flat[peak];
      factors.push_back(std::move(tap));
    }
  }
  if (factors.empty()) factors = factors_of(matrix, width, height, max_products);
  Products products = trimmed<T>(factors, shape);
  if (products.cost(floats) >= width * height ||
      products.abs_sum() > max_cancellation * size_of(matrix))
    return {};
  return products;
}

double error_of(const Products& products, const Kernel& kernel) {
  std::vector<double> rest(kernel.taps().begin(), kernel.taps().end());
  for (const Product& p : products.list) {
    const int left = kernel.anchor_x() - p.anchor_x, top = kernel.anchor_y() - p.anchor_y;
    for (int j = 0; j < p.height(); ++j)
      for (int i = 0; i < p.width(); ++i)
        rest[static_cast<std::size_t>((top + j) * kernel.width() + left + i)] -=
            p.column[static_cast<std::size_t>(j)] * p.row[static_cast<std::size_t>(i)];
  }
  return size_of(rest);
}

}  // namespace

std::vector<Factors<std::int64_t>> factor_exactly(std::span<const std::int64_t> matrix, int width,
                                                  int height, int max_rank) {
  const auto w = static_cast<std::size_t>(width), h = static_cast<std::size_t>(height);
  std::vector<Factors<std::int64_t>> factors;
  for (Integers& row : row_basis(matrix, w, static_cast<std::size_t>(max_rank)))
    factors.push_back({std::move(row), {}});
  for (std::size_t j = 0; j < h; ++j) {
    Integers rest(matrix.begin() + static_cast<std::ptrdiff_t>(j * w),
                  matrix.begin() + static_cast<std::ptrdiff_t>((j + 1) * w));
    for (auto& [row, column] : factors) {
      const std::size_t lead = first_tap(row);
      column.push_back(rest[lead] / row[lead]);
      if (!subtract(rest, column.back(), row)) return {};
    }
  }
  for (auto& [row, column] : factors) {
    std::int64_t common = 0;
    for (std::int64_t v : row) common = std::gcd(common, v);
    for (std::int64_t& v : row) v /= common;
    for (std::int64_t& v : column) v *= common;
  }
  return factors;
}

std::vector<Factors<double>> factor(std::span<const double> matrix, int width, int height,
                                    int max_rank) {
  const auto w = static_cast<std::size_t>(width), h = static_cast<std::size_t>(height);
  std::vector<Factors<double>> factors;
  std::vector<double> rest(matrix.begin(), matrix.end());
  const double tolerance = 1e-9 * std::abs(rest[largest<double>(rest)]);
  // Eliminates as Gauss did, always with the largest tap that is left.
  for (;;) {
    const std::size_t at = largest<double>(rest);
    const double pivot = rest[at];
    if (std::abs(pivot) <= tolerance) return factors;
    if (factors.size() == static_cast<std::size_t>(max_rank)) return {};

    Factors<double> f;
    for (std::size_t i = 0; i < w; ++i) f.row.push_back(rest[at / w * w + i]);
    const double total = size_of(f.row);
    for (double& v : f.row) v /= total;
    for (std::size_t j = 0; j < h; ++j) f.column.push_back(rest[j * w + at % w] / pivot * total);
    for (std::size_t j = 0; j < h; ++j)
      for (std::size_t i = 0; i < w; ++i) rest[j * w + i] -= f.column[j] * f.row[i];
    factors.push_back(std::move(f));
  }
}

double Product::abs_sum() const { return size_of(row) * size_of(column); }

double Products::abs_sum() const {
  double sum = 0;
  for (const Product& p : list) sum += p.abs_sum();
  return sum;
}

double Products::cost(bool floats) const {
  // The line between the passes costs about three taps; the rest is for steps that are shorter. One
  // tap has no such line, but over codes it keeps tensor cores from taking the plan.
  double taps = 0;
  for (const Product& p : list)
    taps += floats && p.width() * p.height() == 1 ? 1 : p.width() + p.height() + 3;
  return 1.5 * taps;
}

Products find_products(const Kernel& kernel, bool floats) {
  Products products = find(kernel.taps(), kernel, factor, floats);
  products.error = error_of(products, kernel);
  return products;
}

Products find_exact_products(std::span<const std::int64_t> numerators, const Kernel& shape) {
  return find(numerators, shape, factor_exactly, false);
}

}  // namespace vidconv
