#include "kernels/cpu/fft/fft_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/plan/transform_error.h"

namespace vidconv {
namespace {

constexpr double largest_error = 1.0 / 4;               // largest error of a sum; 1/2 would do
constexpr int smallest_tile = 64, largest_tile = 2048;  // points on a side
constexpr int most_pieces = 8;

int log2_of(int side) { return std::countr_zero(static_cast<unsigned>(side)); }

// Returns about how much longer a point takes in a tile that no longer fits a cache, as measured
// with AVX2 on a Zen 1 (512 KB for each core) and with AVX-512 on a Sapphire Rapids (2 MB).
double slowed(double points) {
  constexpr double bytes = 16, fast = 600 << 10;
  return std::pow(std::max(1., points * bytes / fast), 0.37);
}

// Chooses the tile that takes the least time for a result: small ones have few of them, large ones
// more levels.
void choose_tile(const Taps& t, FftPlan& plan) {
  constexpr double besides = 4;  // other work on each point, in levels
  double best = 0;
  for (int height = smallest_tile; height <= largest_tile; height *= 2) {
    for (int width = smallest_tile; width <= largest_tile; width *= 2) {
      if (width < t.width || height < t.height) continue;
      const double points = static_cast<double>(width) * height;
      const double results = static_cast<double>(width - t.width + 1) * (height - t.height + 1);
      const double speed =
          results / (points * slowed(points) * (log2_of(width) + log2_of(height) + besides));
      if (speed <= best) continue;
      best = speed;
      plan.tile_width = width;
      plan.tile_height = height;
    }
  }
}

// Returns digits of base 2^bits between -2^(bits - 1) and 2^(bits - 1), the lowest first; the last
// takes the rest.
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
  if (plan.arith == Arith::float32 || plan.terms.size() != 1 ||
      plan.finish.combine != Combine::linear)
    return std::nullopt;
  const Taps& t = plan.terms[0];
  if (t.dense.empty() || t.separable()) return std::nullopt;
  if (plan.sample.storage == Storage::f32) {
    FftPlan result;
    choose_tile(t, result);
    result.pieces = {t.dense};
    result.error = error_of_matrix(t, log2_of(result.tile_width) + log2_of(result.tile_height),
                                   t.width + t.height);
    return result;
  }

  const double max = plan.sample.max();
  double largest = 0, sum = 0;
  for (double tap : t.dense) {
    if (tap != std::nearbyint(tap)) return std::nullopt;
    largest = std::max(largest, std::abs(tap));
    sum += std::abs(tap);
  }
  if (sum * max >= 0x1p52) return std::nullopt;

  FftPlan result;
  choose_tile(t, result);
  const double points = static_cast<double>(result.tile_width) * result.tile_height;
  const int levels = log2_of(result.tile_width) + log2_of(result.tile_height);
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
