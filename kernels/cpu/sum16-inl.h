// Sums of lines in 16 bits, modulo 2^16. Compiled once for each instruction set; who includes it
// says VIDCONV_DOT_TARGET, as dot-inl.h asks.
#if defined(VIDCONV_CPU_SUM16_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_SUM16_INL_H
#undef VIDCONV_CPU_SUM16_INL_H
#else
#define VIDCONV_CPU_SUM16_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "kernels/cpu/sum16_plan.h"
#include "kernels/cpu/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// sums[u] = start + what `groups` make of the samples from column x + u * (lanes of a vector) on,
// on the lines of `window`.
template <int vectors, class D>
HWY_INLINE void sum_groups(D d, const Sum16Plan::Groups& groups, const std::int16_t* const* window,
                           std::ptrdiff_t x, std::uint16_t start, hn::VFromD<D>* sums) {
  using V = hn::VFromD<D>;
  const hn::RebindToSigned<D> d16;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  const auto sample = [&](const Sum16Plan::Place& place, int u) VIDCONV_LAMBDA {
    return hn::BitCast(d, hn::LoadU(d16, window[place.row] + place.column + x + u * lanes));
  };
  unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA { sums[u] = hn::Set(d, start); });
  for (const Sum16Plan::Group& group : groups) {
    V part[vectors];
    unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA { part[u] = hn::Zero(d); });
    for (const Sum16Plan::Place& place : group.plus)
      unrolled<0, vectors>([&](auto u)
                               VIDCONV_LAMBDA { part[u] = hn::Add(part[u], sample(place, u)); });
    for (const Sum16Plan::Place& place : group.minus)
      unrolled<0, vectors>([&](auto u)
                               VIDCONV_LAMBDA { part[u] = hn::Sub(part[u], sample(place, u)); });
    const V tap = hn::Set(d, static_cast<std::uint16_t>(group.tap));
    unrolled<0, vectors>([&](auto u)
                             VIDCONV_LAMBDA { sums[u] = hn::Add(sums[u], hn::Mul(part[u], tap)); });
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
