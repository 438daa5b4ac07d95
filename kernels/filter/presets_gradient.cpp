// Presets that measure how steep the picture is: two derivatives, or eight directions of a compass.
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "kernels/filter/preset_rows.h"

namespace vidconv {
namespace {

Filter gradient(const Arguments& a, Kernel x, Kernel y) {
  const double axis = a["axis"];
  if (axis != 0) {
    Filter f = one_kernel(axis == 1 ? std::move(x) : std::move(y), Purpose::edge);
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

// Makes a gradient with `derivative` along an axis and `smooth` across it.
Filter gradient(const Arguments& a, std::span<const double> derivative,
                std::span<const double> smooth, double scale = 1) {
  return gradient(a, outer_product(smooth, derivative).scaled(scale),
                  outer_product(derivative, smooth).scaled(scale));
}

constexpr double difference[] = {-1, 0, 1};

// I. Sobel and G. Feldman, "A 3x3 isotropic gradient operator" (1968). The larger ones have more of
// the binomial 1 2 1: 1 4 6 4 1 and 1 6 15 20 15 6 1. A slope gives the same value at all sizes.
Filter sobel(const Arguments& a, Subsampling) {
  constexpr double derivative5[] = {-1, -2, 0, 2, 1}, smooth5[] = {1, 4, 6, 4, 1};
  constexpr double derivative7[] = {-1, -4, -5, 0, 5, 4, 1}, smooth7[] = {1, 6, 15, 20, 15, 6, 1};
  constexpr double smooth3[] = {1, 2, 1};
  if (a["size"] == 1) return gradient(a, derivative5, smooth5, 1.0 / 16);
  if (a["size"] == 2) return gradient(a, derivative7, smooth7, 1.0 / 256);
  return gradient(a, difference, smooth3);
}

// H. Scharr, "Optimal operators in digital image processing" (2000).
Filter scharr(const Arguments& a, Subsampling) {
  constexpr double smooth[] = {3, 10, 3};
  return gradient(a, difference, smooth);
}

// J. M. S. Prewitt, "Object enhancement and extraction" (1970).
Filter prewitt(const Arguments& a, Subsampling) {
  constexpr double smooth[] = {1, 1, 1};
  return gradient(a, difference, smooth);
}

// The isotropic gradient of W. Frei and C. C. Chen, "Fast boundary detection" (1977).
Filter frei_chen(const Arguments& a, Subsampling) {
  constexpr double smooth[] = {1, std::numbers::sqrt2, 1};
  return gradient(a, difference, smooth);
}

// The two diagonal differences of a 2x2 neighbourhood: L. G. Roberts, "Machine perception of
// three-dimensional solids" (1963).
Filter roberts(const Arguments& a, Subsampling) {
  return gradient(a, Kernel(2, 2, {1, 0, 0, -1}), Kernel(2, 2, {0, 1, -1, 0}));
}

// Returns 3x3 kernels: `ring` laid around the centre, clockwise from the top left, then moved on by
// one neighbour (45 degrees) `count` - 1 times.
std::vector<Kernel> compass(std::vector<double> ring, int count) {
  constexpr std::size_t place[8] = {0, 1, 2, 5, 8, 7, 6, 3};
  std::vector<Kernel> kernels;
  for (int k = 0; k < count; ++k) {
    std::vector<double> taps(9);
    for (std::size_t n = 0; n < 8; ++n)
      taps[place[n]] = ring[(n + 8 - static_cast<std::size_t>(k)) % 8];
    kernels.emplace_back(3, 3, std::move(taps));
  }
  return kernels;
}

// R. Kirsch, "Computer determination of the constituent structure of biological images" (1971).
// Opposite directions are different kernels. The eight responses add up to 0, so the largest is
// never negative.
Filter kirsch(const Arguments&, Subsampling) {
  Filter f;
  f.kernels = compass({5, 5, 5, -3, -3, -3, -3, -3}, 8);
  f.combine = Combine::signed_max;
  f.purpose = Purpose::edge;
  return f;
}

// G. S. Robinson, "Edge detection by compass gradient masks" (1977). Four directions and their
// negatives: the largest of eight is the largest size of four.
Filter robinson(const Arguments&, Subsampling) {
  Filter f;
  f.kernels = compass({1, 2, 1, 0, -1, -2, -1, 0}, 4);
  f.combine = Combine::max;
  f.purpose = Purpose::edge;
  return f;
}

}  // namespace

std::vector<Preset> gradient_presets() {
  const std::vector<Parameter> common = {
      {"norm", "length of the gradient", 0, 2, 0, true, {"l2", "l1", "max"}},
      {"axis", "both derivatives, or one alone (absolute)", 0, 2, 0, true, {"both", "x", "y"}},
  };
  std::vector<Parameter> sized = common;
  sized.push_back(
      {"size", "of the matrices; all give a slope alike", 0, 2, 0, true, {"3", "5", "7"}});
  return {
      {"sobel", "gradient, smoothed by 1 2 1", sized, sobel},
      {"scharr", "gradient, smoothed by 3 10 3", common, scharr},
      {"prewitt", "gradient, smoothed by 1 1 1", common, prewitt},
      {"frei-chen", "gradient, smoothed by 1 sqrt(2) 1", common, frei_chen},
      {"roberts", "gradient across the diagonals of 2x2 pixels", common, roberts},
      {"kirsch", "largest slope of eight directions, weights 5 and -3", {}, kirsch},
      {"robinson", "largest slope of eight directions, weights 1 2 1", {}, robinson},
  };
}

}  // namespace vidconv
