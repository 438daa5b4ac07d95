#include "kernels/cpu/bytes_plan.h"

#include <algorithm>

#include "kernels/convolver/window.h"
#include "kernels/cpu/int16_plan.h"

namespace vidconv {
namespace {

using FourTaps = BytesPlan::FourTaps;

// The taps from column i on of row j; 0 beyond the matrix.
FourTaps four_taps(const Taps& t, int i, int j) {
  std::array<std::int32_t, 4> taps{};
  for (int k = 0; k < 4 && i + k < t.width; ++k)
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

void add_steps(const Taps& t, const Reach& reach, BytesPlan& result) {
  constexpr int rows = BytesPlan::rows;
  for (int line = 0; line < t.height + rows - 1; ++line) {
    for (int i = 0; i < t.width; i += 4) {
      BytesPlan::Step step{reach.above - t.anchor_y + line, i - t.anchor_x, {}};
      int from = rows, to = 0;
      for (int r = 0; r < rows; ++r) {
        const int j = line - r;  // the matrix's row that lies on the line
        if (j < 0 || j >= t.height) continue;
        const FourTaps taps = four_taps(t, i, j);
        if (zero(taps)) continue;
        step.taps[static_cast<std::size_t>(r)] = taps;
        from = std::min(from, r);
        to = r + 1;
      }
      if (from < to)
        result.steps[static_cast<std::size_t>(BytesPlan::range(from, to))].push_back(step);
    }
  }
}

// Two passes cost about as much as a matrix of this many taps.
constexpr int few_taps = 25;

}  // namespace

std::optional<BytesPlan> make_bytes_plan(const Plan& plan) {
  const Finish& f = plan.finish;
  if (plan.sample.storage != Storage::u8 || plan.sample.shift != 0 || plan.arith != Arith::int32 ||
      f.combine != Combine::linear || plan.terms.size() != 1)
    return std::nullopt;
  const Taps& t = plan.terms[0];
  if (t.dense.empty() || !fit_16_bits(t.dense)) return std::nullopt;
  if (t.separable() && t.width * t.height > few_taps) return std::nullopt;

  BytesPlan result;
  result.narrow =
      std::ranges::all_of(t.dense, [](double tap) { return tap >= -128 && tap <= 127; });
  result.finish = f;
  result.division = find_division16(f);
  if (!f.absolute) result.start = f.offset;
  double lowest = f.offset, highest = f.offset;
  for (double tap : t.dense) (tap < 0 ? lowest : highest) += tap * plan.sample.max();
  result.clamps = f.absolute || lowest < f.lowest || highest > f.limit;
  add_steps(t, reach_of(plan), result);
  return result;
}

}  // namespace vidconv
