#include "kernels/cpu/dense/conv_u8_vnni_plan.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/convolver/window.h"
#include "kernels/cpu/dense/conv_int16_plan.h"

namespace vidconv {
namespace {

using FourTaps = ConvU8VnniPlan::FourTaps;

// Returns the taps of row j from column i on; 0 beyond the matrix.
FourTaps four_taps(const Taps& t, int i, int j) {
  std::array<std::int32_t, 4> taps{};
  for (int k = 0; k < 4; ++k)
    if (i + k >= 0 && i + k < t.width)
      taps[static_cast<std::size_t>(k)] =
          static_cast<std::int32_t>(t.dense[static_cast<std::size_t>(j * t.width + i + k)]);
  const auto bits = [&](std::size_t k, std::uint32_t mask) {
    return static_cast<std::uint32_t>(taps[k]) & mask;
  };
  const auto pair = [&](std::size_t lower, std::size_t upper) {
    return static_cast<std::int32_t>(bits(lower, 0xFFFF) | bits(upper, 0xFFFF) << 16);
  };
  return {bits(0, 0xFF) | bits(1, 0xFF) << 8 | bits(2, 0xFF) << 16 | bits(3, 0xFF) << 24,
          pair(0, 2), pair(1, 3)};
}

bool zero(const FourTaps& taps) { return taps.even == 0 && taps.odd == 0; }

// Adds the steps of `kernels` terms: sum number i is of kernel i % kernels in output row i /
// kernels.
void add_steps(std::span<const Taps> kernels, const Reach& reach, ConvU8VnniPlan& result) {
  constexpr int sums = ConvU8VnniPlan::sums;
  const int count = static_cast<int>(kernels.size()), rows = sums / count;
  const int window = reach.above + rows + reach.below;
  for (int line = 0; line < window; ++line) {
    for (int column = -reach.left; column <= reach.right; column += 4) {
      ConvU8VnniPlan::Step step{line, column, {}};
      int from = sums, to = 0;
      for (int i = 0; i < sums; ++i) {
        const Taps& t = kernels[static_cast<std::size_t>(i % count)];
        // The matrix's row that lies on the line.
        const int j = line - i / count - (reach.above - t.anchor_y);
        if (j < 0 || j >= t.height) continue;
        const FourTaps taps = four_taps(t, column + t.anchor_x, j);
        if (zero(taps)) continue;
        step.taps[static_cast<std::size_t>(i)] = taps;
        from = std::min(from, i);
        to = i + 1;
      }
      if (from < to)
        result.steps[static_cast<std::size_t>(ConvU8VnniPlan::range(from, to))].push_back(step);
    }
  }
}

void add_grid(std::span<const Taps> kernels, ConvU8VnniPlan& result) {
  const int size = kernels[0].width;
  const auto alike = [&](const Taps& t) {
    return t.width == size && t.height == size && t.anchor_x == kernels[0].anchor_x &&
           t.anchor_y == kernels[0].anchor_y;
  };
  if (!result.narrow || !(size == 3 || (size == 5 && kernels.size() == 1)) ||
      !std::ranges::all_of(kernels, alike))
    return;
  result.size = size;
  for (int k = 0; k < static_cast<int>(kernels.size()); ++k)
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < ConvU8VnniPlan::across(size); ++i)
        result.grid[ConvU8VnniPlan::tap_at(size, k, j, i)] =
            four_taps(kernels[static_cast<std::size_t>(k)], 4 * i, j);
}

// Whether the result is code = min(floor(sqrt(x * x + y * y) + 1/2), 255) of sums that fit 16 bits.
// A root of an integer is never nearer to n + 1/2 than floats tell apart there.
bool is_gradient(const Plan& plan) {
  const Finish& f = plan.finish;
  if (f.combine != Combine::l2 || plan.terms.size() != 2 || f.real_divisor != 1 ||
      f.real_offset != 0 || f.real_half != 0.5 || f.min != 0 || f.max != plan.sample.max())
    return false;
  constexpr double largest_sum = 4096;  // beyond, floats round squares and sums
  return std::ranges::none_of(plan.terms, [&](const Taps& t) {
    double lowest = 0, highest = 0;
    for (double tap : t.dense) (tap < 0 ? lowest : highest) += tap * plan.sample.max();
    return t.joins || std::max(-lowest, highest) > largest_sum;
  });
}

// Two passes cost about as much as a matrix of this many taps.
constexpr int few_taps = 25;

}  // namespace

std::optional<ConvU8VnniPlan> make_bytes_plan(const Plan& plan) {
  const Finish& f = plan.finish;
  if (plan.sample.storage != Storage::u8 || plan.sample.shift != 0 || plan.arith != Arith::int32)
    return std::nullopt;
  ConvU8VnniPlan result;
  result.gradient = is_gradient(plan);
  if (!result.gradient && (f.combine != Combine::linear || plan.terms.size() != 1))
    return std::nullopt;
  result.narrow = true;
  for (const Taps& t : plan.terms) {
    if (t.dense.empty() || !fit_16_bits(t.dense)) return std::nullopt;
    if (t.separable() && t.width * t.height > few_taps) return std::nullopt;
    const auto one_byte = [](double tap) { return tap >= -128 && tap <= 127; };
    result.narrow = result.narrow && std::ranges::all_of(t.dense, one_byte);
  }
  add_steps(plan.terms, reach_of(plan), result);
  add_grid(plan.terms, result);
  if (result.gradient) return result;

  result.finish = f;
  result.division = find_division16(f);
  if (!f.absolute) result.start = f.offset;
  double lowest = f.offset, highest = f.offset;
  for (double tap : plan.terms[0].dense) (tap < 0 ? lowest : highest) += tap * plan.sample.max();
  result.clamps = f.absolute || lowest < f.lowest || highest > f.limit;
  using Limits16 = std::numeric_limits<std::int16_t>;
  result.clamps16 = result.clamps && !f.absolute && result.division && lowest >= Limits16::min() &&
                    highest <= Limits16::max() && f.lowest <= Limits16::max();
  return result;
}

}  // namespace vidconv
