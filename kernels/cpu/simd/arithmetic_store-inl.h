// Stores sums in lanes as samples of a row. Compiled once for each instruction set.
#if defined(VIDCONV_CPU_LANE_STORE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_LANE_STORE_INL_H
#undef VIDCONV_CPU_LANE_STORE_INL_H
#else
#define VIDCONV_CPU_LANE_STORE_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/simd/arithmetic-inl.h"
#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/cpu/simd/finish-inl.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// The last step for float samples of one kernel: an offset is added, and the sign may go.
template <class D>
class PlainFloats {
 public:
  explicit HWY_INLINE PlainFloats(const Finish& f)
      : serves_(f.combine == Combine::linear),
        absolute_(f.absolute),
        offset_(hn::Set(D(), static_cast<float>(f.real_offset))) {}
  HWY_INLINE bool serves() const { return serves_; }
  HWY_INLINE hn::VFromD<D> of(hn::VFromD<D> response) const {
    const hn::VFromD<D> v = hn::Add(response, offset_);
    // Max takes the second one of two zeros, and where one is not a number: v, as it is not below
    // 0.
    return absolute_ ? hn::Max(hn::Neg(v), v) : v;
  }

 private:
  const bool serves_, absolute_;
  const hn::VFromD<D> offset_;
};

// Stores a block's sums by way of every step of Finish. A function of its own, because inlined it
// is most of a loop's code, and slow to compile.
template <class D, int vectors, class T>
HWY_NOINLINE void store_finished(StoreWay way, D d, const Finish& finish,
                                 const hn::VFromD<D> (&sums)[vectors], int shift, T* out, int x,
                                 int width) {
  using Narrow = hn::Rebind<T, D>;
  hn::VFromD<Narrow> samples[vectors];
  unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
    samples[u] = samples_of<T>(d, finish_lanes<T>(finish, d, sums[u]), shift);
  });
  store_block(way, Narrow(), samples, out, x, width);
}

// Stores the sums of a block at column x of a row of `width` samples. `last` is Finish, or
// PlainFloats or PlainCodes where they serve. `shift` is that of stored
// codes.
template <class D, class Last, int vectors, class T>
HWY_INLINE void store_lanes(StoreWay way, D d, const Last& last,
                            const hn::VFromD<D> (&sums)[vectors], int shift, T* out, int x,
                            int width) {
  if constexpr (std::is_same_v<Last, Finish>) {
    hn::VFromD<D> in_memory[vectors];  // so that the caller's stay in registers
    unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA { in_memory[u] = sums[u]; });
    return store_finished(way, d, last, in_memory, shift, out, x, width);
  } else {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    if constexpr (std::is_same_v<hn::TFromD<D>, float> && sizeof(T) == 2 && vectors % 2 == 0) {
      constexpr hn::ScalableTag<std::uint16_t> d16;
      hn::VFromD<decltype(d16)> samples[vectors / 2];
      unrolled<0, vectors / 2>([&](int u) VIDCONV_LAMBDA {
        samples[u] =
            clamped_halves(truncated(last.of(sums[2 * u])), truncated(last.of(sums[2 * u + 1])));
        samples[u] = hn::ShiftLeftSame(samples[u], shift);
      });
      return store_block(way, d16, samples, out, x, width);
    }
#endif
    using Narrow = hn::Rebind<T, D>;
    hn::VFromD<Narrow> samples[vectors];
    unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
      if constexpr (std::is_same_v<T, float>)
        samples[u] = last.of(sums[u]);
      else
        samples[u] = samples_of_plain<T>(d, last.of(sums[u]), shift);
    });
    store_block(way, Narrow(), samples, out, x, width);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
