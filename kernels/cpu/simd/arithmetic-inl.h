// Operations on vectors of lanes of the plan's own arithmetic: a multiply-add with one rounding,
// and conversion to samples. Compiled once for each instruction set.
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

#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/cpu/simd/finish-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if !HWY_NATIVE_FMA
// Returns tap * x + sum with one rounding, which MulAdd would not give here.
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

// Returns tap * x + sum; for floats with one rounding.
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

// Rounds doubles to floats, to infinity where they are too large.
template <class D>
HWY_INLINE hn::VFromD<hn::Rebind<float, D>> to_floats([[maybe_unused]] D d, hn::VFromD<D> v) {
  const hn::Rebind<float, D> narrow;
#if HWY_TARGET == HWY_EMU128
  // Its DemoteTo() makes the largest float of them.
  constexpr std::size_t count = hn::MaxLanes(d);
  HWY_ALIGN double doubles[count];
  HWY_ALIGN float floats[count];
  hn::Store(v, d, doubles);
  for (std::size_t i = 0; i < count; ++i) floats[i] = static_cast<float>(doubles[i]);
  return hn::Load(narrow, floats);
#else
  return hn::DemoteTo(narrow, v);
#endif
}

// Converts a vector of results to samples.
template <class T, class D>
HWY_INLINE hn::VFromD<hn::Rebind<T, D>> samples_of([[maybe_unused]] D d, hn::VFromD<D> results,
                                                   int shift) {
  using Lane = hn::TFromD<D>;
  const hn::Rebind<T, D> narrow;
  if constexpr (std::is_same_v<T, Lane>) {
    return results;
  } else if constexpr (std::is_same_v<T, float>) {
    return to_floats(d, results);
  } else {
    const hn::Rebind<std::int32_t, D> d32;
    hn::VFromD<decltype(d32)> codes;
    if constexpr (std::is_same_v<Lane, double>)
      codes = hn::DemoteTo(d32, results);
    else if constexpr (std::is_same_v<Lane, float>)
      codes = hn::ConvertTo(d32, results);
    else
      codes = results;
    return hn::DemoteTo(narrow, hn::ShiftLeftSame(codes, shift));
  }
}

// The last step for floats that become 16-bit codes by no more than an addition and a clamp. All
// that Finish says of it is converted once.
template <class D>
class PlainCodes {
  static constexpr bool is_float = std::is_same_v<hn::TFromD<D>, float>;
  using V = hn::VFromD<D>;

 public:
  explicit HWY_INLINE PlainCodes(const Finish& f)
      : serves_(is_float && f.combine == Combine::linear && !f.absolute && f.real_divisor == 1),
        from_zero_(f.real_offset == 0 && f.min == 0),
        offset_(constant(f.real_offset)),
        half_(constant(f.real_half)),
        min_(constant(f.min)),
        max_(constant(f.max)) {}
  HWY_INLINE bool serves() const { return serves_; }
  // Returns a value to be rounded towards 0. It may be below 0, which whoever makes samples of it
  // clamps: sums in floats, whose error is at most half a code, are far from where a shift would
  // overflow.
  HWY_INLINE V of(V response) const {
    if (from_zero_) return hn::Min(hn::Add(response, half_), max_);
    const V v = hn::Add(hn::Add(response, offset_), half_);
    return hn::Min(hn::Max(v, min_), max_);
  }

 private:
  template <class T>
  static HWY_INLINE V constant(T value) {
    return hn::Set(D(), static_cast<hn::TFromD<D>>(value));
  }
  const bool serves_, from_zero_;
  const V offset_, half_, min_, max_;
};

// Rounds values towards 0 to samples of 16 bits.
template <class T, class D>
HWY_INLINE hn::VFromD<hn::Rebind<T, D>> samples_of_plain([[maybe_unused]] D d, hn::VFromD<D> codes,
                                                         int shift) {
  if constexpr (std::is_same_v<hn::TFromD<D>, float>)
    return hn::DemoteTo(hn::Rebind<T, D>(), hn::ShiftLeftSame(truncated(codes), shift));
  else
    return samples_of<T>(d, codes, shift);
}

// Vectors of a line from a column on, moved to the right by as many columns as is asked for, less
// than a vector.
template <class Lane, int vectors>
class Moved {
  using D = hn::ScalableTag<Lane>;
  using V = hn::VFromD<D>;
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));

 public:
  // Whether vectors are moved in registers; else all are loaded where they lie, however far to the
  // right.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  static constexpr bool in_registers = std::is_same_v<Lane, float> && vectors % 2 == 0;
#else
  static constexpr bool in_registers = false;
#endif

  explicit HWY_INLINE Moved(const Lane* from) : lanes_(hn::Iota(D32(), 0)) {
    if constexpr (in_registers)
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {  //
        loaded_[u] = hn::LoadU(D(), from + u * lanes);
      });
  }
  // Returns vector u; `from` is the first vector's first lane.
  template <int u>
  HWY_INLINE V at(const Lane* from) const {
    if constexpr (in_registers && u % 2 == 0) {
      return lanes_of(loaded_[u], loaded_[u + 1], lanes_);
    } else {
      return hn::LoadU(D(), from + u * lanes);
    }
  }

  HWY_INLINE void next() { lanes_ = hn::Add(lanes_, hn::Set(D32(), 1)); }

 private:
  using D32 = hn::ScalableTag<std::int32_t>;
  V loaded_[vectors];
  hn::VFromD<D32> lanes_;  // the lanes of two vectors that are wanted
};

// Vectors moved by columns that are known at compile time: no vector says which lanes to take.
// `all`: whether all vectors are made so, or every other one. Permutations take a pipe of the
// multiply-adds', of which some loops have few for each line that is loaded. `centre`: columns from
// the first one to one at which blocks begin.
template <class Lane, int vectors, bool all, int centre>
class MovedBy {
  using D = hn::ScalableTag<Lane>;
  using V = hn::VFromD<D>;
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
  // On AVX2, two loads that are aligned to half a vector and a shift in each half give the vectors
  // in between. One of four columns is loaded where it lies, so that loads take their share.
  static constexpr bool in_halves = HWY_TARGET == HWY_AVX2 && std::is_same_v<Lane, float>;

 public:
  static constexpr bool in_registers = Moved<Lane, 2>::in_registers;

  explicit HWY_INLINE MovedBy(const Lane* from) {
    if constexpr (in_registers)
      unrolled<0, vectors + 1 + aligned>([&](int u) VIDCONV_LAMBDA {  //
        loaded_[u] = hn::LoadU(D(), from + first + u * lanes);
      });
  }
  // Returns vector u, moved `i` to the right.
  template <int u, int i>
  HWY_INLINE V at(const Lane* from) const {
    constexpr int half = lanes / 2, beyond = (i - centre) & (half - 1);
    constexpr int begin = (i - first) / lanes, moved = (i - first) % lanes;
    if constexpr (aligned && moved == 0) {
      return loaded_[u + begin];
    } else if constexpr (in_registers && i - first > 0 && (aligned || i < lanes) &&
                         (all || u % 2 == 1)) {
      return lanes_from(std::integral_constant<int, moved>(), loaded_[u + begin],
                        loaded_[u + begin + 1]);
    } else if constexpr (in_halves && beyond != 0 && (all || beyond != 3)) {
      const Lane* const lower = from + i + u * lanes - beyond;
      return hn::CombineShiftRightBytes<beyond * sizeof(Lane)>(D(), hn::LoadU(D(), lower + half),
                                                               hn::LoadU(D(), lower));
    } else {
      return hn::LoadU(D(), from + i + u * lanes);
    }
  }

 private:
  // With three columns, one vector more is loaded, so that none crosses a cache line.
  static constexpr bool aligned = in_registers && all && centre == 1;
  static constexpr int first = aligned ? centre - lanes : 0;  // the column of the first load
  V loaded_[in_registers ? vectors + 1 + aligned : 1];
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
