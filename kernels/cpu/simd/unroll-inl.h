// Loops that are unrolled at compile time. Compiled once for each instruction set; the includer
// writes VIDCONV_DOT_TARGET, as dot-inl.h asks, or nothing could be inlined.
#if defined(VIDCONV_CPU_UNROLL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_UNROLL_INL_H
#undef VIDCONV_CPU_UNROLL_INL_H
#else
#define VIDCONV_CPU_UNROLL_INL_H
#endif

#include <hwy/highway.h>

#include <type_traits>
#include <utility>

#include "kernels/cpu/simd/dot-inl.h"

// For lambdas of vectors: GCC 12 otherwise makes large ones, and those called several times,
// functions of their own, and leaves the vectors that they refer to in memory. Sanitizers make so
// much of them that a file would compile for minutes; clang chooses by itself.
#undef VIDCONV_LAMBDA
#if defined(__clang__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VIDCONV_LAMBDA HWY_ATTR
#else
#define VIDCONV_LAMBDA HWY_ATTR __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

template <int from, int... i, class F>
HWY_INLINE void unrolled_at(std::integer_sequence<int, i...>, const F& f) {
  (f(std::integral_constant<int, from + i>()), ...);
}

// Calls f(i) for i from `from` up to `to`. Each i is a constant, so that vectors in arrays are
// kept in registers; GCC 12 leaves those of ordinary loops in memory. Calls one within the other
// would take GCC longer: it optimises each. For the same reason f takes an int where no type or
// `if constexpr` depends on i: it is then one function, not one for each i.
template <int from, int to, class F>
HWY_INLINE void unrolled(const F& f) {
  if constexpr (from < to) unrolled_at<from>(std::make_integer_sequence<int, to - from>(), f);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
