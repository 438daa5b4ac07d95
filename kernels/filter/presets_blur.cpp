// Presets that smooth: taps of sum 1, given in luma pixels.
#include <algorithm>
#include <cmath>

#include "kernels/filter/preset_rows.h"
#include "kernels/filter/preset_taps.h"

namespace vidconv {
namespace {

// A Gaussian may be larger than a matrix: it is a product of two passes.
constexpr double largest_sigma = 1000;
constexpr int largest_reach = Kernel::max_pass / 2;

Filter identity(const Arguments&, Subsampling) {
  return one_kernel(Kernel(1, 1, {1}), Purpose::blur);
}

Filter box(const Arguments& a, Subsampling s) {
  const auto row = box_taps(a.get("w", a["size"]), s.x);
  const auto column = box_taps(a.get("h", a["size"]), s.y);
  return one_kernel(outer_product(column, row), Purpose::blur);
}

Filter gaussian(const Arguments& a, Subsampling s) {
  const auto row = gaussian_taps(a.get("sigmax", a["sigma"]), a["radius"], s.x);
  const auto column = gaussian_taps(a.get("sigmay", a["sigma"]), a["radius"], s.y);
  return one_kernel(outer_product(column, row), Purpose::blur);
}

Filter binomial(const Arguments& a, Subsampling s) {
  const int size = static_cast<int>(a["size"]);
  return one_kernel(outer_product(binomial_taps(size, s.y), binomial_taps(size, s.x)),
                    Purpose::blur);
}

// A line of constant speed. Each pixel weighs 1 less its distance from the line, if that is
// positive: the formula that MATLAB documents for fspecial('motion', len, theta).
Filter motion(const Arguments& a, Subsampling s) {
  const Step2 whole = step(a["length"], a["angle"], s);
  // The line goes from the centre of the first pixel to that of the last.
  const double length = whole.length();
  const double half = std::max(0.0, length - 1) / 2 / length;
  const Step2 end{whole.x * half, whole.y * half};
  const auto weight = [&](int i, int j) { return nearness({-end.x, -end.y}, end, i, j).weight; };
  return one_kernel(shape(static_cast<int>(std::ceil(std::abs(end.x))),
                          static_cast<int>(std::ceil(std::abs(end.y))), weight),
                    Purpose::blur);
}

// A line whose weight falls as half a Gaussian, so that bright points grow a tail (the idea of
// ImageMagick's kernel of that name). The taps lie where the tail comes from.
Filter comet(const Arguments& a, Subsampling s) {
  const Step2 tail = step(3 * a["sigma"], a["angle"], s);
  const Step2 end{-tail.x, -tail.y};
  const auto weight = [&](int i, int j) {
    const Nearness near = nearness({}, end, i, j);
    const double sigmas = 3 * near.at;
    return near.weight * std::exp(-sigmas * sigmas / 2);
  };
  return one_kernel(shape(static_cast<int>(std::ceil(std::abs(end.x))),
                          static_cast<int>(std::ceil(std::abs(end.y))), weight),
                    Purpose::blur);
}

// Blurs as a lens out of focus, with smooth edges: each pixel weighs as much of it as the disk
// covers.
Filter disk(const Arguments& a, Subsampling s) {
  const double x = a["radius"] / s.x, y = a["radius"] / s.y;
  if (x <= 0.5 && y <= 0.5) return identity(a, s);  // a disk within the pixel
  const auto reach = [](double radius) { return static_cast<int>(std::ceil(radius - 0.5)); };
  const auto weight = [&](int i, int j) { return ellipse_coverage(x, y, i, j); };
  return one_kernel(shape(std::max(0, reach(x)), std::max(0, reach(y)), weight), Purpose::blur);
}

// Luma pixels are what a block counts, and samples that stand for some of them find theirs.
Filter mosaic(const Arguments& a, Subsampling s) {
  Filter filter = one_kernel(Kernel(1, 1, {1}), Purpose::blur);
  const int size = static_cast<int>(a["size"]);
  filter.blocks = {.across = {.size = size, .per_sample = s.x},
                   .down = {.size = size, .per_sample = s.y}};
  return filter;
}

}  // namespace

std::vector<Preset> blur_presets() {
  return {
      {"identity", "copy the picture", {}, identity},
      {"box",
       "mean of a rectangle",
       {{"size", "width and height, luma pixels", 1, Kernel::max_size, 3, true, {}},
        {"w", "width (default: size)", 1, Kernel::max_size, {}, true, {}},
        {"h", "height (default: size)", 1, Kernel::max_size, {}, true, {}}},
       box},
      {"gaussian",
       "Gaussian blur",
       {{"sigma", "standard deviation, luma pixels", 0, largest_sigma, 1, false, {}},
        {"sigmax", "across (default: sigma)", 0, largest_sigma, {}, false, {}},
        {"sigmay", "down (default: sigma)", 0, largest_sigma, {}, false, {}},
        {"radius", "reach (default: 3 sigma, rounded up)", 0, largest_reach, {}, true, {}}},
       gaussian},
      {"binomial",
       "blur by binomial coefficients, exact (size 5: 1 4 6 4 1)",
       {{"size", "width and height, luma pixels", 1, 13, 5, true, {}}},
       binomial},
      {"motion",
       "blur along a line, as of a moving camera",
       {{"length", "of the line, luma pixels", 1, Kernel::max_size, 9, false, {}},
        angle_parameter("of the line, degrees counter-clockwise from the right", 0)},
       motion},
      {"disk",
       "blur by a disk, as of a lens out of focus",
       {{"radius", "luma pixels", 0, max_radius, 3, false, {}}},
       disk},
      {"comet",
       "blur by half a Gaussian: bright points grow a tail",
       {{"sigma", "standard deviation along the tail, luma pixels", 0, 170, 4, false, {}},
        angle_parameter("where the tail points, degrees counter-clockwise from the right", 0)},
       comet},
      {"mosaic",
       "each block becomes its mean; blocks are counted from the picture's top left",
       {{"size", "width and height of a block, luma pixels", 1, max_block, 16, true, {}}},
       mosaic},
  };
}

}  // namespace vidconv
