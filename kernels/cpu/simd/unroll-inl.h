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

// Calls f(i) for i from `from` up to `to`. Each i is a constant, so that vectors in arrays are
// kept in registers; GCC 12 leaves those of ordinary loops in memory. A pack of constants would be
// a function more, and calls one within the other take GCC longer: it optimises each. For the same
// reason f takes an int where no type or `if constexpr` depends on i: it is then one function, not
// one for each i.
template <int from, int to, class F>
HWY_INLINE void unrolled(const F& f) {
  constexpr int count = to - from;
  if constexpr (count > 0) f(std::integral_constant<int, from>());
  if constexpr (count > 1) f(std::integral_constant<int, from + 1>());
  if constexpr (count > 2) f(std::integral_constant<int, from + 2>());
  if constexpr (count > 3) f(std::integral_constant<int, from + 3>());
  if constexpr (count > 4) f(std::integral_constant<int, from + 4>());
  if constexpr (count > 5) f(std::integral_constant<int, from + 5>());
  if constexpr (count > 6) f(std::integral_constant<int, from + 6>());
  if constexpr (count > 7) f(std::integral_constant<int, from + 7>());
  if constexpr (count > 8) unrolled<from + 8, to>(f);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
