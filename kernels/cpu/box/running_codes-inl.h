// The last step of running sums: from sums to codes, and to samples. Compiled once for each
// instruction set.
#if defined(VIDCONV_CPU_RUNNING_CODES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_RUNNING_CODES_INL_H
#undef VIDCONV_CPU_RUNNING_CODES_INL_H
#else
#define VIDCONV_CPU_RUNNING_CODES_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/box/box_int_running_plan.h"
#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/cpu/simd/finish-inl.h"
#include "kernels/cpu/simd/quotient-inl.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// How a plan's sums become codes; all but `any` need RunningBoxPlan::plain.
enum class Division : std::uint8_t { in_16_bits, by_float, by_reciprocal, any };

// Returns, from of(), the codes of the sums in the lanes of D, in the lower 16 bits of each lane. T
// is the sample type. The classes copy what they need of the plan: for all that a compiler knows,
// stores could change the plan.
template <Division division, class T, class D>
class RunningCodes {
  using V = hn::VFromD<D>;

 public:
  explicit HWY_INLINE RunningCodes(const RunningBoxPlan& plan)
      : finish_(plan.finish), tap_(hn::Set(D(), plan.tap)) {}
  HWY_INLINE V of(V sum) const { return finish_lanes<T>(finish_, D(), hn::Mul(sum, tap_)); }

 private:
  const Finish finish_;
  const V tap_;
};

template <class T, class D>
class RunningCodes<Division::by_reciprocal, T, D> {
 public:
  explicit HWY_INLINE RunningCodes(const RunningBoxPlan& plan) : quotient_(plan.finish) {}
  HWY_INLINE hn::VFromD<D> of(hn::VFromD<D> sum) const { return quotient_.of(sum); }

 private:
  const Quotient<D> quotient_;
};

template <class T, class D>
class RunningCodes<Division::by_float, T, D> {
  using Real = hn::Rebind<float, D>;

 public:
  explicit HWY_INLINE RunningCodes(const RunningBoxPlan& plan)
      : inverse_(hn::Set(Real(), plan.inverse)), half_(hn::Set(Real(), plan.inverse / 2)) {}
  HWY_INLINE hn::VFromD<D> of(hn::VFromD<D> sum) const {
    return truncated(hn::MulAdd(hn::ConvertTo(Real(), sum), inverse_, half_));
  }

 private:
  const hn::VFromD<Real> inverse_, half_;
};

template <class T, class D>
class RunningCodes<Division::in_16_bits, T, D> {
 public:
  explicit HWY_INLINE RunningCodes(const RunningBoxPlan& plan) : division_(*plan.division16) {}
  HWY_INLINE hn::VFromD<D> of(hn::VFromD<D> sum) const { return quotients16(division_, D(), sum); }

 private:
  const Division16 division_;
};

// Returns the lower halves of the lanes of two vectors, one after the other. The upper halves must
// be 0.
HWY_INLINE hn::VFromD<hn::ScalableTag<std::uint16_t>> lower_halves(Sum::V32 a, Sum::V32 b) {
#if HWY_TARGET == HWY_AVX2
  return clamped_halves(a, b);
#else
  constexpr hn::ScalableTag<std::uint16_t> d16;
  return hn::ConcatEven(d16, hn::BitCast(d16, b), hn::BitCast(d16, a));
#endif
}

// Returns codes of 8 bits, side by side in the lower half of each lane. Lanes beyond a picture's
// row may hold anything, but change none before them.
HWY_INLINE Sum::V32 byte_pairs(Sum::V32 even, Sum::V32 odd) {
  odd = hn::ShiftLeft<8>(odd);
#if HWY_TARGET == HWY_AVX2
  odd = hn::And(odd, hn::Set(Sum::d32, 0xFF00));  // lower_halves() clamps
#endif
  return hn::Or(even, odd);
}

// Stores the codes of a block, in the lower 16 bits of each lane, at column x of a row.
template <class D, class T, int vectors>
HWY_INLINE void store_running_codes(StoreWay way, D, const hn::VFromD<D> (&codes)[vectors],
                                    int shift, int x, T* out, int width) {
  constexpr hn::ScalableTag<std::uint16_t> d16;
  constexpr int in_one = std::is_same_v<hn::TFromD<D>, std::uint16_t> ? 1 : 2;
  hn::VFromD<decltype(d16)> halves[vectors / in_one];
  unrolled<0, vectors / in_one>([&](int u) VIDCONV_LAMBDA {
    if constexpr (in_one == 1)
      halves[u] = codes[u];
    else
      halves[u] = lower_halves(codes[2 * u], codes[2 * u + 1]);
  });
  if constexpr (sizeof(T) == 2) {
    if (shift != 0)
      unrolled<0, vectors / in_one>(
          [&](int u) VIDCONV_LAMBDA { halves[u] = hn::ShiftLeftSame(halves[u], shift); });
    store_block(way, d16, halves, out, x, width);
  } else {
    constexpr hn::ScalableTag<std::uint8_t> d8;
#if HWY_TARGET == HWY_AVX2
    const hn::RebindToSigned<decltype(d16)> signed16;
    const hn::VFromD<decltype(d8)> bytes[] = {
        clamped_bytes(hn::BitCast(signed16, halves[0]), hn::BitCast(signed16, halves[1]))};
#else
    const hn::VFromD<decltype(d8)> bytes[] = {
        hn::ConcatEven(d8, hn::BitCast(d8, halves[1]), hn::BitCast(d8, halves[0]))};
#endif
    store_block(way, d8, bytes, out, x, width);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
