// The length of a gradient, rounded to a code. Compiled once for each instruction set; the includer
// writes VIDCONV_DOT_TARGET, as dot-inl.h asks.
#if defined(VIDCONV_CPU_LENGTH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_LENGTH_INL_H
#undef VIDCONV_CPU_LENGTH_INL_H
#else
#define VIDCONV_CPU_LENGTH_INL_H
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Whether the approximation below is near enough.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
constexpr bool near_root = true;
#else
constexpr bool near_root = false;
#endif

// Returns the roots of integers from 0 to 1023 * 1024, rounded, in the lower halves of the lanes.
// The upper halves have at most the sign and the exponent of a float: 8 bits or more between are 0.
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

// Returns min(rounded root of the sum of the squares of a pair, most), in the lower half of its
// lane. `most` is at most 1023.
HWY_INLINE Sum::V32 length_of(int most, Sum::V16 pairs) {
  Sum sum;
  sum.start(0);
  sum.add(pairs, pairs);
  // Beyond this square, the code is the largest one.
  return roots(hn::Min(sum.total(), hn::Set(Sum::d32, most * (most + 1))));
}

// x * x + y * y + `start`, of the lower and of the upper half of each block of 128 bits.
struct Squares {
  using DF = hn::Rebind<float, Sum::D32>;
  hn::VFromD<DF> lower, upper;
  HWY_INLINE Squares(Sum::V16 x, Sum::V16 y, std::int32_t start) {
    constexpr Sum::D16 d16;
    lower = of_pairs(hn::InterleaveLower(d16, x, y), start);
    upper = of_pairs(hn::InterleaveUpper(d16, x, y), start);
  }

 private:
  static HWY_INLINE hn::VFromD<DF> of_pairs(Sum::V16 pairs, std::int32_t start) {
    Sum sum;
    sum.start(start);
    sum.add(pairs, pairs);
    return hn::ConvertTo(DF(), sum.total());
  }
};

// Whether codes of NaN are 0 when packed.
constexpr bool packs_nan = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2;

// Returns the lanes of two vectors, in the order that Squares gave them, clamped to 16 bits.
HWY_INLINE Sum::V16 clamped_to_16(Sum::V32 lower, Sum::V32 upper) {
#if HWY_TARGET == HWY_AVX2
  return hn::BitCast(Sum::D16(), clamped_quarters(lower, upper));
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return Sum::V16{_mm512_packus_epi32(lower.raw, upper.raw)};
#else
  return hn::ReorderDemote2To(Sum::D16(), lower, upper);
#endif
}

// The roots of x * x + y * y in each lane. They take long, and units that neither divide nor take
// roots are idle meanwhile: there is time for something else until codes() wants them.
class Roots8 {
 public:
  HWY_INLINE Roots8() {}
  HWY_INLINE Roots8(Sum::V16 x, Sum::V16 y) {
    constexpr Squares::DF real;
    const Squares v(x, y, 0);
    lower_ = hn::Sqrt(v.lower);
    if constexpr (near_root) {
      // Half of the roots are approximated, with a step of Newton's. It makes 2^-22 of the largest
      // error of an approximation (1.5 * 2^-12 of it). A root of an integer is not so near to a
      // half. The root of 0 may become NaN.
      const auto inverse =
          hn::ApproximateReciprocalSqrt(packs_nan ? v.upper : hn::Max(v.upper, hn::Set(real, 1)));
      const auto root = hn::Mul(v.upper, inverse);
      upper_ = hn::MulAdd(hn::NegMulAdd(root, root, v.upper), hn::Mul(inverse, hn::Set(real, 0.5F)),
                          root);
    } else {
      upper_ = hn::Sqrt(v.upper);
    }
    settle(lower_);
    settle(upper_);
  }
  // Returns the rounded roots: right up to 255, and larger or clamped to 16 bits beyond.
  HWY_INLINE Sum::V16 codes() const { return clamped_to_16(nearest(lower_), nearest(upper_)); }

 private:
  hn::VFromD<Squares::DF> lower_, upper_;
};

// Returns min(rounded root of x * x + y * y, most) for each lane; `most` is at most 1023, x and y
// are at most four times as large.
HWY_INLINE Sum::V16 lengths10(int most, Sum::V16 x, Sum::V16 y) {
  constexpr Sum::D16 d16;
  constexpr Sum::D32 d32;
  constexpr Squares::DF real;
  const auto most16 = hn::Set(d16, static_cast<std::int16_t>(most));
  if constexpr (!near_root) {
    const Squares v(x, y, 0);
    return hn::Min(
        hn::ReorderDemote2To(d16, nearest(hn::Sqrt(v.lower)), nearest(hn::Sqrt(v.upper))), most16);
  }
  // A root plus 1/2 and less 9/16, with 5 fraction bits, clamped to 16 bits when packed: it is the
  // lower bits of its sum with 2^18. The approximation is off by 1.5 * 2^-12 of the root at most,
  // and the 1 that is added (0 has no reciprocal root) by less than the 9/16 take off: rounded
  // down, it is the result or one less.
  const auto fixed = [&](auto v) VIDCONV_LAMBDA {
    const auto root =
        hn::MulAdd(v, hn::ApproximateReciprocalSqrt(v), hn::Set(real, 0x1p18F - 0.0625F));
    return hn::Sub(hn::BitCast(d32, root), hn::Set(d32, std::bit_cast<std::int32_t>(0x1p18F)));
  };
  const Squares v(x, y, 1);
  const auto root = hn::ShiftRight<5>(hn::ReorderDemote2To(d16, fixed(v.lower), fixed(v.upper)));
  const auto next = hn::Add(root, hn::Set(d16, std::int16_t{1}));
  // One more where the square is beyond root * next; what both differ by fits 16 bits.
  const auto square = hn::Add(hn::Mul(x, x), hn::Mul(y, y));
  const auto more = hn::Gt(hn::Sub(square, hn::Mul(root, root)), root);
  return hn::Min(hn::IfThenElse(more, next, root), most16);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
