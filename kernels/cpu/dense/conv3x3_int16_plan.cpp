#include "kernels/cpu/dense/conv3x3_int16_plan.h"

#include <algorithm>
#include <cstdlib>

#include "kernels/cpu/dense/conv_int16_plan.h"

namespace vidconv {

std::optional<Conv3x3Plan> make_matrix16_plan(const Plan& plan) {
  const std::optional<Sums16> sums = find_sums16(plan);
  if (!sums) return std::nullopt;
  const Taps& t = plan.terms[0];
  if (t.dense.size() != 9 || t.width != 3 || t.anchor_x != 1 || t.anchor_y != 1 ||
      !fit_16_bits(t.dense))
    return std::nullopt;

  Conv3x3Plan result{*sums};
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
  return result;
}

}  // namespace vidconv
