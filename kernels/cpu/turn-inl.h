// Eight lines as columns of them, and back. For vectors of eight floats. Compiled once for each
// instruction set; who includes it says VIDCONV_DOT_TARGET, as dot-inl.h asks.
#if defined(VIDCONV_CPU_TURN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_TURN_INL_H
#undef VIDCONV_CPU_TURN_INL_H
#else
#define VIDCONV_CPU_TURN_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/cpu/dot-inl.h"
#include "kernels/cpu/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX2

class Turn {
  using D = hn::ScalableTag<float>;
  static constexpr D d{};
  static_assert(hn::MaxLanes(d) == 8);

 public:
  using V = hn::VFromD<D>;

  // Lane r of vector i is sample x + i of line r.
  static HWY_INLINE void load(const float* const* lines, int x, V (&columns)[8]) {
    constexpr hn::Half<D> half;
    unrolled<0, 2>([&](auto right) VIDCONV_LAMBDA {
      V of_lines[4];
      unrolled<0, 4>([&](auto r) VIDCONV_LAMBDA {
        of_lines[r] = hn::Combine(d, hn::LoadU(half, lines[r + 4] + x + 4 * right),
                                  hn::LoadU(half, lines[r] + x + 4 * right));
      });
      turn_halves(of_lines, columns + 4 * right);
    });
  }

  // Lane i of vector r becomes lane r of vector i.
  static HWY_INLINE void turn(V (&vectors)[8]) {
    V left[4], right[4];
    turn_halves({vectors[0], vectors[1], vectors[2], vectors[3]}, left);
    turn_halves({vectors[4], vectors[5], vectors[6], vectors[7]}, right);
    unrolled<0, 4>([&](auto i) VIDCONV_LAMBDA {
      vectors[i] = hn::ConcatLowerLower(d, right[i], left[i]);
      vectors[i + 4] = hn::ConcatUpperUpper(d, right[i], left[i]);
    });
  }

 private:
  // The same in each half.
  static HWY_INLINE void turn_halves(const V (&vectors)[4], V* turned) {
    constexpr hn::ScalableTag<double> pairs;
    const auto join = [&](V a, V b, V* to) VIDCONV_LAMBDA {
      const auto a2 = hn::BitCast(pairs, a), b2 = hn::BitCast(pairs, b);
      to[0] = hn::BitCast(d, hn::InterleaveLower(pairs, a2, b2));
      to[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, a2, b2));
    };
    join(hn::InterleaveLower(d, vectors[0], vectors[1]),
         hn::InterleaveLower(d, vectors[2], vectors[3]), turned);
    join(hn::InterleaveUpper(d, vectors[0], vectors[1]),
         hn::InterleaveUpper(d, vectors[2], vectors[3]), turned + 2);
  }
};

#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
