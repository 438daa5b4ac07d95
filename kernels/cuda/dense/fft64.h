// Fourier transforms of 64 points, as two passes of eight points at a time: forward by decimation
// in frequency (Gentleman and Sande), back by decimation in time (Cooley and Tukey). Frequency
// k1 + 8 k2 lies at 8 k1 + k2.
//
//   forward  for each j < 8, transforms points j + 8 m to points j + 8 k1 and multiplies them by
//            w^(j k1), w = exp(-2 pi i / 64); then transforms, for each k1, the eight from 8 k1 on
//   back     undoes these steps in the other order; the result is 64 times as large
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "kernels/picture/plane.h"

namespace vidconv::cuda {

struct alignas(16) Complex {
  double real, imaginary;
};

VIDCONV_HD inline Complex operator+(Complex a, Complex b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}
VIDCONV_HD inline Complex operator-(Complex a, Complex b) {
  return {a.real - b.real, a.imaginary - b.imaginary};
}
// Returns a * b, or a times the conjugate of b.
template <bool conjugate = false>
VIDCONV_HD inline Complex times(Complex a, Complex b) {
  using std::fma;
  const double i = conjugate ? -b.imaginary : b.imaginary;
  return {fma(-a.imaginary, i, a.real * b.real), fma(a.imaginary, b.real, a.real * i)};
}
// Returns -i a; for the way back, i a.
template <bool back>
VIDCONV_HD inline Complex turned(Complex a) {
  return back ? Complex{-a.imaginary, a.real} : Complex{a.imaginary, -a.real};
}
// Returns (1 - i) / sqrt(2) a; for the way back, (1 + i) / sqrt(2) a.
template <bool back>
VIDCONV_HD inline Complex half_turned(Complex a) {
  constexpr double root = std::numbers::sqrt2 / 2;
  return back ? Complex{(a.real - a.imaginary) * root, (a.real + a.imaginary) * root}
              : Complex{(a.real + a.imaginary) * root, (a.imaginary - a.real) * root};
}

template <bool back>
VIDCONV_HD inline void transform4(Complex& a, Complex& b, Complex& c, Complex& d) {
  const Complex ac = a + c, a_c = a - c, bd = b + d, b_d = turned<back>(b - d);
  a = ac + bd;
  b = a_c + b_d;
  c = ac - bd;
  d = a_c - b_d;
}

// Transforms eight points to frequencies 0 to 7; the way back makes them eight times as large.
template <bool back>
VIDCONV_HD inline void transform8(Complex (&p)[8]) {
  Complex even[4], odd[4];
  for (int k = 0; k < 4; ++k) {
    even[k] = p[k] + p[k + 4];
    odd[k] = p[k] - p[k + 4];
  }
  odd[1] = half_turned<back>(odd[1]);
  odd[2] = turned<back>(odd[2]);
  odd[3] = turned<back>(half_turned<back>(odd[3]));
  transform4<back>(even[0], even[1], even[2], even[3]);
  transform4<back>(odd[0], odd[1], odd[2], odd[3]);
  for (int k = 0; k < 4; ++k) {
    p[2 * k] = even[k];
    p[2 * k + 1] = odd[k];
  }
}

// Turns points between the passes: `factors` are w^(j k) for k = 0 to 7.
template <bool back>
VIDCONV_HD inline void turn8(Complex (&p)[8], const Complex* factors) {
  for (int k = 1; k < 8; ++k) p[k] = times<back>(p[k], factors[k]);
}

// Returns the factors: w^(j k) at index 8 j + k.
inline std::array<Complex, 64> fft64_factors() {
  std::array<Complex, 64> factors;
  for (int j = 0; j < 8; ++j) {
    for (int k = 0; k < 8; ++k) {
      const long double angle = -2 * std::numbers::pi_v<long double> * (j * k) / 64;
      factors[static_cast<std::size_t>(8 * j + k)] = {static_cast<double>(std::cos(angle)),
                                                      static_cast<double>(std::sin(angle))};
    }
  }
  return factors;
}

// Does a whole transform forward, of points that lie `step` apart.
inline void fft64_forward(Complex* points, int step, const std::array<Complex, 64>& factors) {
  const auto pass = [&](int first, int apart, const Complex* turn_by) {
    Complex p[8];
    for (int m = 0; m < 8; ++m) p[m] = points[(first + m * apart) * step];
    transform8<false>(p);
    if (turn_by != nullptr) turn8<false>(p, turn_by);
    for (int m = 0; m < 8; ++m) points[(first + m * apart) * step] = p[m];
  };
  for (int j = 0; j < 8; ++j) pass(j, 8, factors.data() + std::ptrdiff_t{8} * j);
  for (int k = 0; k < 8; ++k) pass(8 * k, 1, nullptr);
}

}  // namespace vidconv::cuda
