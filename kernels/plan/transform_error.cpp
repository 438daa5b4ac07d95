#include "kernels/plan/transform_error.h"

#include <cmath>

namespace vidconv {
namespace {

constexpr double epsilon = 0x1p-53;
constexpr double twiddle_error = 4 * epsilon;  // sine and cosine are rounded once: 1 would do

}  // namespace

double norm(const std::vector<double>& values) {
  double squares = 0;
  for (double v : values) squares += v * v;
  return std::sqrt(squares);
}

// The theorem's transforms multiply at each level; those of four points at a time
// (kernels/cpu/fft/fft_points-inl.h) at every other one, those of eight
// (kernels/cuda/dense/fft64.h) at two of three, one of them by (1 - i) / sqrt(2), and round no more
// often; with fused multiply-adds a product is off by 2 epsilon at most, not sqrt(5) (Jeannerod,
// Kornerup, Louvet and Muller, "Error bounds on complex floating-point multiplication with an FMA",
// Math. Comp. 86 (2017)).
double error_of_transform(double norm_x, double norm_y, int levels) {
  const double n = 3.0 * levels;
  return norm_x * norm_y *
         std::expm1(n * std::log1p(epsilon) + (n + 1) * std::log1p(epsilon * std::sqrt(5.0)) +
                    n * std::log1p(twiddle_error));
}

// The sizes of all products come to the product of the norms at most (Cauchy and Schwarz).
double error_of_matrix(const Taps& matrix, int levels, int roundings) {
  constexpr double room = 1.125;
  const double norm_of_taps = norm(matrix.dense);
  const double in_order = norm_of_taps * std::expm1(roundings * std::log1p(epsilon));
  return room * (error_of_transform(1, norm_of_taps, levels) + in_order);
}

}  // namespace vidconv
