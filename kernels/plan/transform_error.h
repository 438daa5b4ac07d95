// How far sums that Fourier transforms in double make may be off.
#pragma once

#include <vector>

#include "kernels/plan/plan.h"

namespace vidconv {

double norm(const std::vector<double>& values);

// How far a cyclic convolution by transforms of 2^levels complex points can be off, of values whose
// norms are these: Brent, Percival and Zimmermann, "Error bounds on complex floating-point
// multiplication", Math. Comp. 76 (2007), theorem 5.1. Two dimensions are the levels of both.
double error_of_transform(double norm_x, double norm_y, int levels);

// The same for samples of norm 1 and the taps of a matrix, and from the sums that multiply-adds in
// double give in the order of docs/numerics.md, where no product goes through more than
// `roundings`. With room for what rounding does to a bound that is computed in double from this,
// too: times a norm, added to a sum or taken from it.
double error_of_matrix(const Taps& matrix, int levels, int roundings);

// Less than that says nothing of the sign of a sum, but where all samples are 0: taps may be so
// small that products vanish.
inline constexpr double least_error_of_sum = 0x1p-600;

}  // namespace vidconv
