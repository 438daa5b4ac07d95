// How alike two planes are: the sums behind PSNR and SSIM, with the same figures from every
// instruction set.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/picture/plane.h"

namespace vidconv {

// The score of two planes of the same size.
struct PlaneScore {
  std::int64_t samples = 0;
  double squared_error = 0;    // the sum over all samples: an integer, and exact up to 2^53
  std::optional<double> ssim;  // none where no 8 x 8 samples fit in
};

// Compares two planes of codes of the same depth, up to 16 bits (docs/measure.md has the formulas);
// each plane's type says how it lies in memory. Allocates two rows of sums.
PlaneScore score_planes(const ConstBytePlane& a, const SampleType& a_type, const ConstBytePlane& b,
                        const SampleType& b_type);

// Returns 10 log10(max^2 / mse); infinite where `mse` is 0.
double psnr_of(double mse, double max);

}  // namespace vidconv
