#include "kernels/filter/preset_taps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vidconv {

std::vector<double> box_taps(double size, int subsampling) {
  if (subsampling == 1) return std::vector<double>(static_cast<std::size_t>(size), 1 / size);
  const double length = std::max(1.0, size / subsampling);
  const double half = (length - 1) / 2;
  const double whole = std::floor(half);
  std::vector<double> taps(static_cast<std::size_t>(2 * whole + 1), 1 / length);
  if (half > whole) {
    const double end = (half - whole) / length;
    taps.insert(taps.begin(), end);
    taps.push_back(end);
  }
  return taps;
}

namespace {

std::vector<double> convolved(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) result[i + j] += a[i] * b[j];
  return result;
}

}  // namespace

std::vector<double> binomial_taps(int size, int subsampling) {
  std::vector<double> taps = {1};
  if (subsampling == 1) {
    for (int i = 1; i < size; ++i) taps = convolved(taps, {0.5, 0.5});
    return taps;
  }
  // 1/4 2/4 1/4 has variance 1/2; v/2 1-v v/2 has v.
  double variance = (size - 1) / (4.0 * subsampling * subsampling);
  for (; variance >= 0.5; variance -= 0.5) taps = convolved(taps, {0.25, 0.5, 0.25});
  if (variance > 0) taps = convolved(taps, {variance / 2, 1 - variance, variance / 2});
  return taps;
}

std::vector<double> gaussian_taps(double luma_sigma, double luma_radius, int subsampling) {
  if (luma_sigma <= 0) return {1.0};
  // Below this, neighbours weigh nothing in a double, and the square of tinier ones would be 0.
  const double sigma = std::max(luma_sigma / subsampling, 1e-3);
  const int radius =
      static_cast<int>(std::ceil(std::isnan(luma_radius) ? 3 * sigma : luma_radius / subsampling));
  std::vector<double> taps;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    taps.push_back(std::exp(-i * i / (2 * sigma * sigma)));
    sum += taps.back();
  }
  for (double& tap : taps) tap /= sum;
  return taps;
}

Kernel gaussian_kernel(double sigma, Subsampling s) {
  return outer_product(gaussian_taps(sigma, NAN, s.y), gaussian_taps(sigma, NAN, s.x));
}

Kernel blend(double a, const Kernel& x, double b, const Kernel& y) {
  const int left = std::max(x.anchor_x(), y.anchor_x());
  const int above = std::max(x.anchor_y(), y.anchor_y());
  const int width = left + std::max(x.width() - x.anchor_x(), y.width() - y.anchor_x());
  const int height = above + std::max(x.height() - x.anchor_y(), y.height() - y.anchor_y());
  std::vector<double> taps(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const auto add = [&](double factor, const Kernel& k) {
    for (int j = 0; j < k.height(); ++j)
      for (int i = 0; i < k.width(); ++i)
        taps[static_cast<std::size_t>((above - k.anchor_y() + j) * width + left - k.anchor_x() +
                                      i)] += factor * k.at(i, j);
  };
  add(a, x);
  add(b, y);
  return {width, height, std::move(taps), left, above};
}

Kernel shape(int reach_x, int reach_y, const std::function<double(int, int)>& weight) {
  int left = 0, right = 0, top = 0, bottom = 0;
  double sum = 0;
  const int width = 2 * reach_x + 1;
  std::vector<double> weights;
  for (int j = -reach_y; j <= reach_y; ++j)
    for (int i = -reach_x; i <= reach_x; ++i) {
      double w = weight(i, j);
      if (w < 1e-9) w = 0;
      weights.push_back(w);
      sum += w;
      if (w == 0) continue;
      left = std::min(left, i), right = std::max(right, i);
      top = std::min(top, j), bottom = std::max(bottom, j);
    }
  std::vector<double> taps;
  for (int j = top; j <= bottom; ++j)
    for (int i = left; i <= right; ++i)
      taps.push_back(weights[static_cast<std::size_t>((j + reach_y) * width + i + reach_x)] / sum);
  return {right - left + 1, bottom - top + 1, std::move(taps), -left, -top};
}

namespace {

// Returns the area of the part of the unit disk that lies in [0, x] x [0, y], odd in both.
double quadrant_area(double x, double y) {
  if (x < 0) return -quadrant_area(-x, y);
  if (y < 0) return -quadrant_area(x, -y);
  x = std::min(x, 1.0);
  y = std::min(y, 1.0);
  if (x * x + y * y <= 1) return x * y;
  // The area under y as far as `corner`, and under the circle from there on to x.
  const double corner = std::sqrt(1 - y * y);
  const auto under_circle = [](double t) { return (t * std::sqrt(1 - t * t) + std::asin(t)) / 2; };
  return corner * y + under_circle(x) - under_circle(corner);
}

}  // namespace

double ellipse_coverage(double radius_x, double radius_y, int i, int j) {
  const double x0 = (i - 0.5) / radius_x, x1 = (i + 0.5) / radius_x;
  const double y0 = (j - 0.5) / radius_y, y1 = (j + 0.5) / radius_y;
  const double area =
      quadrant_area(x1, y1) - quadrant_area(x0, y1) - quadrant_area(x1, y0) + quadrant_area(x0, y0);
  return area * radius_x * radius_y;
}

double Step2::length() const { return std::sqrt(x * x + y * y); }

Step2 step(double length, double degrees, Subsampling s) {
  const double quarters = std::round(degrees / 90);
  const double rest = (degrees - 90 * quarters) * std::numbers::pi / 180;
  Step2 to{std::cos(rest), -std::sin(rest)};
  for (int turns = (static_cast<int>(quarters) % 4 + 4) % 4; turns > 0; --turns) to = {to.y, -to.x};
  return {length * to.x / s.x, length * to.y / s.y};
}

Nearness nearness(Step2 from, Step2 to, int i, int j) {
  const Step2 line{to.x - from.x, to.y - from.y};
  const double squared = line.x * line.x + line.y * line.y;
  double at = 0;
  if (squared > 0)
    at = std::clamp(((i - from.x) * line.x + (j - from.y) * line.y) / squared, 0.0, 1.0);
  const double distance = Step2{i - (from.x + at * line.x), j - (from.y + at * line.y)}.length();
  return {std::max(0.0, 1 - distance), at};
}

}  // namespace vidconv
