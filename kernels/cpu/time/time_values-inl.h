// Stored samples as vectors of a plan's own arithmetic. Compiled once for each instruction set.
#if defined(VIDCONV_CPU_TIME_VALUES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_TIME_VALUES_INL_H
#undef VIDCONV_CPU_TIME_VALUES_INL_H
#else
#define VIDCONV_CPU_TIME_VALUES_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/simd/dot-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Returns codes without their shift, or floats, as lanes of D.
template <class T, class D>
HWY_INLINE hn::VFromD<D> values(D d, const T* from, int shift) {
  using Lane = hn::TFromD<D>;
  const auto stored = hn::LoadU(hn::Rebind<T, D>(), from);
  if constexpr (std::is_same_v<T, Lane>) {
    return stored;
  } else if constexpr (std::is_same_v<T, float>) {
    return hn::PromoteTo(d, stored);
  } else {
    const hn::Rebind<std::int32_t, D> d32;
    auto codes = hn::PromoteTo(d32, stored);
    if (sizeof(T) > 1 && shift != 0) codes = hn::ShiftRightSame(codes, shift);
    if constexpr (std::is_same_v<Lane, std::int32_t>)
      return codes;
    else if constexpr (std::is_same_v<Lane, float>)
      return hn::ConvertTo(d, codes);
    else
      return hn::PromoteTo(d, codes);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
