#include "kernels/cpu/simd/sums16.h"

#include <algorithm>

namespace vidconv {

std::optional<Sums16> find_sums16(const Plan& plan) {
  Finish f = plan.finish;
  if (plan.sample.storage == Storage::f32 || plan.arith != Arith::int32 || plan.terms.size() != 1 ||
      plan.terms[0].dense.empty() || f.combine != Combine::linear || f.lowest != 0)
    return std::nullopt;
  double lowest = std::min(f.offset, 0), highest = std::max(f.offset, 0);
  for (const double tap : plan.terms[0].dense)
    (tap < 0 ? lowest : highest) += tap * plan.sample.max();
  if (f.absolute) {
    if (lowest < -32767 || highest > 32767) return std::nullopt;
    highest = std::max(-lowest, highest) + f.half;
    lowest = 0;
  }
  if (highest - lowest > 65535) return std::nullopt;
  f.limit = std::min(f.limit, static_cast<std::int32_t>(highest));
  const auto division = find_division16(f);
  if (!division) return std::nullopt;
  return Sums16{.start = static_cast<std::uint16_t>(f.offset - static_cast<int>(lowest)),
                .half = static_cast<std::uint16_t>(f.half),
                .below_zero = static_cast<std::uint16_t>(-lowest),
                .limit = static_cast<std::uint16_t>(f.limit),
                .absolute = f.absolute,
                .division = *division,
                .shift = plan.sample.shift};
}

}  // namespace vidconv
