#include "kernels/filter/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace vidconv {

Kernel::Kernel(int width, int height, std::vector<double> taps)
    : Kernel(width, height, std::move(taps), width / 2, height / 2) {}

Kernel::Kernel(int width, int height, std::vector<double> taps, int anchor_x, int anchor_y)
    : width_(width),
      height_(height),
      anchor_x_(anchor_x),
      anchor_y_(anchor_y),
      taps_(std::move(taps)) {
  if (width < 1 || height < 1 || width > max_size || height > max_size)
    throw std::invalid_argument(fmt::format("a kernel of {}x{} is outside 1x1 to {}x{}", width,
                                            height, max_size, max_size));
  if (taps_.size() != static_cast<std::size_t>(width) * static_cast<std::size_t>(height))
    throw std::invalid_argument(fmt::format("a kernel of {}x{} needs {} taps, not {}", width,
                                            height, static_cast<long>(width) * height,
                                            taps_.size()));
  for (double tap : taps_)
    if (!(std::abs(tap) <= max_tap))  // also when it is not a number
      throw std::invalid_argument(
          fmt::format("a tap of {} is outside -{} to {}", tap, max_tap, max_tap));
  if (anchor_x < 0 || anchor_x >= width || anchor_y < 0 || anchor_y >= height)
    throw std::invalid_argument(fmt::format("the anchor ({}, {}) is outside a kernel of {}x{}",
                                            anchor_x, anchor_y, width, height));
}

Kernel Kernel::product(std::vector<double> column, std::vector<double> row) {
  const int x = static_cast<int>(row.size() / 2), y = static_cast<int>(column.size() / 2);
  return product(std::move(column), std::move(row), x, y);
}

Kernel Kernel::product(std::vector<double> column, std::vector<double> row, int anchor_x,
                       int anchor_y) {
  constexpr std::size_t most = max_pass;
  if (row.empty() || column.empty() || row.size() > most || column.size() > most)
    throw std::invalid_argument(fmt::format("passes of {} and {} taps are outside 1 to {}",
                                            row.size(), column.size(), max_pass));
  Kernel kernel;
  kernel.width_ = static_cast<int>(row.size());
  kernel.height_ = static_cast<int>(column.size());
  if (anchor_x < 0 || anchor_x >= kernel.width_ || anchor_y < 0 || anchor_y >= kernel.height_)
    throw std::invalid_argument(fmt::format("the anchor ({}, {}) is outside a kernel of {}x{}",
                                            anchor_x, anchor_y, kernel.width_, kernel.height_));
  kernel.anchor_x_ = anchor_x;
  kernel.anchor_y_ = anchor_y;
  kernel.row_ = std::move(row);
  kernel.column_ = std::move(column);
  return kernel;
}

namespace {

double sum_of_taps(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}
double abs_sum_of_taps(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [](double total, double tap) { return total + std::abs(tap); });
}

}  // namespace

double Kernel::sum() const {
  return is_product() ? sum_of_taps(row_) * sum_of_taps(column_) : sum_of_taps(taps_);
}

double Kernel::abs_sum() const {
  return is_product() ? abs_sum_of_taps(row_) * abs_sum_of_taps(column_) : abs_sum_of_taps(taps_);
}

Kernel Kernel::scaled(double factor) const {
  if (is_product()) {
    std::vector<double> column = column_;
    for (double& tap : column) tap *= factor;
    return product(std::move(column), row_, anchor_x_, anchor_y_);
  }
  std::vector<double> taps = taps_;
  for (double& tap : taps) tap *= factor;
  return {width_, height_, std::move(taps), anchor_x_, anchor_y_};
}

Kernel Kernel::flipped() const {
  if (is_product())
    return product({column_.rbegin(), column_.rend()}, {row_.rbegin(), row_.rend()},
                   width_ - 1 - anchor_x_, height_ - 1 - anchor_y_);
  return {width_,
          height_,
          {taps_.rbegin(), taps_.rend()},
          width_ - 1 - anchor_x_,
          height_ - 1 - anchor_y_};
}

Kernel Kernel::rotated90() const {
  if (is_product())
    return product(row_, {column_.rbegin(), column_.rend()}, height_ - 1 - anchor_y_, anchor_x_);
  std::vector<double> taps;
  taps.reserve(taps_.size());
  for (int j = 0; j < width_; ++j)
    for (int i = 0; i < height_; ++i) taps.push_back(at(j, height_ - 1 - i));
  return {height_, width_, std::move(taps), height_ - 1 - anchor_y_, anchor_x_};
}

Kernel Kernel::with_anchor(int x, int y) const {
  if (is_product()) return product(column_, row_, x, y);
  return {width_, height_, taps_, x, y};
}

Kernel Kernel::trimmed() const {
  if (is_product()) return *this;
  int left = anchor_x_, right = anchor_x_, top = anchor_y_, bottom = anchor_y_;
  for (int j = 0; j < height_; ++j)
    for (int i = 0; i < width_; ++i) {
      if (at(i, j) == 0) continue;
      left = std::min(left, i), right = std::max(right, i);
      top = std::min(top, j), bottom = std::max(bottom, j);
    }
  std::vector<double> taps;
  for (int j = top; j <= bottom; ++j)
    for (int i = left; i <= right; ++i) taps.push_back(at(i, j));
  return {right - left + 1, bottom - top + 1, std::move(taps), anchor_x_ - left, anchor_y_ - top};
}

Kernel outer_product(std::span<const double> column, std::span<const double> row) {
  if (std::max(column.size(), row.size()) > std::size_t{Kernel::max_size})
    return Kernel::product({column.begin(), column.end()}, {row.begin(), row.end()});
  std::vector<double> taps;
  taps.reserve(column.size() * row.size());
  for (double c : column)
    for (double r : row) taps.push_back(c * r);
  return {static_cast<int>(row.size()), static_cast<int>(column.size()), std::move(taps)};
}

}  // namespace vidconv
