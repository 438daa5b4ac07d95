// Integer tensor cores (mma.sync, sm_80 and later): convolution as a product with a banded matrix
// of taps. Exact: products of bytes are added in int32, modulo 2^32.
//
// One mma.m16n8k32 makes 16 x 8 sums of 32 products, at about the price of 4 to 8 multiply-adds of
// the other units; so even a matrix that is mostly zeros outside its band is cheap.
//
// Lane 4 * g + q holds (PTX ISA, "Matrix fragments for mma.m16n8k32"):
//   A (16 x 32, 4 registers of 4 bytes): rows g, g+8, g, g+8; columns 4q..4q+3, then 16 more
//   B (32 x 8, 2 registers):             column g; rows 4q..4q+3 and 16 + 4q..4q+3
//   sums (16 x 8, 4 registers):          rows g, g, g+8, g+8; columns 2q, 2q+1, 2q, 2q+1
// m16n8k16 has the first half of A and B.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/convolver/convolver.h"
#include "kernels/plan/finish.h"
#include "kernels/plan/plan.h"

namespace vidconv::cuda {

inline constexpr int warp_size = 32;

struct Sums {
  std::int32_t v[4];
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define VIDCONV_MMA(shape, a_type, b_type, a_list, b_list, ...)                                 \
  asm("mma.sync.aligned." shape ".row.col.s32." a_type "." b_type ".s32 {%0,%1,%2,%3}, " a_list \
      ", " b_list ";"                                                                           \
      : "=r"(d.v[0]), "=r"(d.v[1]), "=r"(d.v[2]), "=r"(d.v[3])                                  \
      : __VA_ARGS__, "r"(c.v[0]), "r"(c.v[1]), "r"(c.v[2]), "r"(c.v[3]))
#else  // imma_serves() returned false, or the code for this device is missing
#define VIDCONV_MMA(shape, a_type, b_type, a_list, b_list, ...) (d = c, __trap())
#endif

// Returns c + A * B over 32 products; AByte and BByte are std::int8_t or std::uint8_t.
template <class AByte, class BByte>
__device__ inline Sums mma32(unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0,
                             unsigned b1, const Sums& c) {
  Sums d;
  if constexpr (std::is_same_v<AByte, std::int8_t>)
    VIDCONV_MMA("m16n8k32", "s8", "u8", "{%4,%5,%6,%7}", "{%8,%9}, {%10,%11,%12,%13}", "r"(a0),
                "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  else if constexpr (std::is_same_v<BByte, std::int8_t>)
    VIDCONV_MMA("m16n8k32", "u8", "s8", "{%4,%5,%6,%7}", "{%8,%9}, {%10,%11,%12,%13}", "r"(a0),
                "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  else
    VIDCONV_MMA("m16n8k32", "u8", "u8", "{%4,%5,%6,%7}", "{%8,%9}, {%10,%11,%12,%13}", "r"(a0),
                "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  return d;
}

// Returns c + A * B over 16 products.
template <class AByte, class BByte>
__device__ inline Sums mma16(unsigned a0, unsigned a1, unsigned b0, const Sums& c) {
  Sums d;
  if constexpr (std::is_same_v<AByte, std::int8_t>)
    VIDCONV_MMA("m16n8k16", "s8", "u8", "{%4,%5}", "{%6}, {%7,%8,%9,%10}", "r"(a0), "r"(a1),
                "r"(b0));
  else if constexpr (std::is_same_v<BByte, std::int8_t>)
    VIDCONV_MMA("m16n8k16", "u8", "s8", "{%4,%5}", "{%6}, {%7,%8,%9,%10}", "r"(a0), "r"(a1),
                "r"(b0));
  else
    VIDCONV_MMA("m16n8k16", "u8", "u8", "{%4,%5}", "{%6}, {%7,%8,%9,%10}", "r"(a0), "r"(a1),
                "r"(b0));
  return d;
}
#undef VIDCONV_MMA

// Returns 256 * sums + rest, or + `start` for all sums: the step from the product with the upper
// bytes to the product with the lower ones.
__device__ inline Sums next_byte(const Sums& sums, const Sums& rest) {
  Sums next;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    next.v[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums.v[i]) * 256u +
                                          static_cast<std::uint32_t>(rest.v[i]));
  return next;
}

__device__ inline Sums all(std::int32_t value) { return {{value, value, value, value}}; }
__device__ inline Sums next_byte(const Sums& sums, std::int32_t start) {
  return next_byte(sums, all(start));
}

// Returns all(value) in four registers that the compiler takes for different: it keeps them, and
// need not copy one into four before each product.
__device__ inline Sums all_kept(std::int32_t value) {
  Sums s = all(value);
  asm("" : "+r"(s.v[0]), "+r"(s.v[1]), "+r"(s.v[2]), "+r"(s.v[3]));
  return s;
}

// Returns how many bytes hold each tap of an int32 plan: 1, signed; 2, the upper signed and the
// lower not; 0 where two do not hold them all.
inline int bytes_needed(const std::vector<double>& taps) {
  int bytes = 1;
  for (double tap : taps) {
    if (tap < -32768 || tap > 32767) return 0;
    if (tap < -128 || tap > 127) bytes = 2;
  }
  return bytes;
}

// Returns byte number `byte` of a tap that is held in `bytes` bytes, the upper first.
inline unsigned byte_of(int tap, int byte, int bytes) {
  return static_cast<unsigned>(tap >> (8 * (bytes - 1 - byte))) & 0xFFu;
}

// Taps that two signed bytes hold: the upper one makes up for the sign of the lower.
inline bool has_signed_bytes(double tap) { return tap >= -32768 && tap < 32768 - 128; }
inline unsigned signed_byte_of(int tap, int byte, int bytes) {
  return byte_of(byte == 0 && bytes == 2 ? tap + 128 : tap, byte, bytes);
}

// The last step for 8-bit codes of int32 plans: finish_int() of an `n` that includes the offset
// already, without the clamp to [0, 255], which pack_codes() does.
struct Rounding {
  bool plain;  // no absolute value, and no limits other than 0 and 255
  bool absolute;
  std::int32_t half;
  std::int32_t multiplier;  // 0: the division is a shift
  int shift;
  int min, max;
};

// Larger divisors that are not powers of two are left to other variants.
inline constexpr std::uint32_t largest_divisor = 1 << 22;

inline bool rounding_serves(const Finish& f) {
  return f.divides_by_power_of_two() || f.divisor <= largest_divisor;
}

// Returns whether a plan meets what all tensor-core variants for 8-bit samples require.
inline bool imma_serves(const Plan& plan, const CudaAbilities& abilities) {
  return plan.sample == SampleType{Storage::u8, 8, 0} && plan.arith == Arith::int32 &&
         rounding_serves(plan.finish) && abilities.sm80();
}

// Returns whether a plan meets what all such variants for two-byte samples require; finish_int()
// finishes these.
inline bool imma_serves_two_bytes(const Plan& plan, const CudaAbilities& abilities) {
  return plan.sample.storage == Storage::u16 && plan.arith == Arith::int32 && abilities.sm80();
}

// floor(n / d) = (n * m) >> k for 0 <= n < 256 d, with m = ceil(2^k / d): the product is too large
// by n (m d - 2^k) / d < n, which does no harm up to 256 d * d <= 2^k. With the k below that holds
// up to largest_divisor, and m < 2^31. Other n give a code that is clamped, as it should be.
inline Rounding rounding_of(const Finish& f) {
  Rounding r{};
  r.plain = !f.absolute && f.min == 0 && f.max == 255;
  r.absolute = f.absolute;
  r.half = f.half;
  r.min = f.min;
  r.max = f.max;
  r.shift = f.log2;
  if (f.divides_by_power_of_two()) return r;
  const std::int64_t d = f.divisor;
  const int k = 30 + f.log2;
  r.multiplier = static_cast<std::int32_t>(((std::int64_t{1} << k) + d - 1) / d);
  r.shift = k - 32;
  return r;
}

// Calls body(round) with the shortest function that rounds as `rounding` says: it takes an n and
// returns a code that is not clamped to [0, 255].
template <class Body>
__device__ inline void with_rounding(const Rounding& rounding, Body body) {
  const auto shift = [=](std::int32_t n) { return n >> rounding.shift; };
  const auto divide = [=](std::int32_t n) {
    return __mulhi(n, rounding.multiplier) >> rounding.shift;
  };
  if (!rounding.plain)
    body([=](std::int32_t n) {
      if (rounding.absolute) n = abs(n) + rounding.half;
      return min(max(rounding.multiplier == 0 ? shift(n) : divide(n), rounding.min), rounding.max);
    });
  else if (rounding.multiplier == 0)
    body(shift);
  else
    body(divide);
}

// Packs two or four codes as they lie in memory, each clamped to [0, 255]: I2IP, two codes each.
__device__ inline unsigned pack_codes(int c0, int c1, unsigned above = 0) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 720
  unsigned packed;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(packed) : "r"(c1), "r"(c0), "r"(above));
  return packed;
#else
  const auto code = [](int c) { return static_cast<unsigned>(min(max(c, 0), 255)); };
  return code(c0) | code(c1) << 8 | above << 16;
#endif
}
__device__ inline unsigned pack_codes(int c0, int c1, int c2, int c3) {
  return pack_codes(c0, c1, pack_codes(c2, c3));
}

}  // namespace vidconv::cuda
