#include "kernels/cpu/simd/division16.h"

namespace vidconv {

std::optional<Division16> find_division16(const Finish& finish) {
  if (finish.combine == Combine::l2 || finish.limit > 65535) return std::nullopt;
  if (finish.divides_by_power_of_two()) return Division16{0, finish.log2};
  // By trial: a multiplier of 16 bits does not do for every divisor and range.
  const int shift = finish.log2 - 1;
  const std::uint32_t divisor = finish.divisor, multiplier = (65536U << shift) / divisor + 1;
  for (std::uint32_t n = 0; n <= static_cast<std::uint32_t>(finish.limit); ++n)
    if ((n * multiplier >> 16) >> shift != n / divisor) return std::nullopt;
  return Division16{static_cast<std::uint16_t>(multiplier), shift};
}

float find_inverse(const Finish& finish, int max) {
  // The inverse is rounded by up to 2^-24 of itself, the product and the sum, below max + 1, a
  // power of two, by up to 2^-25 of that each.
  const double divisor = finish.divisor;
  if (finish.limit >= 1 << 24 || (max + 1) * 0x1p-23 >= 0.5 / divisor) return 0;
  return static_cast<float>(1 / divisor);
}

}  // namespace vidconv
