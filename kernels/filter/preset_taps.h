// The numbers that presets are made of.
#pragma once

#include <functional>
#include <vector>

#include "kernels/filter/filter.h"
#include "kernels/filter/kernel.h"

namespace vidconv {

// One axis. `subsampling`: how many luma samples a sample stands for; the taps are for the plane,
// the arguments in luma samples. All have sum 1.

// `size` equal taps. Across larger samples the line stays centred and its ends are covered in part:
// 3 luma samples are 1/6 4/6 1/6 of chroma at half the width.
std::vector<double> box_taps(double size, int subsampling);
// The row of Pascal's triangle with `size` entries. Across larger samples the variance, which is
// (size - 1) / 4, is kept.
std::vector<double> binomial_taps(int size, int subsampling);
// exp(-i^2 / (2 sigma^2)) for |i| <= radius, or radius = 3 sigma rounded up where it is NaN.
std::vector<double> gaussian_taps(double sigma, double radius, int subsampling);

// A Gaussian of both axes, 3 sigma wide on both sides.
Kernel gaussian_kernel(double sigma, Subsampling s);

// a * x + b * y, laid anchor on anchor.
Kernel blend(double a, const Kernel& x, double b, const Kernel& y);

// The taps weight(i, j) for |i| <= reach_x, |j| <= reach_y around the anchor, scaled to sum 1.
// Weights below 1e-9 are 0; rows and columns of zeros at the edges are left out. Every weight is at
// least 0, and weight(0, 0) more.
Kernel shape(int reach_x, int reach_y, const std::function<double(int, int)>& weight);

// Of the pixel (i, j), how much an ellipse around (0, 0) covers.
double ellipse_coverage(double radius_x, double radius_y, int i, int j);

// A step in pixels, y downwards.
struct Step2 {
  double x = 0, y = 0;
  double length() const;
};
// `length` luma pixels to where `degrees` point, counter-clockwise from the right, in pixels of a
// plane. Exact for multiples of 90.
Step2 step(double length, double degrees, Subsampling s);

// 1 on the line from `from` to `to`, less as far as (i, j) is away from it, 0 from a pixel on.
// `at`: where on the line (i, j) is nearest, 0 at `from` and 1 at `to`.
struct Nearness {
  double weight = 0, at = 0;
};
Nearness nearness(Step2 from, Step2 to, int i, int j);

}  // namespace vidconv
