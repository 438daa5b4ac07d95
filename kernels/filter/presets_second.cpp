// Presets that measure how the slope changes: second derivatives, which are 0 on every even slope.
#include <cmath>
#include <vector>

#include "kernels/filter/preset_rows.h"
#include "kernels/filter/preset_taps.h"

namespace vidconv {
namespace {

Filter absolute_edges(Kernel kernel) {
  Filter f = one_kernel(std::move(kernel), Purpose::edge);
  f.absolute = true;
  return f;
}

// The Laplacian of the paraboloid that fits size x size pixels best (least squares, as in the facet
// model of R. M. Haralick, 1984): taps in proportion to x^2 + y^2 less its mean. Scaled so that
// (x^2 + y^2) / 2 gives 2, as with four neighbours.
Kernel laplacian_of_fit(int size) {
  const int reach = size / 2;
  double mean = 0, response = 0;
  std::vector<double> taps;
  for (int y = -reach; y <= reach; ++y)
    for (int x = -reach; x <= reach; ++x) taps.push_back(x * x + y * y);
  for (double tap : taps) mean += tap / static_cast<double>(taps.size());
  mean = std::round(mean);  // a whole number at odd sizes
  for (double& tap : taps) {
    response += tap * (tap - mean) / 2;
    tap -= mean;
  }
  return Kernel(size, size, std::move(taps)).scaled(2 / response);
}

Filter laplacian(const Arguments& a, Subsampling) {
  const double which = a["neighbours"];
  if (which == 1) return absolute_edges(Kernel(3, 3, {1, 1, 1, 1, -8, 1, 1, 1, 1}));
  if (which == 2) return absolute_edges(laplacian_of_fit(5));
  if (which == 3) return absolute_edges(laplacian_of_fit(7));
  return absolute_edges(Kernel(3, 3, {0, 1, 0, 1, -4, 1, 0, 1, 0}));
}

// A Gaussian along one axis and its second derivative: 0 on every slope, 1 on x^2 / 2.
struct SecondDerivative {
  std::vector<double> smooth, derivative;

  SecondDerivative(double luma_sigma, int subsampling)
      : smooth(gaussian_taps(luma_sigma, std::ceil(4 * luma_sigma), subsampling)) {
    const int reach = static_cast<int>(smooth.size()) / 2;
    double second = 0, fourth = 0;  // moments
    for (int i = -reach; i <= reach; ++i) {
      const double g = smooth[static_cast<std::size_t>(i + reach)];
      second += g * i * i;
      fourth += g * i * i * i * i;
    }
    for (int i = -reach; i <= reach; ++i)
      derivative.push_back(smooth[static_cast<std::size_t>(i + reach)] * 2 * (i * i - second) /
                           (fourth - second * second));
  }
};

// D. Marr and E. Hildreth, "Theory of edge detection" (1980), times sigma^2, so that structures of
// the size of sigma give the same at every size (T. Lindeberg, "Feature detection with automatic
// scale selection", 1998).
Filter laplacian_of_gaussian(const Arguments& a, Subsampling s) {
  const double sigma = a["sigma"];
  const SecondDerivative x(sigma, s.x), y(sigma, s.y);
  return absolute_edges(blend(sigma * sigma / (s.x * s.x), outer_product(y.smooth, x.derivative),
                              sigma * sigma / (s.y * s.y), outer_product(y.derivative, x.smooth)));
}

Filter difference_of_gaussians(const Arguments& a, Subsampling s) {
  return absolute_edges(
      blend(1, gaussian_kernel(a["sigma1"], s), -1, gaussian_kernel(a["sigma2"], s)));
}

}  // namespace

std::vector<Preset> second_derivative_presets() {
  return {
      {"laplacian",
       "second derivative, absolute",
       {{"neighbours",
         "pixels compared with the centre; 5x5 and 7x7 are smoother",
         0,
         3,
         0,
         true,
         {"4", "8", "5x5", "7x7"}}},
       laplacian},
      {"log",
       "Laplacian of a Gaussian, times sigma^2, absolute",
       {{"sigma", "luma pixels", 0.3, 64, 1, false, {}}},
       laplacian_of_gaussian},
      {"dog",
       "difference of two Gaussians, absolute",
       {{"sigma1", "of the first, luma pixels", 0, max_sigma, 1, false, {}},
        {"sigma2", "of the second", 0, max_sigma, 1.6, false, {}}},
       difference_of_gaussians},
  };
}

}  // namespace vidconv
