#include "kernels/presets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace vidconv {
namespace {

// A box of `size` luma samples across samples that stand for `subsampling` of them each. The full
// size is plain ones; a smaller one stays centred, its ends covered in part: 3 luma samples are
// 1/6 4/6 1/6 of chroma at half the width.
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

// exp(-i^2 / (2 sigma^2)) for |i| <= radius, scaled to sum 1.
std::vector<double> gaussian_taps(double sigma, int radius) {
  if (sigma <= 0) return {1.0};
  std::vector<double> taps;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    taps.push_back(std::exp(-i * i / (2 * sigma * sigma)));
    sum += taps.back();
  }
  for (double& tap : taps) tap /= sum;
  return taps;
}

std::vector<double> gaussian_axis(double luma_sigma, double luma_radius, int subsampling) {
  const double sigma = luma_sigma / subsampling;
  const double radius =
      std::isnan(luma_radius) ? std::ceil(3 * sigma) : std::ceil(luma_radius / subsampling);
  return gaussian_taps(sigma, static_cast<int>(radius));
}

Filter one(Kernel kernel, Purpose purpose) {
  Filter filter;
  filter.kernels.push_back(std::move(kernel));
  filter.purpose = purpose;
  return filter;
}

Filter identity(const Arguments&, Subsampling) { return one(Kernel(1, 1, {1}), Purpose::blur); }

Filter box(const Arguments& a, Subsampling s) {
  const auto row = box_taps(a.get("w", a["size"]), s.x);
  const auto column = box_taps(a.get("h", a["size"]), s.y);
  return one(outer_product(column, row), Purpose::blur);
}

Filter gaussian(const Arguments& a, Subsampling s) {
  const auto row = gaussian_axis(a.get("sigmax", a["sigma"]), a["radius"], s.x);
  const auto column = gaussian_axis(a.get("sigmay", a["sigma"]), a["radius"], s.y);
  return one(outer_product(column, row), Purpose::blur);
}

Filter sharpen(const Arguments& a, Subsampling) {
  const double n = -a["amount"], c = 1 - 4 * n;
  return one(Kernel(3, 3, {0, n, 0, n, c, n, 0, n, 0}), Purpose::sharpen);
}

Filter laplacian(const Arguments& a, Subsampling) {
  const bool eight = a["neighbours"] == 1;
  Filter f = eight ? one(Kernel(3, 3, {1, 1, 1, 1, -8, 1, 1, 1, 1}), Purpose::edge)
                   : one(Kernel(3, 3, {0, 1, 0, 1, -4, 1, 0, 1, 0}), Purpose::edge);
  f.absolute = true;
  return f;
}

Filter emboss(const Arguments&, Subsampling) {
  return one(Kernel(3, 3, {-2, -1, 0, -1, 1, 1, 0, 1, 2}), Purpose::sharpen);
}

const std::vector<Parameter> gradient_parameters = {
    {"norm", "length of the gradient", 0, 2, 0, true, {"l2", "l1", "max"}},
    {"axis", "both derivatives, or one alone (absolute)", 0, 2, 0, true, {"both", "x", "y"}},
};

Filter gradient(const Arguments& a, Kernel x, Kernel y) {
  const double axis = a["axis"];
  if (axis != 0) {
    Filter f = one(axis == 1 ? std::move(x) : std::move(y), Purpose::edge);
    f.absolute = true;
    return f;
  }
  constexpr Combine norms[] = {Combine::l2, Combine::l1, Combine::max};
  Filter f;
  f.kernels = {std::move(x), std::move(y)};
  f.combine = norms[static_cast<std::size_t>(a["norm"])];
  f.purpose = Purpose::edge;
  return f;
}

// The derivative [-1 0 1] smoothed across by [side centre side], and its transpose.
Filter gradient3(const Arguments& a, double side, double centre) {
  return gradient(a, Kernel(3, 3, {-side, 0, side, -centre, 0, centre, -side, 0, side}),
                  Kernel(3, 3, {-side, -centre, -side, 0, 0, 0, side, centre, side}));
}

Filter sobel(const Arguments& a, Subsampling) { return gradient3(a, 1, 2); }
Filter scharr(const Arguments& a, Subsampling) { return gradient3(a, 3, 10); }
Filter prewitt(const Arguments& a, Subsampling) { return gradient3(a, 1, 1); }

// The two diagonal differences of a 2x2 neighbourhood (L. G. Roberts, 1963).
Filter roberts(const Arguments& a, Subsampling) {
  return gradient(a, Kernel(2, 2, {1, 0, 0, -1}), Kernel(2, 2, {0, 1, -1, 0}));
}

constexpr double max_sigma = 85;  // 3 sigma on both sides fits Kernel::max_size

const std::vector<Preset> table = {
    {"identity", "copy the picture", {}, identity},
    {"box",
     "mean of a rectangle",
     {{"size", "width and height, luma pixels", 1, Kernel::max_size, 3, true, {}},
      {"w", "width (default: size)", 1, Kernel::max_size, {}, true, {}},
      {"h", "height (default: size)", 1, Kernel::max_size, {}, true, {}}},
     box},
    {"gaussian",
     "Gaussian blur",
     {{"sigma", "standard deviation, luma pixels", 0, max_sigma, 1, false, {}},
      {"sigmax", "across (default: sigma)", 0, max_sigma, {}, false, {}},
      {"sigmay", "down (default: sigma)", 0, max_sigma, {}, false, {}},
      {"radius", "reach (default: 3 sigma, rounded up)", 0, Kernel::max_size / 2, {}, true, {}}},
     gaussian},
    {"sharpen",
     "add the difference from the four neighbours",
     {{"amount", "how much of it", 0, 16, 1, false, {}}},
     sharpen},
    {"emboss", "relief lit from the lower right", {}, emboss},
    {"laplacian",
     "second derivative, absolute",
     {{"neighbours", "pixels compared with the centre", 0, 1, 0, true, {"4", "8"}}},
     laplacian},
    {"sobel", "gradient, smoothed by 1 2 1", gradient_parameters, sobel},
    {"scharr", "gradient, smoothed by 3 10 3", gradient_parameters, scharr},
    {"prewitt", "gradient, smoothed by 1 1 1", gradient_parameters, prewitt},
    {"roberts", "gradient across the diagonals of 2x2 pixels", gradient_parameters, roberts},
};

}  // namespace

double Arguments::operator[](std::string_view name) const {
  const auto it = std::ranges::find(parameters_, name, &Parameter::name);
  if (it == parameters_.end()) throw std::logic_error("no such parameter in the table");
  return values_[static_cast<std::size_t>(it - parameters_.begin())];
}

double Arguments::get(std::string_view name, double derived) const {
  const double value = (*this)[name];
  return std::isnan(value) ? derived : value;
}

std::span<const Preset> presets() { return table; }

const Preset* find_preset(std::string_view name) {
  const auto it = std::ranges::find(table, name, &Preset::name);
  return it == table.end() ? nullptr : &*it;
}

}  // namespace vidconv
