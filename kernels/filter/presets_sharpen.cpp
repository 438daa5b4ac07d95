// Presets that add to the picture what a blur takes from it, and reliefs.
#include <cmath>
#include <utility>

#include "kernels/filter/preset_rows.h"
#include "kernels/filter/preset_taps.h"

namespace vidconv {
namespace {

const Kernel& picture_itself() {
  static const Kernel kernel(1, 1, {1});
  return kernel;
}

// The picture less `amount` times the Laplacian of four neighbours.
Filter sharpen(const Arguments& a, Subsampling) {
  const double n = -a["amount"], c = 1 - 4 * n;
  return one_kernel(Kernel(3, 3, {0, n, 0, n, c, n, 0, n, 0}), Purpose::sharpen);
}

// Picture + amount * (picture - blur), the darkroom's unsharp mask; one matrix unless a threshold
// has to come between.
Filter unsharp(const Arguments& a, Subsampling s) {
  const double amount = a["amount"];
  const Kernel detail = blend(amount, picture_itself(), -amount, gaussian_kernel(a["sigma"], s));
  if (a["threshold"] == 0)
    return one_kernel(blend(1, picture_itself(), 1, detail), Purpose::sharpen);
  Filter f;
  // Both kernels have one size, so that both take an anchor alike.
  f.kernels = {blend(1, picture_itself(), 0, detail), detail};
  f.combine = Combine::unsharp;
  f.threshold = amount * a["threshold"];
  f.purpose = Purpose::sharpen;
  return f;
}

// Picture - blur, on middle grey as in photo editors.
Filter high_pass(const Arguments& a, Subsampling s) {
  Filter f =
      one_kernel(blend(1, picture_itself(), -1, gaussian_kernel(a["sigma"], s)), Purpose::edge);
  f.bias = 0.5;
  return f;
}

// The picture plus its slope away from the light. The eight neighbours weigh -2 toward the light,
// 2 away from it, and change evenly between: for light from the upper left the well-known
// -2 -1 0 / -1 1 1 / 0 1 2.
Filter emboss(const Arguments& a, Subsampling) {
  // Degrees of the neighbours, counter-clockwise from the right, row by row.
  constexpr int directions[3][3] = {{135, 90, 45}, {180, -1, 0}, {225, 270, 315}};
  std::vector<double> taps;
  for (const auto& row : directions)
    for (const int direction : row) {
      const double from_light = std::abs(std::remainder(direction - a["angle"], 360));
      taps.push_back(direction < 0 ? 1 : (from_light - 90) / 45);
    }
  return one_kernel(Kernel(3, 3, std::move(taps)), Purpose::sharpen);
}

}  // namespace

std::vector<Preset> sharpen_presets() {
  const Parameter sigma{"sigma", "of the Gaussian, luma pixels", 0, max_sigma, 1, false, {}};
  Parameter wide = sigma;
  wide.fallback = 3;
  return {
      {"sharpen",
       "add the difference from the four neighbours",
       {{"amount", "how much of it", 0, 16, 1, false, {}}},
       sharpen},
      {"unsharp",
       "add the difference from a Gaussian blur",
       {sigma,
        {"amount", "how much of it", 0, 16, 1, false, {}},
        {"threshold",
         "smaller differences, 1 is white, add nothing, larger ones what is beyond",
         0,
         1,
         0,
         false,
         {}}},
       unsharp},
      {"emboss",
       "relief: the picture and its slope",
       {angle_parameter("where the light comes from, degrees counter-clockwise from the right",
                        135)},
       emboss},
      {"high-pass", "difference from a Gaussian blur, on middle grey", {wide}, high_pass},
  };
}

}  // namespace vidconv
