#include "kernels/cpu/fft_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace vidconv {
namespace {

constexpr double epsilon = 0x1p-53;
constexpr double twiddle_error = 4 * epsilon;  // sine and cosine of a rounded angle up to pi / 4
constexpr double largest_error = 1.0 / 4;      // of a sum; 1/2 would do
constexpr int largest_tile = 2048;
constexpr int most_pieces = 8;

int tile_side(int taps) {
  return std::clamp(static_cast<int>(std::bit_ceil(4 * static_cast<unsigned>(taps))), 64,
                    largest_tile);
}

double norm(const std::vector<double>& values) {
  double squares = 0;
  for (double v : values) squares += v * v;
  return std::sqrt(squares);
}

// How far a cyclic convolution by transforms of 2^n complex points can be off: Brent, Percival and
// Zimmermann, "Error bounds on complex floating-point multiplication", Math. Comp. 76 (2007),
// theorem 5.1. Two dimensions are the levels of both.
double error_of_transform(double norm_x, double norm_y, int n) {
  const double levels = 3.0 * n;
  return norm_x * norm_y *
         std::expm1(levels * std::log1p(epsilon) +
                    (levels + 1) * std::log1p(epsilon * std::sqrt(5.0)) +
                    levels * std::log1p(twiddle_error));
}

// Digits of base 2^bits between -2^(bits - 1) and 2^(bits - 1), the lowest first; the last takes
// what is left.
std::vector<std::vector<double>> digits(const std::vector<double>& taps, int count, int bits) {
  std::vector<std::vector<double>> pieces(static_cast<std::size_t>(count));
  const double base = std::ldexp(1.0, bits);
  for (double tap : taps) {
    for (int p = 0; p < count; ++p) {
      const double higher = p + 1 < count ? std::floor(tap / base + 0.5) : 0;
      pieces[static_cast<std::size_t>(p)].push_back(tap - higher * base);
      tap = higher;
    }
  }
  return pieces;
}

}  // namespace

std::optional<FftPlan> make_fft_plan(const Plan& plan) {
  // Where the transforms are as fast as multiplying in the lanes that would serve otherwise.
  const std::ptrdiff_t fewest_taps = plan.arith == Arith::int32 ? 6400 : 1024;
  if (plan.sample.storage == Storage::f32 || plan.arith == Arith::float32 ||
      plan.terms.size() != 1 || plan.finish.combine != Combine::linear)
    return std::nullopt;
  const Taps& t = plan.terms[0];
  if (std::ssize(t.dense) < fewest_taps || t.separable()) return std::nullopt;

  const double max = plan.sample.max();
  double largest = 0, sum = 0;
  for (double tap : t.dense) {
    if (tap != std::nearbyint(tap)) return std::nullopt;
    largest = std::max(largest, std::abs(tap));
    sum += std::abs(tap);
  }
  if (sum * max >= 0x1p52) return std::nullopt;

  FftPlan result;
  result.tile_width = tile_side(t.width);
  result.tile_height = tile_side(t.height);
  const double points = static_cast<double>(result.tile_width) * result.tile_height;
  const int levels = std::countr_zero(static_cast<unsigned>(result.tile_width)) +
                     std::countr_zero(static_cast<unsigned>(result.tile_height));
  // Two tiles pass together, one in the real parts.
  const double norm_of_tile = max * std::sqrt(2 * points);
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest)));
  for (int count = 1; count <= most_pieces; ++count) {
    result.piece_bits = (bits + count) / count;
    result.pieces = digits(t.dense, count, result.piece_bits);
    if (std::ranges::all_of(result.pieces, [&](const std::vector<double>& piece) {
          return error_of_transform(norm_of_tile, norm(piece), levels) <= largest_error;
        }))
      return result;
  }
  return std::nullopt;
}

}  // namespace vidconv
