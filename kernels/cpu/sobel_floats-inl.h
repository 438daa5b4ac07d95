// The length of Sobel's gradient of floats: the definition's operations, each made once for all
// output rows that have it in common. Compiled once for each instruction set; who includes it says
// VIDCONV_DOT_TARGET, as dot-inl.h asks.
#if defined(VIDCONV_CPU_SOBEL_FLOATS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_SOBEL_FLOATS_INL_H
#undef VIDCONV_CPU_SOBEL_FLOATS_INL_H
#else
#define VIDCONV_CPU_SOBEL_FLOATS_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/finish-inl.h"
#include "kernels/cpu/lane-inl.h"
#include "kernels/cpu/sobel_plan.h"
#include "kernels/cpu/store-inl.h"
#include "kernels/cpu/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// The definition multiplies nine samples by taps, line by line, and adds the lines up. Products
// with 1 and 2 round nothing, so that a line's sum is the rounded difference of two samples, or two
// roundings of a + 2 b + c; with the other sign it is that with the other sign. Products with 0 are
// 0, but of what is not finite they are NaN: each sample that has such a tap has to be in a sum.
class SobelFloats {
 public:
  using Lane = float;
  static constexpr int rows = SobelPlan::rows;
  static constexpr int offset = 0;

  // `stream`: whether results go past the caches.
  SobelFloats(const Finish& finish, bool stream) : finish_(finish), stream_(stream) {}

  void make_passes(const Lane*, Lane*, int) const {}

  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    for_blocks<block>(stream_, width, [&](auto way, int begin, int end) HWY_ATTR {
      make_blocks(way, window, out, begin, end, next);
    });
  }

 private:
  using D = hn::ScalableTag<float>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  static constexpr int vectors = 2, block = vectors * lanes;
  static_assert(block <= WindowLayout::block);

  // What a line gives where it is the first or the last one of three, and in the middle: sums by
  // (-1 0 1) and (1 2 1), and by (-2 0 2) and (0 0 0).
  struct Line {
    HWY_INLINE Line() {}  // GCC's own is not for this target

    V across, down, middle_across, middle_down;
  };

  template <class Way>
  void make_blocks(Way way, const Lane* const* window, Lane* const* out, int begin, int end,
                   NextRows<rows>& next) const {
    const Finish finish = finish_;  // here, it is in registers
    for (int x = begin; x < end; x += block) {
      next.ask(x + block);
      V results[rows][vectors];
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
        Line lines[rows + 2];
        unrolled<0, rows + 2>([&](auto y) VIDCONV_LAMBDA {
          read<u, (y > 0 && y <= rows)>(window[y] + x - 1, lines[y]);
          if constexpr (y >= 2) results[y - 2][u] = length(lines[y - 2], lines[y - 1], lines[y]);
        });
      });
      unrolled<0, rows>([&](auto r) VIDCONV_LAMBDA {
        if (out[r] == nullptr) return;
        unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
          results[r][u] = finish_real_lanes<float>(finish, d, results[r][u]);
        });
        store_block(way, d, results[r], out[r], x, end);
      });
    }
  }

  // `from`: the line's sample left of the block.
  template <int u, bool in_middle>
  static HWY_INLINE void read(const Lane* from, Line& line) {
    const MovedBy<Lane, vectors, true, 1> moved(from);
    const V left = moved.template at<u, 0>(from), centre = moved.template at<u, 1>(from),
            right = moved.template at<u, 2>(from);
    const V zero = hn::Zero(d), two = hn::Set(d, 2);
    // The sample in the centre has the tap 0 across.
    const V known = multiply_add(d, zero, centre, right);
    line.across = hn::Sub(known, left);
    line.down = hn::Add(multiply_add(d, two, centre, left), right);
    if constexpr (in_middle) {
      line.middle_across = multiply_add(d, two, known, hn::Mul(hn::Set(d, -2), left));
      line.middle_down = multiply_add(d, zero, left, hn::Mul(zero, known));
    }
  }

  static HWY_INLINE V length(const Line& above, const Line& middle, const Line& below) {
    const V across = hn::Add(hn::Add(above.across, middle.middle_across), below.across);
    const V down = hn::Add(hn::Sub(middle.middle_down, above.down), below.down);
    return hn::Sqrt(hn::Add(hn::Mul(across, across), hn::Mul(down, down)));
  }

  const Finish finish_;
  const bool stream_;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
