// What a vector of lanes of the plan's own arithmetic takes: a multiply-add with one rounding, and
// storing samples. Compiled once for each instruction set.
#if defined(VIDCONV_CPU_LANE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_LANE_INL_H
#undef VIDCONV_CPU_LANE_INL_H
#else
#define VIDCONV_CPU_LANE_INL_H
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if !HWY_NATIVE_FMA
// tap * x + sum with one rounding, which MulAdd would not give here.
template <class D>
HWY_NOINLINE hn::VFromD<D> fused(D d, hn::VFromD<D> tap, hn::VFromD<D> x, hn::VFromD<D> sum) {
  using Lane = hn::TFromD<D>;
  constexpr std::size_t count = hn::MaxLanes(d);
  HWY_ALIGN Lane taps[count], xs[count], sums[count];
  hn::Store(tap, d, taps);
  hn::Store(x, d, xs);
  hn::Store(sum, d, sums);
  for (std::size_t i = 0; i < count; ++i) sums[i] = std::fma(taps[i], xs[i], sums[i]);
  return hn::Load(d, sums);
}
#endif

// tap * x + sum; for floats with one rounding.
template <class D>
HWY_INLINE hn::VFromD<D> multiply_add([[maybe_unused]] D d, hn::VFromD<D> tap, hn::VFromD<D> x,
                                      hn::VFromD<D> sum) {
  if constexpr (std::is_same_v<hn::TFromD<D>, std::int32_t>)
    return hn::Add(hn::Mul(tap, x), sum);
  else
#if HWY_NATIVE_FMA
    return hn::MulAdd(tap, x, sum);
#else
    return fused(d, tap, x, sum);
#endif
}

// Stores a vector of results as samples that lie side by side.
template <class T, class D>
HWY_INLINE void store_lanes(D d, hn::VFromD<D> results, int shift, T* to) {
  using Lane = hn::TFromD<D>;
  if constexpr (std::is_same_v<T, Lane>) {
    hn::StoreU(results, d, to);
  } else if constexpr (std::is_same_v<T, float>) {
    const hn::Rebind<float, D> real;
    hn::StoreU(hn::DemoteTo(real, results), real, to);
  } else {
    const hn::Rebind<std::int32_t, D> d32;
    const hn::Rebind<T, D> narrow;
    hn::VFromD<decltype(d32)> codes;
    if constexpr (std::is_same_v<Lane, double>)
      codes = hn::DemoteTo(d32, results);
    else if constexpr (std::is_same_v<Lane, float>)
      codes = hn::ConvertTo(d32, results);
    else
      codes = results;
    hn::StoreU(hn::DemoteTo(narrow, hn::ShiftLeftSame(codes, shift)), narrow, to);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
