// Prefix sums of the lanes of a vector. Compiled once for each instruction set.
#if defined(VIDCONV_CPU_PREFIX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_PREFIX_INL_H
#undef VIDCONV_CPU_PREFIX_INL_H
#else
#define VIDCONV_CPU_PREFIX_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/cpu/simd/dot-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Returns in each lane the sum of that lane and all lower ones.
HWY_INLINE Sum::V32 prefix_sums(Sum::V32 v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  const __m512i zero = _mm512_setzero_si512();
  v = hn::Add(v, Sum::V32{_mm512_alignr_epi32(v.raw, zero, 15)});
  v = hn::Add(v, Sum::V32{_mm512_alignr_epi32(v.raw, zero, 14)});
  v = hn::Add(v, Sum::V32{_mm512_alignr_epi32(v.raw, zero, 12)});
  return hn::Add(v, Sum::V32{_mm512_alignr_epi32(v.raw, zero, 8)});
#else
  constexpr Sum::D32 d{};
  static_assert(hn::MaxLanes(d) <= 8);
  v = hn::Add(v, hn::ShiftLeftLanes<1>(d, v));
  v = hn::Add(v, hn::ShiftLeftLanes<2>(d, v));
  if constexpr (hn::MaxLanes(d) == 8)
    v = hn::Add(v, hn::ConcatLowerLower(d, hn::Broadcast<3>(v), hn::Zero(d)));
  return v;
#endif
}

// Returns the last lane in all lanes.
HWY_INLINE Sum::V32 last_lane(Sum::V32 v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return Sum::V32{_mm512_permutexvar_epi32(_mm512_set1_epi32(15), v.raw)};
#else
  const Sum::V32 last = hn::Broadcast<3>(v);
  if constexpr (hn::MaxLanes(Sum::d32) == 8) return hn::ConcatUpperUpper(Sum::d32, last, last);
  return last;
#endif
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
