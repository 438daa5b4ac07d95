#include "kernels/cpu/dense/conv3x3_int16_plan.h"

#include <algorithm>
#include <cstdlib>

#include "kernels/cpu/dense/conv_int16_plan.h"

namespace vidconv {

std::optional<Conv3x3Plan> make_matrix16_plan(const Plan& plan) {
  Finish f = plan.finish;
  if (plan.sample.storage == Storage::f32 || plan.arith != Arith::int32 || plan.terms.size() != 1 ||
      f.combine != Combine::linear || f.lowest != 0)
    return std::nullopt;
  const Taps& t = plan.terms[0];
  if (t.dense.size() != 9 || t.width != 3 || t.anchor_x != 1 || t.anchor_y != 1 ||
      !fit_16_bits(t.dense))
    return std::nullopt;

  double lowest = std::min(f.offset, 0), highest = std::max(f.offset, 0);
  for (double tap : t.dense) (tap < 0 ? lowest : highest) += tap * plan.sample.max();
  if (f.absolute) {
    if (lowest < -32767 || highest > 32767) return std::nullopt;
    highest = std::max(-lowest, highest) + f.half;
    lowest = 0;
  }
  if (highest - lowest > 65535) return std::nullopt;
  f.limit = std::min(f.limit, static_cast<std::int32_t>(highest));
  const auto division = find_division16(f);
  if (!division) return std::nullopt;

  Conv3x3Plan result;
  std::ranges::transform(t.dense, result.taps.begin(),
                         [](double tap) { return static_cast<std::int16_t>(tap); });
  const std::array<std::int16_t, 9>& taps = result.taps;
  result.symmetric = taps[0] == taps[2] && taps[3] == taps[5] && taps[0] == taps[6] &&
                     taps[1] == taps[7] && taps[0] == taps[8];
  // Pairs of products are added in signed 16 bits.
  const auto fit_bytes = [&](int first, int second) {
    return first >= -128 && first <= 127 && second >= -128 && second <= 127 &&
           std::abs(first) + std::abs(second) <= 128;
  };
  if (plan.sample.storage == Storage::u8 &&
      !(result.symmetric && fit_bytes(taps[0], taps[1]) && fit_bytes(taps[3], taps[4])))
    return std::nullopt;
  result.below_zero = static_cast<std::uint16_t>(-lowest);
  result.start = static_cast<std::uint16_t>(f.offset - static_cast<int>(lowest));
  result.absolute = f.absolute;
  result.half = static_cast<std::uint16_t>(f.half);
  result.limit = static_cast<std::uint16_t>(f.limit);
  result.division = *division;
  result.shift = plan.sample.shift;
  return result;
}

}  // namespace vidconv
