// The definition of half floats: IEEE 754's binary16, stored as 16 bits.
#pragma once

#include <cstdint>

#include "kernels/picture/plane.h"

namespace vidconv {

// These are std::bit_cast, which device code cannot call.
VIDCONV_HD constexpr std::uint32_t bits_of_float(float value) {
  return __builtin_bit_cast(std::uint32_t, value);
}
VIDCONV_HD constexpr float float_of_bits(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

// Returns the same number; a NaN keeps its bits, at the upper end of the float's.
VIDCONV_HD constexpr float float_of_half(std::uint16_t half) {
  constexpr std::uint32_t infinity = 0x7C00;
  const std::uint32_t sign = (half & 0x8000U) << 16U, rest = half & 0x7FFFU;
  if (rest >= infinity) return float_of_bits(sign | 0x7F800000U | rest << 13U);
  const float magnitude =
      rest < 0x400 ? static_cast<float>(rest) * 0x1p-24F  // a multiple of the smallest half
                   : float_of_bits((rest << 13U) + ((127U - 15U) << 23U));
  return float_of_bits(sign | bits_of_float(magnitude));
}

// Returns the nearest half, of two the even one; infinity from 65520 on. A NaN keeps its upper
// bits, so that halves that were only copied come back as they were.
VIDCONV_HD constexpr std::uint16_t half_of_float(float value) {
  const auto bits = bits_of_float(value);
  const std::uint32_t sign = bits >> 16U & 0x8000U, rest = bits & 0x7FFFFFFFU;
  std::uint32_t half = 0x7C00;  // infinity
  if (rest > 0x7F800000U) {
    const std::uint32_t kept = rest >> 13U & 0x3FFU;
    half |= kept != 0 ? kept : 0x200U;  // one of no upper bits must not become infinity
  } else if (rest < 0x38800000U) {      // below 2^-14: multiples of 2^-24, as the sum's last bit
    half = bits_of_float(float_of_bits(rest) + 0.5F) - 0x3F000000U;
  } else if (rest < 0x477FF000U) {
    half = (rest + 0xFFFU + (rest >> 13U & 1U) - ((127U - 15U) << 23U)) >> 13U;
  }
  return static_cast<std::uint16_t>(sign | half);
}

}  // namespace vidconv
