// Error bounds for sums that are computed by Fourier transforms in double.
#pragma once

#include <vector>

#include "kernels/plan/plan.h"

namespace vidconv {

double norm(const std::vector<double>& values);

// Returns a bound for the error of a cyclic convolution by transforms of 2^levels complex points,
// of values with these norms: Brent, Percival and Zimmermann, "Error bounds on complex
// floating-point multiplication", Math. Comp. 76 (2007), theorem 5.1. In two dimensions `levels` is
// the sum of both.
double error_of_transform(double norm_x, double norm_y, int levels);

// Returns a bound for the difference, for samples of norm 1 and the taps of a matrix, from the sums
// that multiply-adds in double give in the order of docs/numerics.md, where no product goes through
// more than `roundings`. It leaves room for rounding when more is computed from it in double: times
// a norm, added to a sum or taken from it.
double error_of_matrix(const Taps& matrix, int levels, int roundings);

// An error below this says nothing of the sign of a sum, unless all samples are 0: taps may be so
// small that products vanish.
inline constexpr double least_error_of_sum = 0x1p-600;

}  // namespace vidconv
