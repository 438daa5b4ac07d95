// The last step for two adjacent responses in registers, in few instructions.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/plan/finish.h"
#include "kernels/plan/plan.h"

namespace vidconv::cuda {

// The parameters of Finish for float arithmetic. The divisor of codes is a power of two.
struct RealFinish {
  float offset;
  unsigned kept;                        // mask of the bits of a value that count: not the sign
                                        // where the absolute value is asked for
  bool plain;                           // only `half` and `most` matter, responses are not negative
  float half, reciprocal, least, most;  // rounding and limits of codes
};

// `positive` says that no response is negative.
inline RealFinish real_finish_of(const Plan& plan, bool positive = false) {
  const Finish& f = plan.finish;
  return {.offset = static_cast<float>(f.real_offset),
          .kept = f.absolute ? 0x7FFF'FFFFu : ~0u,
          .plain = positive && f.real_offset == 0 && f.real_divisor == 1 && f.min == 0,
          .half = static_cast<float>(f.real_half),
          .reciprocal = static_cast<float>(1 / f.real_divisor),
          .least = static_cast<float>(f.min),
          .most = static_cast<float>(f.max)};
}

// Two samples as they are stored.
template <class T>
using PairOf = std::conditional_t<std::is_same_v<T, float>, float2, unsigned>;

// Returns the code in the lower 16 bits. The value is clamped first, which gives the same as
// clamping the whole number below; that is then made by adding 2^23, rounding down: an addition has
// eight times the rate of floorf() and of conversions.
__device__ inline unsigned code_bits(float v, const RealFinish& f) {
  return __float_as_uint(__fadd_rd(fminf(v, f.most), 8388608.0f));
}

// Returns finish_real() of two responses; `absolute` is for floats, codes use `f`.
template <class T>
__device__ inline PairOf<T> finish_pair(float a, float b, const RealFinish& f, bool absolute,
                                        int shift) {
  if constexpr (std::is_same_v<T, float>) {
    a = a + f.offset, b = b + f.offset;
    if (absolute) a = a < 0 ? -a : a, b = b < 0 ? -b : b;
    return make_float2(a, b);
  } else {
    if (f.plain) {
      a = a + f.half, b = b + f.half;
    } else {
      const auto value = [&](float v) {
        v = __uint_as_float(__float_as_uint(v + f.offset) & f.kept);
        return fmaxf((v + f.half) * f.reciprocal, f.least);
      };
      a = value(a), b = value(b);
    }
    return __byte_perm(code_bits(a, f), code_bits(b, f), 0x5410) << shift;
  }
}

// Returns finish_int() of two responses.
template <class T>
__device__ inline PairOf<T> finish_pair(std::int32_t a, std::int32_t b, const Finish& f,
                                        int shift) {
  static_assert(sizeof(T) == 2);
  return __byte_perm(static_cast<unsigned>(finish_int(f, a)),
                     static_cast<unsigned>(finish_int(f, b)), 0x5410)
         << shift;
}

}  // namespace vidconv::cuda
