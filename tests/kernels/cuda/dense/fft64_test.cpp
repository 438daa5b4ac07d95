// The transforms of 64 points that cuda-dense-fft is made of, on this machine's processor.
#include "kernels/cuda/dense/fft64.h"

#include <gtest/gtest.h>

#include <complex>
#include <random>

namespace vidconv::test {
namespace {

using cuda::Complex;

std::array<Complex, 64> random_points() {
  std::mt19937 random(3);
  std::array<Complex, 64> points;
  for (Complex& p : points)
    p = {static_cast<double>(random()) * 0x1p-31 - 1, static_cast<double>(random()) * 0x1p-31 - 1};
  return points;
}

TEST(Fft64, FrequenciesLieInTheOrderThatItSays) {
  const std::array<Complex, 64> points = random_points();
  std::array<Complex, 64> made = points;
  cuda::fft64_forward(made.data(), 1, cuda::fft64_factors());
  for (int k1 = 0; k1 < 8; ++k1) {
    for (int k2 = 0; k2 < 8; ++k2) {
      std::complex<double> truth = 0;
      for (int n = 0; n < 64; ++n) {
        const Complex& p = points[static_cast<std::size_t>(n)];
        truth += std::complex(p.real, p.imaginary) *
                 std::polar(1.0, -2 * std::numbers::pi * ((n * (k1 + 8 * k2)) % 64) / 64);
      }
      const Complex& got = made[static_cast<std::size_t>(8 * k1 + k2)];
      EXPECT_NEAR(got.real, truth.real(), 1e-13) << k1 << ' ' << k2;
      EXPECT_NEAR(got.imaginary, truth.imag(), 1e-13) << k1 << ' ' << k2;
    }
  }
}

// The steps run in the other order, as the kernel takes them.
TEST(Fft64, GoesThereAndBack) {
  const std::array<Complex, 64> points = random_points();
  const std::array<Complex, 64> factors = cuda::fft64_factors();
  std::array<Complex, 64> made = points;
  cuda::fft64_forward(made.data(), 1, factors);
  const auto back = [&](int first, int apart, const Complex* turn_by) {
    Complex p[8];
    for (int m = 0; m < 8; ++m) p[m] = made[static_cast<std::size_t>(first + m * apart)];
    cuda::transform8<true>(p);
    if (turn_by != nullptr) cuda::turn8<true>(p, turn_by);
    for (int m = 0; m < 8; ++m) made[static_cast<std::size_t>(first + m * apart)] = p[m];
  };
  for (int k = 0; k < 8; ++k) back(8 * k, 1, factors.data() + std::ptrdiff_t{8} * k);
  for (int j = 0; j < 8; ++j) back(j, 8, nullptr);
  for (std::size_t n = 0; n < 64; ++n) {
    EXPECT_NEAR(made[n].real / 64, points[n].real, 1e-15);
    EXPECT_NEAR(made[n].imaginary / 64, points[n].imaginary, 1e-15);
  }
}

}  // namespace
}  // namespace vidconv::test
