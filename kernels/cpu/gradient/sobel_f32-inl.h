// The length of Sobel's gradient of floats: the definition's operations, each made once for all
// output rows that have it in common. Compiled once for each instruction set; the includer writes
// VIDCONV_DOT_TARGET, as dot-inl.h asks.
#if defined(VIDCONV_CPU_SOBEL_FLOATS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_SOBEL_FLOATS_INL_H
#undef VIDCONV_CPU_SOBEL_FLOATS_INL_H
#else
#define VIDCONV_CPU_SOBEL_FLOATS_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/cpu/band/band-inl.h"
#include "kernels/cpu/band/column_sums-inl.h"
#include "kernels/cpu/gradient/sobel_plan.h"
#include "kernels/cpu/simd/arithmetic-inl.h"
#include "kernels/cpu/simd/finish-inl.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// The definition multiplies nine samples by taps, line by line, and adds the lines up. Products
// with 1 and 2 round nothing, so a line's sum is the rounded difference of two samples, or two
// roundings of a + 2 b + c; opposite taps only change its sign. Products with 0 are 0, but NaN
// where samples are not finite: each sample that has such a tap has to be in a sum.
//
// `offsets`: whether there is an offset to add to lengths.
template <bool offsets>
class SobelFloats {
 public:
  using Lane = float;
  static constexpr int rows = SobelFloatsPlan::rows;
  static constexpr int offset = 0;

  // Runs one band, with a window for each component. `stream`: whether results go past the caches.
  SobelFloats(const Finish& finish, const WindowLayout& layout, const Windows<Lane>& windows,
              bool stream)
      : finish_(finish), stream_(stream), kept_(layout, windows, SobelFloatsPlan::kept) {}

  void select(int k, int begin) { kept_.select(k, begin); }

  void make_passes(const Lane*, Lane*, int) const {}

  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    if (!kept_.begun())
      for (int x = 0; x < width; x += block) begin_sums(window, x);
    for_blocks<block>(stream_, width, [&](StoreWay way, int begin, int end) HWY_ATTR {
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

  // The sums of a line. Where it is the first or the last one of three: by (-1 0 1) and (1 2 1). In
  // the middle: by (-2 0 2), and two samples to be multiplied by 0 for (0 0 0).
  struct Line {
    HWY_INLINE Line() {}  // GCC's own is not for this target

    V across, down, middle_across, left, known;
  };

  // The sums of an output row as far as its lines are known: `upper` has two of three lines,
  // `lower` one, whose sum down is to be subtracted.
  struct Sums {
    HWY_INLINE Sums() {}  // as above

    V across, down;
  };
  struct Rows {
    Sums upper, lower;

    HWY_INLINE Rows() {}  // as above

    HWY_INLINE void load(const float* kept) {
      upper.across = hn::Load(d, kept);
      upper.down = hn::Load(d, kept + lanes);
      lower.across = hn::Load(d, kept + 2 * lanes);
      lower.down = hn::Load(d, kept + 3 * lanes);
    }
    HWY_INLINE void store(float* kept) const {
      hn::Store(upper.across, d, kept);
      hn::Store(upper.down, d, kept + lanes);
      hn::Store(lower.across, d, kept + 2 * lanes);
      hn::Store(lower.down, d, kept + 3 * lanes);
    }
    HWY_INLINE void begin(const Line& line) {
      lower.across = line.across;
      lower.down = line.down;
    }
    HWY_INLINE void add(const Line& line) {
      upper.across = hn::Add(lower.across, line.middle_across);
      // The sum down is subtracted from a sum of zeros (or NaNs); only the sign of a zero may
      // differ, which no square shows.
      const V zero = hn::Zero(d);
      upper.down = hn::MulAdd(zero, line.left, hn::MulSub(zero, line.known, lower.down));
      begin(line);
    }
  };
  static constexpr int kept_of_vector = SobelFloatsPlan::kept * lanes;
  static_assert(SobelFloatsPlan::kept == 4);

  // Begins the sums with the two lines above the first row's lowest one.
  HWY_NOINLINE void begin_sums(const Lane* const* window, int x) const {
    unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
      Rows sums;
      Line line;
      read<u>(window[0] + x - 1, line);
      sums.begin(line);
      read<u>(window[1] + x - 1, line);
      sums.add(line);
      sums.store(kept_.of_block(x) + u * kept_of_vector);
    });
  }

  void make_blocks(StoreWay way, const Lane* const* window, Lane* const* out, int begin, int end,
                   NextRows<rows>& next) const {
    const Finish finish = finish_;  // a copy of its own stays in registers
    for (int x = begin; x < end; x += block) {
      const auto asked = next.columns(x + block);
      float* const kept = kept_.of_block(x);
      Rows sums[vectors];
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA { sums[u].load(kept + u * kept_of_vector); });
      unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
        asked.ask(r);
        V results[vectors];
        unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
          Line line;
          read<u>(window[r + 2] + x - 1, line);
          results[u] = length(sums[u].upper, line);
          if constexpr (offsets) results[u] = finish_real_lanes<float>(finish, d, results[u]);
          sums[u].add(line);
        });
        if (out[r] != nullptr) store_block(way, d, results, out[r], x, end);
      });
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA { sums[u].store(kept + u * kept_of_vector); });
    }
  }

  // `from` is the line's sample left of the block.
  template <int u>
  static HWY_INLINE void read(const Lane* from, Line& line) {
    const MovedBy<Lane, vectors, true, 1> moved(from);
    const V left = moved.template at<u, 0>(from), centre = moved.template at<u, 1>(from),
            right = moved.template at<u, 2>(from);
    const V zero = hn::Zero(d), two = hn::Set(d, 2);
    // The sample in the centre has the tap 0 across.
    const V known = hn::MulAdd(zero, centre, right);
    line.across = hn::Sub(known, left);
    line.down = hn::Add(multiply_add(d, two, centre, left), right);
    line.middle_across = multiply_add(d, two, known, hn::Mul(hn::Set(d, -2), left));
    line.left = left;
    line.known = known;
  }

  static HWY_INLINE V length(const Sums& upper, const Line& below) {
    const V across = hn::Add(upper.across, below.across), down = hn::Add(upper.down, below.down);
    return hn::Sqrt(hn::Add(hn::Mul(across, across), hn::Mul(down, down)));
  }

  const Finish finish_;
  const bool stream_;
  ColumnSums<Lane> kept_;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
