#include "kernels/cpu/fft/fft_tile.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vidconv {
namespace {

// Returns how many elements of `bytes` each fill an odd number of cache lines, at least `elements`.
std::ptrdiff_t odd_lines(std::ptrdiff_t elements, std::ptrdiff_t bytes) {
  const std::ptrdiff_t line = 64 / bytes;
  return ((elements + line - 1) / line | 1) * line;
}

}  // namespace

FftTwiddles::FftTwiddles(int n) : points(n) {
  for (int length = points; length >= 8; length /= 4) {
    for (int j = 0; j < length / 4; ++j) {
      for (int power = 1; power <= 3; ++power) {
        const long double angle =
            -2 * std::numbers::pi_v<long double> * static_cast<long double>(j * power) / length;
        factors.push_back(static_cast<double>(std::cos(angle)));
        factors.push_back(static_cast<double>(std::sin(angle)));
      }
    }
  }
}

std::ptrdiff_t fft_lines(const FftShape& shape) {
  return std::ptrdiff_t{2} * fft_group * std::max(shape.along.points, shape.down.points);
}

void FftTile::reserve(const FftShape& shape) {
  width_ = shape.along.points;
  height_ = shape.down.points;
  stride_ = odd_lines(2 * width_, sizeof(double));
  points_.reserve(stride_ * height_);
  const std::ptrdiff_t bytes = shape.floats ? sizeof(float) : sizeof(std::uint16_t);
  samples_stride_ = odd_lines(width_ * bytes, 1);
  samples_.reserve(2 * samples_stride_ * height_ + std::ptrdiff_t{fft_group} * bytes);
}

}  // namespace vidconv
