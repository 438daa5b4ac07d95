// The samples of a row as floats, for cpu-separable-f32: a block's vectors under each of a few
// taps, and the storing of their results. Compiled once for each instruction set.
#if defined(VIDCONV_CPU_FUSED_SAMPLES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_FUSED_SAMPLES_INL_H
#undef VIDCONV_CPU_FUSED_SAMPLES_INL_H
#else
#define VIDCONV_CPU_FUSED_SAMPLES_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/simd/arithmetic_store-inl.h"
#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/cpu/simd/finish-inl.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

// A block's samples under each of `size` taps of a row. `aligned`: loaded where the block begins,
// for three taps.
template <class Lane, int size, int vectors, bool aligned>
class SeparableSamples {
  using D = hn::ScalableTag<float>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  static constexpr int before = aligned ? 1 : 0;  // vectors, and samples

 public:
  // `from` is the sample under the first tap of the block's first column.
  explicit HWY_INLINE SeparableSamples(const Lane* from) {
    unrolled<0, vectors + 1 + before>([&](int u) VIDCONV_LAMBDA {  //
      loaded_[u] = load(from + before + (u - before) * lanes);
    });
  }
  // Returns the samples of vector u under tap i.
  template <int u, int i>
  HWY_INLINE V at() const {
    constexpr int first = u * lanes + i + before * (lanes - 1);
    constexpr int begin = first / lanes, moved = first % lanes;
    if constexpr (moved == 0)
      return loaded_[begin];
    else
      return lanes_from(std::integral_constant<int, moved>(), loaded_[begin], loaded_[begin + 1]);
  }

 private:
  static HWY_INLINE V load(const Lane* from) {
    if constexpr (std::is_same_v<Lane, float>)
      return hn::LoadU(d, from);
    else
      return hn::ConvertTo(
          d, hn::PromoteTo(hn::RebindToSigned<D>(), hn::LoadU(hn::Rebind<Lane, D>(), from)));
  }

  V loaded_[vectors + 1 + before];
};

// Stores the sums of a block, as store_lanes() does.
template <class D, class Last, int vectors, class T>
HWY_INLINE void store_fused(StoreWay way, D d, const Last& last,
                            const hn::VFromD<D> (&sums)[vectors], int shift, T* out, int x,
                            int width) {
  store_lanes(way, d, last, sums, shift, out, x, width);
}

#elif HWY_TARGET == HWY_AVX2

// AVX2 shifts lanes within the halves of a vector; joining halves of two takes an instruction more.
//
// Floats are loaded where they lie. From five taps on, vectors that would cross a cache line where
// blocks begin with one are made in registers.
template <class Lane, int size, int vectors, bool aligned>
class SeparableSamples {
  using D = hn::ScalableTag<float>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d)), half = lanes / 2;
  static constexpr int centre = size / 2;
  static constexpr bool joins = size >= 5;
  static_assert(std::is_same_v<Lane, float> && vectors == 2 && centre < half);

 public:
  explicit HWY_INLINE SeparableSamples(const Lane* from) : block_(from + centre) {
    if constexpr (joins) {
      before_ = halves_from(block_ - lanes);
      behind_ = halves_from(block_ + lanes);
    }
  }
  template <int u, int i>
  HWY_INLINE V at() const {
    constexpr int right = i - centre, bytes = sizeof(Lane);
    if constexpr (joins && u == 0 && right < 0)
      return hn::CombineShiftRightBytes<(half + right) * bytes>(d, hn::LoadU(d, block_), before_);
    else if constexpr (joins && u == 1 && right > 0)
      return hn::CombineShiftRightBytes<right * bytes>(d, behind_, hn::LoadU(d, block_ + lanes));
    else
      return hn::LoadU(d, block_ + u * lanes + right);
  }

 private:
  // Returns the upper half of the vector that lies there, and the lower half of the next.
  static HWY_INLINE V halves_from(const Lane* from) {
    return hn::ConcatLowerUpper(d, hn::LoadU(d, from + lanes), hn::LoadU(d, from));
  }

  const Lane* block_;
  V before_, behind_;  // half a vector before the first one, and behind the second one
};

// Codes of 16 bits: out of sixteen, the first vector has numbers 0 to 3 and 8 to 11, the second one
// the others. Unpacking makes them so, the second vector is the first one four samples further, and
// packing puts them in order again.
template <int size, int vectors, bool aligned>
class SeparableSamples<std::uint16_t, size, vectors, aligned> {
  using D = hn::ScalableTag<float>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static_assert(vectors % 2 == 0);

 public:
  explicit HWY_INLINE SeparableSamples(const std::uint16_t* from) {
    constexpr hn::ScalableTag<std::uint16_t> d16;
    constexpr hn::RebindToSigned<D> d32;
    const auto zero = hn::Zero(d16);
    unrolled<0, vectors / 2>([&](int pair) VIDCONV_LAMBDA {
      unrolled<0, loads>([&](int k) VIDCONV_LAMBDA {
        const auto codes = hn::LoadU(d16, from + 16 * pair + 8 * k);
        V* const to = unpacked_[pair] + 2 * k;
        to[0] = hn::ConvertTo(d, hn::BitCast(d32, hn::InterleaveLower(d16, codes, zero)));
        to[1] = hn::ConvertTo(d, hn::BitCast(d32, hn::InterleaveUpper(d16, codes, zero)));
      });
    });
  }
  template <int u, int i>
  HWY_INLINE V at() const {
    constexpr int right = u % 2 * 4 + i, begin = right / 4, moved = right % 4;
    const V* const from = unpacked_[u / 2] + begin;
    if constexpr (moved == 0)
      return from[0];
    else
      return hn::CombineShiftRightBytes<moved * sizeof(float)>(d, from[1], from[0]);
  }

 private:
  static constexpr int loads = 2;  // each of two vectors, four samples apart
  static_assert(size <= 9);
  V unpacked_[vectors / 2][2 * loads];
};

// Stores the sums of a block, as store_lanes() does but for the order of their lanes.
template <class D, class Last, int vectors, class T>
HWY_INLINE void store_fused(StoreWay way, D d, const Last& last,
                            const hn::VFromD<D> (&sums)[vectors], int shift, T* out, int x,
                            int width) {
  if constexpr (std::is_same_v<T, float>) {
    store_lanes(way, d, last, sums, shift, out, x, width);
  } else if constexpr (std::is_same_v<Last, Finish>) {
    hn::VFromD<D> ordered[vectors];
    unrolled<0, vectors / 2>([&](int pair) VIDCONV_LAMBDA {
      ordered[2 * pair] = hn::ConcatLowerLower(d, sums[2 * pair + 1], sums[2 * pair]);
      ordered[2 * pair + 1] = hn::ConcatUpperUpper(d, sums[2 * pair + 1], sums[2 * pair]);
    });
    store_lanes(way, d, last, ordered, shift, out, x, width);
  } else {
    constexpr hn::ScalableTag<T> d16;
    hn::VFromD<decltype(d16)> samples[vectors / 2];
    unrolled<0, vectors / 2>([&](int pair) VIDCONV_LAMBDA {
      samples[pair] = clamped_quarters(truncated(last.of(sums[2 * pair])),
                                       truncated(last.of(sums[2 * pair + 1])));
      samples[pair] = hn::ShiftLeftSame(samples[pair], shift);
    });
    store_block(way, d16, samples, out, x, width);
  }
}

#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
