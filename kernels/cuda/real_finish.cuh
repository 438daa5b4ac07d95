// The last step for two adjacent responses in registers, in few instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/plan/finish.h"
#include "kernels/plan/plan.h"

namespace vidconv::cuda {

// What Finish says of float arithmetic. The divisor, of codes, is a power of two.
struct RealFinish {
  float offset;
  bool absolute;
  float half, reciprocal, least, most;  // of codes
};

inline RealFinish real_finish_of(const Plan& plan) {
  const Finish& f = plan.finish;
  return {static_cast<float>(f.real_offset), f.absolute,
          static_cast<float>(f.real_half),   static_cast<float>(1 / f.real_divisor),
          static_cast<float>(f.min),         static_cast<float>(f.max)};
}

// The code in the lower 16 bits. Clamped first, which gives the same as clamping the whole number
// below; that is then made by adding 2^23, rounding down: an addition has eight times the rate of
// floorf() and of conversions.
__device__ inline unsigned code_bits(float response, const RealFinish& f) {
  float v = response + f.offset;
  v = __uint_as_float(__float_as_uint(v) & (f.absolute ? 0x7FFF'FFFFu : ~0u));
  v = (v + f.half) * f.reciprocal;
  return __float_as_uint(__fadd_rd(fminf(fmaxf(v, f.least), f.most), 8388608.0f));
}

// Stores two adjacent outputs at `to`, aligned to both.
template <class T>
__device__ inline void store_pair(std::byte* to, float first, float second, const RealFinish& f,
                                  int shift) {
  if constexpr (std::is_same_v<T, float>) {
    float a = first + f.offset, b = second + f.offset;
    if (f.absolute) a = a < 0 ? -a : a, b = b < 0 ? -b : b;
    *reinterpret_cast<float2*>(to) = make_float2(a, b);
  } else {
    *reinterpret_cast<unsigned*>(to) =
        __byte_perm(code_bits(first, f), code_bits(second, f), 0x5410) << shift;
  }
}

// The same of integers.
template <class T>
__device__ inline void store_pair(std::byte* to, std::int32_t first, std::int32_t second,
                                  const Finish& f, int shift) {
  static_assert(sizeof(T) == 2);
  const auto a = static_cast<unsigned>(finish_int(f, first));
  const auto b = static_cast<unsigned>(finish_int(f, second));
  *reinterpret_cast<unsigned*>(to) = __byte_perm(a, b, 0x5410) << shift;
}

}  // namespace vidconv::cuda
