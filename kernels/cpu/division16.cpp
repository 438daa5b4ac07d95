#include "kernels/cpu/division16.h"

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

}  // namespace vidconv
