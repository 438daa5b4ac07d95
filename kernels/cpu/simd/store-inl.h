// Stores blocks of results. Compiled once for each instruction set; the includer writes
// VIDCONV_DOT_TARGET, as dot-inl.h asks.
#if defined(VIDCONV_CPU_STORE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_STORE_INL_H
#undef VIDCONV_CPU_STORE_INL_H
#else
#define VIDCONV_CPU_STORE_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/cpu/simd/streaming_stores.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Calls blocks(way, begin, end) for the whole blocks of a row of `width` samples, and for the rest
// of it. The usual way is a constant. `blocks` takes a StoreWay, and its loop is compiled once; or
// it takes any type and makes a second loop, which does not ask for the way and has fewer
// instructions.
template <int block, class Blocks>
HWY_INLINE void for_blocks(bool stream, int width, const Blocks& blocks) {
  const int whole = width / block * block;
  if (stream)
    blocks(StoreWay::past_caches, 0, whole);
  else
    blocks(std::integral_constant<StoreWay, StoreWay::usual>(), 0, whole);
  if (whole < width) blocks(StoreWay::part, whole, width);
}

HWY_INLINE StoreWay store_way(bool stream, bool whole) {
  if (!whole) return StoreWay::part;
  return stream ? StoreWay::past_caches : StoreWay::usual;
}

// Stores the vectors of a block at column x of a row of `width` samples.
template <class D, int vectors>
HWY_INLINE void store_block(StoreWay way, D d, const hn::VFromD<D> (&samples)[vectors],
                            hn::TFromD<D>* out, int x, int width) {
  constexpr int lanes = static_cast<int>(hn::MaxLanes(D())), block = vectors * lanes;
  if (HWY_LIKELY(way == StoreWay::usual)) {
    unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {  //
      hn::StoreU(samples[u], d, out + x + u * lanes);
    });
  } else if (way == StoreWay::past_caches) {
    unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
      // Vectors smaller than the machine's cannot be streamed.
      if constexpr (lanes * sizeof(hn::TFromD<D>) >= 16)
        hn::Stream(samples[u], d, out + x + u * lanes);
      else
        hn::StoreU(samples[u], d, out + x + u * lanes);
    });
  } else {
    HWY_ALIGN hn::TFromD<D> last[block];
    unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {  //
      hn::Store(samples[u], d, last + u * lanes);
    });
    std::copy_n(last, std::min(block, width - x), out + x);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
