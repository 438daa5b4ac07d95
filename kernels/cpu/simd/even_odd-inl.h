// Samples as wider lanes, with even and odd columns apart. Compiled once for each instruction set;
// the includer writes VIDCONV_DOT_TARGET, as dot-inl.h asks.
#if defined(VIDCONV_CPU_COLUMNS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_COLUMNS_INL_H
#undef VIDCONV_CPU_COLUMNS_INL_H
#else
#define VIDCONV_CPU_COLUMNS_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/cpu/simd/dot-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The samples from `from` on, in lanes twice as wide: at the columns left of the even ones, at the
// even ones, at the odd ones, and right of the odd ones.
template <class DW>
struct Columns {
  hn::VFromD<DW> left, even, odd, right;

  template <class T>
  explicit HWY_INLINE Columns(const T* from) {
    constexpr int bits = 8 * sizeof(T);
    constexpr DW dw;
    constexpr hn::Repartition<T, DW> d;
    constexpr hn::RebindToUnsigned<DW> du;
    const auto mask = hn::Set(dw, (1 << bits) - 1);
    const auto before = hn::LoadU(d, from - 1), after = hn::LoadU(d, from + 1);
    left = hn::And(hn::BitCast(dw, before), mask);
    even = hn::BitCast(dw, hn::ShiftRight<bits>(hn::BitCast(du, before)));
    odd = hn::And(hn::BitCast(dw, after), mask);
    right = hn::BitCast(dw, hn::ShiftRight<bits>(hn::BitCast(du, after)));
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
