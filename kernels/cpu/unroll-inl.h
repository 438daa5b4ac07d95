// Loops that are unrolled when they are compiled. Compiled once for each instruction set.
#if defined(VIDCONV_CPU_UNROLL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_UNROLL_INL_H
#undef VIDCONV_CPU_UNROLL_INL_H
#else
#define VIDCONV_CPU_UNROLL_INL_H
#endif

#include <hwy/highway.h>

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace vidconv {
namespace HWY_NAMESPACE {

// Calls f(i) for i from `from` up to `to`. Each i is a constant, so that vectors in arrays are
// kept in registers; GCC 12 leaves those of ordinary loops in memory.
template <int from, int to, class F>
HWY_INLINE void unrolled(const F& f) {
  if constexpr (from < to) {
    f(std::integral_constant<int, from>());
    unrolled<from + 1, to>(f);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
