// Row passes of lanes. Compiled once for each instruction set.
#if defined(VIDCONV_CPU_LANE_PASS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_LANE_PASS_INL_H
#undef VIDCONV_CPU_LANE_PASS_INL_H
#else
#define VIDCONV_CPU_LANE_PASS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/generic/generic_plan.h"
#include "kernels/cpu/simd/arithmetic-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// The row pass of a term: makes a line of sums.
template <class Lane>
class GenericPass {
  using D = hn::ScalableTag<Lane>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  static constexpr int vectors = 4;

 public:
  static constexpr int block = vectors * lanes;

  // `pass` has room for `width` samples and what blocks run over. There is code for common widths.
  static void make(const GenericTerm<Lane>& term, const Lane* source, Lane* pass, int width) {
    constexpr bool halves = HWY_TARGET == HWY_AVX2 && std::is_same_v<Lane, float>;
    if constexpr (Moved<Lane, vectors>::in_registers || halves) {
      if (term.width == 5) return make_of<5>(term, source, pass, width);
      if (term.width == 9) return make_of<9>(term, source, pass, width);
      if (term.width == 17) return make_of<17>(term, source, pass, width);
    }
    if constexpr (halves) {
      if (term.width == 3) return make_of<3>(term, source, pass, width);
      if (term.width == 7) return make_of<7>(term, source, pass, width);
      if (term.width == 15) return make_of<15>(term, source, pass, width);
      if (term.width == 31) return make_of<31>(term, source, pass, width);
    }
    make_any(term, source, pass, width);
  }

 private:
  template <int size>
  static void make_of(const GenericTerm<Lane>& term, const Lane* source, Lane* pass, int width) {
    const Lane* row = term.row.data();
    for (int x = 0; x < width; x += vectors * lanes) {
      const Lane* from = source + x - term.left;
      const MovedBy<Lane, vectors, false, size / 2> moved(from);
      V sums[vectors];
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA { sums[u] = hn::Zero(d); });
      unrolled<0, size>([&](auto i) VIDCONV_LAMBDA {
        const V tap = hn::Set(d, row[i]);
        unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
          sums[u] = multiply_add(d, tap, moved.template at<u, i>(from), sums[u]);
        });
      });
      unrolled<0, vectors>([&](int u)
                               VIDCONV_LAMBDA { hn::StoreU(sums[u], d, pass + x + u * lanes); });
    }
  }

  static void make_any(const GenericTerm<Lane>& term, const Lane* source, Lane* pass, int width) {
    const Lane* row = term.row.data();
    const int count = static_cast<int>(term.row.size());
    for (int x = 0; x < width; x += vectors * lanes) {
      V sums[vectors];
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA { sums[u] = hn::Zero(d); });
      const Lane* from = source + x - term.left;
      // Loads across two cache lines take two cycles, as long as two multiply-adds: every other
      // vector is made of two that are in registers.
      using Samples = Moved<Lane, vectors>;
      const int most = Samples::in_registers ? lanes : count;
      for (int begin = 0; begin < count; begin += most) {
        Samples moved(from + begin);
        const int end = std::min(count, begin + most);
        for (int i = begin; i < end; ++i) {
          const V tap = hn::Set(d, row[i]);
          unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
            sums[u] = multiply_add(d, tap, moved.template at<u>(from + i), sums[u]);
          });
          moved.next();
        }
      }
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
        if constexpr (std::is_same_v<Lane, std::int32_t>) {
          const V half = hn::Set(d, 1 << term.row_shift >> 1);
          sums[u] = hn::ShiftRightSame(hn::Add(sums[u], half), term.row_shift);
        }
        hn::StoreU(sums[u], d, pass + x + u * lanes);
      });
    }
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
