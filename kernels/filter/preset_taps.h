// The taps that presets are made of.
#pragma once

#include <functional>
#include <vector>

#include "kernels/filter/filter.h"
#include "kernels/filter/kernel.h"

namespace vidconv {

// The next three make the taps of one axis, whose sum is 1. The arguments are in luma samples, the
// taps for a plane of which each sample stands for `subsampling` luma samples.

// Returns `size` equal taps. On a subsampled plane the line stays centred and its ends are covered
// in part: 3 luma samples are 1/6 4/6 1/6 of chroma at half the width.
std::vector<double> box_taps(double size, int subsampling);
// Returns the row of Pascal's triangle with `size` entries. On a subsampled plane the variance,
// which is (size - 1) / 4, is kept.
std::vector<double> binomial_taps(int size, int subsampling);
// Returns exp(-i^2 / (2 sigma^2)), scaled, for |i| <= radius; where `radius` is NaN it is 3 sigma
// rounded up.
std::vector<double> gaussian_taps(double sigma, double radius, int subsampling);

// Returns a Gaussian over both axes, 3 sigma wide on both sides.
Kernel gaussian_kernel(double sigma, Subsampling s);

// Returns a * x + b * y, laid anchor on anchor.
Kernel blend(double a, const Kernel& x, double b, const Kernel& y);

// Returns the taps weight(i, j) for |i| <= reach_x, |j| <= reach_y around the anchor, scaled to sum
// 1. Weights below 1e-9 become 0; rows and columns of zeros at the edges are left out. No weight
// may be below 0, and weight(0, 0) must be above.
Kernel shape(int reach_x, int reach_y, const std::function<double(int, int)>& weight);

// Returns the share of pixel (i, j) that an ellipse around (0, 0) covers.
double ellipse_coverage(double radius_x, double radius_y, int i, int j);

// A step in pixels, y downwards.
struct Step2 {
  double x = 0, y = 0;
  double length() const;
};
// Returns the step of `length` luma pixels in the direction `degrees`, counter-clockwise from the
// right, in pixels of a plane. Exact for multiples of 90.
Step2 step(double length, double degrees, Subsampling s);

// `weight`: how near pixel (i, j) is to the line from `from` to `to`: 1 on it, less by its
// distance, 0 from one pixel on. `at`: the nearest place on the line, 0 at `from` and 1 at `to`.
struct Nearness {
  double weight = 0, at = 0;
};
Nearness nearness(Step2 from, Step2 to, int i, int j);

}  // namespace vidconv
