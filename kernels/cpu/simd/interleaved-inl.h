// Sums of products of 16-bit lanes that were interleaved from whole vectors, and packed again the
// same way, so that columns stay in order; for AVX2. Compiled once for each instruction set.
#if defined(VIDCONV_CPU_WOVEN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_WOVEN_INL_H
#undef VIDCONV_CPU_WOVEN_INL_H
#else
#define VIDCONV_CPU_WOVEN_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/cpu/simd/finish-inl.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2
namespace woven {

using V16 = Sum::V16;
constexpr Sum::D16 d16;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d16));

HWY_INLINE V16 set(int value) { return hn::Set(d16, static_cast<std::int16_t>(value)); }

// Sums of a vector of columns.
struct Sums {
  Sum lower, upper;

  HWY_INLINE Sums() {}
  HWY_INLINE void start(std::int32_t value) {
    lower.start(value);
    upper.start(value);
  }
  // Adds the products of samples that are interleaved already. `at_once`: they are added here; else
  // GCC makes many products first where it knows all of them, and spills them.
  template <bool at_once = false>
  HWY_INLINE void add_woven(V16 woven_lower, V16 woven_upper, V16 taps) {
    add<at_once>(lower, woven_lower, taps);
    add<at_once>(upper, woven_upper, taps);
  }
  // Adds the products of `a` with the first one of a pair of taps, and of `b` with the second.
  HWY_INLINE void add(V16 a, V16 b, V16 taps) {
    add_woven<true>(hn::InterleaveLower(d16, a, b), hn::InterleaveUpper(d16, a, b), taps);
  }
  // Returns the sums shifted down, clamped to 16 bits.
  HWY_INLINE V16 shifted(int shift) const {
    return hn::ReorderDemote2To(d16, hn::ShiftRightSame(lower.total(), shift),
                                hn::ShiftRightSame(upper.total(), shift));
  }

 private:
  template <bool at_once>
  static HWY_INLINE void add(Sum& sum, V16 samples, V16 taps) {
    Sum next = sum;
    next.add(samples, taps);
    if constexpr (at_once) settle(next.a);
    sum = next;
  }
};

// The last step of sums: makes codes, from `min` to `max`, which are stored shifted.
template <class T>
class Codes {
 public:
  Codes(int log2, int min, int max, int shift)
      : log2_(log2),
        shift_(shift),
        clamps_(sizeof(T) > 1 || min != 0 || max != 255),
        min_(set(min)),
        max_(set(max)) {}

  HWY_INLINE V16 of(const Sums& sums) const {
    const V16 code = sums.shifted(log2_);
    return clamps_ ? hn::Min(hn::Max(code, min_), max_) : code;
  }

  // Stores the codes of a block at column x of a row.
  template <int vectors>
  HWY_INLINE void store(StoreWay way, const V16 (&codes)[vectors], T* out, int x, int width) const {
    if constexpr (sizeof(T) == 1) {
      Sum::V8 samples[vectors / 2];
      unrolled<0, vectors / 2>([&](int u) VIDCONV_LAMBDA {
        samples[u] = clamped_bytes(codes[2 * u], codes[2 * u + 1]);
      });
      store_block(way, Sum::D8(), samples, out, x, width);
    } else {
      constexpr hn::ScalableTag<T> d;
      hn::VFromD<decltype(d)> samples[vectors];
      unrolled<0, vectors>([&](int u)
                               VIDCONV_LAMBDA { samples[u] = samples_of16<T>(codes[u], shift_); });
      store_block(way, d, samples, out, x, width);
    }
  }

 private:
  const int log2_, shift_;
  const bool clamps_;
  const V16 min_, max_;
};

}  // namespace woven
#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
