// Vectors of sums at even and at odd columns, as 16-bit multiply-adds make them, and the last step
// from them to codes. Compiled once for each instruction set.
#if defined(VIDCONV_CPU_INT16_CODES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_INT16_CODES_INL_H
#undef VIDCONV_CPU_INT16_CODES_INL_H
#else
#define VIDCONV_CPU_INT16_CODES_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "kernels/cpu/dense/conv_int16_plan.h"
#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/cpu/simd/finish-inl.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace int16 {

using D16 = hn::ScalableTag<std::int16_t>;
using D32 = hn::RepartitionToWide<D16>;
using V16 = hn::VFromD<D16>;
using V32 = hn::VFromD<D32>;
constexpr D16 d16;
constexpr D32 d32;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d16));

// Returns the lower halves of `even` and `odd`, in turn.
HWY_INLINE V16 weave(V32 even, V32 odd) {
  return hn::OddEven(hn::BitCast(d16, hn::ShiftLeft<16>(odd)), hn::BitCast(d16, even));
}

// Returns the upper halves, in turn.
HWY_INLINE V16 weave_upper(V32 even, V32 odd) {
  return hn::OddEven(hn::BitCast(d16, odd), hn::BitCast(d16, hn::ShiftRight<16>(even)));
}

// Returns the 16 bits from bit `shift` on, which is at most 16, in turn.
HWY_INLINE V16 weave_from(int shift, V32 even, V32 odd) {
  return hn::OddEven(hn::BitCast(d16, hn::ShiftLeftSame(odd, 16 - shift)),
                     hn::BitCast(d16, hn::ShiftRightSame(even, shift)));
}

// Returns how far the upper halves of sums are shifted down to give quotients, where the divisor is
// a power of two from 2^16 on and storing bytes clamps as wanted; else -1.
inline int upper_shift(const Finish& f) {
  const bool power = f.divides_by_power_of_two();
  return power && f.log2 >= 16 && f.min == 0 && f.max == 255 ? f.log2 - 16 : -1;
}

// The last step, for sums at even and at odd columns. `plain` is as in ConvInt16Plan.
template <bool plain>
class Ending {
 public:
  explicit Ending(const ConvInt16Plan& plan)
      : finish_(plan.finish),
        narrow_(plan.division),
        division_(plan.division.value_or(Division16{})),
        upper_shift_(upper_shift(plan.finish)) {}

  template <class T>
  HWY_INLINE V16 codes(V32 even, V32 odd) const {
    if constexpr (plain && sizeof(T) == 1)
      if (upper_shift_ >= 0) return hn::ShiftRightSame(weave_upper(even, odd), upper_shift_);
    if (narrow_) {
      const hn::RebindToUnsigned<D16> du16;
      const auto n = hn::BitCast(du16, weave(numerator(even), numerator(odd)));
      return hn::BitCast(d16, quotients16(division_, du16, n));
    }
    if constexpr (plain)
      return weave(quotients(finish_, d32, numerator(even)),
                   quotients(finish_, d32, numerator(odd)));
    else
      return weave(finish_lanes<T>(finish_, d32, even), finish_lanes<T>(finish_, d32, odd));
  }

 private:
  HWY_INLINE V32 numerator(V32 n) const {
    if constexpr (plain)
      return hn::Min(hn::Max(n, hn::Set(d32, finish_.lowest)), hn::Set(d32, finish_.limit));
    else
      return numerators(finish_, d32, n);
  }

  const Finish finish_;
  const bool narrow_;
  const Division16 division_;
  const int upper_shift_;
};

// The last step for a kernel of one pass where ConvInt16Plan::shifts. `centred`: 16-bit codes are
// less an offset of 2^15, so that clamping to signed 16 bits clamps to codes.
template <bool centred>
class Shift {
 public:
  explicit HWY_INLINE Shift(const ConvInt16Plan& plan)
      : start(plan.terms[0].start - (centred ? 32768 << plan.finish.log2 : 0)),
        log2_(plan.finish.log2),
        clamps_(!centred || plan.finish.min != 0 || plan.finish.max != 65535),
        min_(hn::Set(d16, static_cast<std::int16_t>(plan.finish.min - centre))),
        max_(hn::Set(d16, static_cast<std::int16_t>(plan.finish.max - centre))) {}

  template <class T>
  HWY_INLINE V16 codes(V32 even, V32 odd) const {
    V16 codes =
        hn::ReorderDemote2To(d16, hn::ShiftRightSame(even, log2_), hn::ShiftRightSame(odd, log2_));
    if (clamps_) codes = hn::Min(hn::Max(codes, min_), max_);
    // Demoting leaves four of each in turn; this makes it one of each.
    alignas(16) static constexpr std::uint8_t in_turn[16] = {0, 1, 8,  9,  2, 3, 10, 11,
                                                             4, 5, 12, 13, 6, 7, 14, 15};
    codes = hn::TableLookupBytes(codes, hn::BitCast(d16, hn::LoadDup128(Sum::D8(), in_turn)));
    return centred ? hn::Xor(codes, hn::Set(d16, -32768)) : codes;
  }

  const std::int32_t start;  // where sums start

 private:
  static constexpr int centre = centred ? 32768 : 0;
  const int log2_;
  const bool clamps_;
  const V16 min_, max_;
};

// The last step for such a kernel where the plan has no `shifts`.
struct Division : Ending<true> {
  explicit HWY_INLINE Division(const ConvInt16Plan& plan)
      : Ending<true>(plan), start(plan.terms[0].start) {}

  const std::int32_t start;
};

// Stores the codes of a block at column x of a row.
template <class T, int vectors>
HWY_INLINE void store_codes(StoreWay way, const V16 (&codes)[vectors], [[maybe_unused]] int shift,
                            T* out, int x, int width) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  if constexpr (sizeof(T) == 1 && vectors == 2) {
    const Sum::V8 samples[] = {clamped_bytes(codes[0], codes[1])};
    return store_block(way, Sum::D8(), samples, out, x, width);
  }
#endif
  using Narrow = hn::Rebind<T, D16>;
  hn::VFromD<Narrow> samples[vectors];
  unrolled<0, vectors>([&](int u)
                           VIDCONV_LAMBDA { samples[u] = samples_of16<T>(codes[u], shift); });
  store_block(way, Narrow(), samples, out, x, width);
}

}  // namespace int16

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
