// The length of a gradient, rounded to a code. Compiled once for each instruction set; who includes
// it says VIDCONV_DOT_TARGET, as dot-inl.h asks.
#if defined(VIDCONV_CPU_LENGTH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_LENGTH_INL_H
#undef VIDCONV_CPU_LENGTH_INL_H
#else
#define VIDCONV_CPU_LENGTH_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/cpu/dot-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Whether the approximation below is as near as it has to be.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
constexpr bool near_root = true;
#else
constexpr bool near_root = false;
#endif

// The roots of integers from 0 to 1023 * 1024, rounded, in the lower halves of the lanes. In the
// upper ones are at most the sign and the exponent of a float: 8 bits or more between are 0.
HWY_INLINE Sum::V32 roots(Sum::V32 square) {
  constexpr Sum::D32 d32;
  constexpr hn::Rebind<float, Sum::D32> real;
  const auto v = hn::ConvertTo(real, square);
  if constexpr (!near_root)
    return hn::ConvertTo(d32, hn::Floor(hn::Add(hn::Sqrt(v), hn::Set(real, 0.5F))));
  // x86's approximation is off by at most 1.5 * 2^-12 of the root. Less 2^-11 of it, it is below
  // the root by less than 1, so that rounding it gives the result or one less.
  const auto inverse = hn::ApproximateReciprocalSqrt(hn::Max(v, hn::Set(real, 1)));
  const auto whole =
      hn::Set(real, 0x1p23F);  // added to a float, it rounds; the lower bits say to what
  const auto sum = hn::MulAdd(hn::Mul(v, inverse), hn::Set(real, 1 - 0x1p-11F), whole);
  const auto root = hn::Sub(sum, whole);
  // One more where the square is beyond (root + 1/2)^2.
  const auto more = hn::Gt(v, hn::MulAdd(root, root, root));
  const auto bits = hn::BitCast(d32, sum);
  return hn::IfThenElse(hn::RebindMask(d32, more), hn::Add(bits, hn::Set(d32, 1)), bits);
}

// min(rounded root of the sum of the squares of a pair, most), in the lower half of its lane.
// `most` is at most 1023.
HWY_INLINE Sum::V32 length_of(int most, Sum::V16 pairs) {
  Sum sum;
  sum.start(0);
  sum.add(pairs, pairs);
  // Beyond this square, the code is the largest one.
  return roots(hn::Min(sum.total(), hn::Set(Sum::d32, most * (most + 1))));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
