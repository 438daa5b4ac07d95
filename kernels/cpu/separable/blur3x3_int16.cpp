// The variant for blurs of 3x3 over integers: both passes at once in 16 bits, as
// blur3x3_int16_plan.h says.
//
// Bytes at even and at odd columns lie in separate vectors.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/separable/blur3x3_int16.cpp"
#endif
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band/band-inl.h"
#include "kernels/cpu/separable/blur3x3_int16_plan.h"
#include "kernels/cpu/simd/even_odd-inl.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// Emulated vectors would take minutes to compile.
bool have_blur3() { return HWY_TARGET != HWY_EMU128; }

#if HWY_TARGET != HWY_EMU128
namespace blur3 {

// LaneType is the sample type.
template <class LaneType>
class Engine {
 public:
  using Lane = LaneType;
  static constexpr int rows = Blur3x3Plan::rows;
  static constexpr int offset = 0;

  // `stream`: whether results go past the caches.
  Engine(const Blur3x3Plan& plan, bool stream) : plan_(plan), stream_(stream) {}

  void make_passes(const Lane*, Lane*, int) const {}

  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    for_blocks<block>(stream_, width, [&](StoreWay way, int begin, int end) HWY_ATTR {
      make_blocks(way, window, out, begin, end, next);
    });
  }

 private:
  using D = hn::ScalableTag<Lane>;
  using D16 = hn::ScalableTag<std::int16_t>;
  using V = hn::VFromD<D16>;
  static constexpr D d{};
  static constexpr D16 d16{};
  static constexpr bool splits = sizeof(Lane) == 1;
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d16));
  static constexpr int block = 2 * lanes;
  static constexpr int fraction = Blur3x3Plan::fraction(8 * sizeof(Lane));
  static_assert(block <= WindowLayout::block);

  // Sums of two vectors of columns: the even and the odd ones, or one after the other.
  struct Line {
    HWY_INLINE Line() {}  // GCC's own is not for this target

    V sums[2];
  };

  void make_blocks(StoreWay way, const Lane* const* window, Lane* const* out, int begin, int end,
                   NextRows<rows>& next) const {
    const V row_tap = hn::Set(d16, plan_.row_tap), column_tap = hn::Set(d16, plan_.column_tap);
    const int shift = plan_.shift;
    for (int x = begin; x < end; x += block) {
      const auto asked = next.columns(x + block);
      const Line first = read(window[0] + x, row_tap);
      Line line = read(window[1] + x, row_tap);
      Line above = less(line, first);  // the lower one of two lines less the upper one
      unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
        asked.ask(r);
        const Line last = read(window[r + 2] + x, row_tap);
        const Line below = less(last, line), bend = less(below, above);
        V sums[2];
        unrolled<0, 2>([&](int u) VIDCONV_LAMBDA {
          sums[u] = hn::Add(line.sums[u], hn::MulHigh(bend.sums[u], column_tap));
        });
        if (out[r] != nullptr) store(way, sums, shift, x, out[r], end);
        line = last;
        above = below;
      });
    }
  }

  static HWY_INLINE Line less(const Line& a, const Line& b) {
    Line line;
    unrolled<0, 2>([&](int u) VIDCONV_LAMBDA {
      V difference = hn::Sub(a.sums[u], b.sums[u]);
      settle(difference);  // else GCC makes other sums of it, and more of them
      line.sums[u] = difference;
    });
    return line;
  }

  // Makes the sums along a line.
  static HWY_INLINE Line read(const Lane* from, V tap) {
    Line line;
    if constexpr (splits) {
      const Bends at(from);
      line.sums[0] = between(at.even, at.even_bend, tap);
      line.sums[1] = between(at.odd, at.odd_bend, tap);
    } else {
      unrolled<0, 2>([&](int u) VIDCONV_LAMBDA {
        const auto at = [&](int column) VIDCONV_LAMBDA {
          return hn::BitCast(d16, hn::LoadU(d, from + u * lanes + column));
        };
        const V centre = at(0), bend = hn::Sub(hn::Add(at(-1), at(1)), hn::Add(centre, centre));
        line.sums[u] = between(hn::ShiftLeft<fraction>(centre), hn::ShiftLeft<fraction>(bend), tap);
      });
    }
    return line;
  }

  static HWY_INLINE V between(V centre, V bend, V tap) {
    return hn::Add(centre, hn::MulFixedPoint15(bend, tap));
  }

  // Bytes at even and at odd columns, and by how much their neighbours' sums differ from twice
  // their value; all with the fraction.
  struct Bends {
    V even, odd, even_bend, odd_bend;

    explicit HWY_INLINE Bends(const Lane* from) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
      constexpr int one = 1 << fraction;
      const auto here = hn::LoadU(d, from);
      const V fall = pairs(here, one, -one);
      even = pairs(here, one, 0);
      odd = pairs(here, 0, one);
      even_bend = hn::Sub(pairs(hn::LoadU(d, from - 1), one, -one), fall);
      odd_bend = hn::Add(pairs(hn::LoadU(d, from + 1), -one, one), fall);
#else
      const Columns<D16> at(from);
      const V fall = hn::Sub(at.even, at.odd);
      even = hn::ShiftLeft<fraction>(at.even);
      odd = hn::ShiftLeft<fraction>(at.odd);
      even_bend = hn::ShiftLeft<fraction>(hn::Sub(hn::Sub(at.left, at.even), fall));
      odd_bend = hn::ShiftLeft<fraction>(hn::Add(hn::Sub(at.right, at.odd), fall));
#endif
    }

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    static HWY_INLINE V pairs(hn::VFromD<D> samples, int even_tap, int odd_tap) {
      const V taps = hn::Set(d16, static_cast<std::int16_t>(odd_tap * 256 + (even_tap & 0xFF)));
      return hn::BitCast(d16, pairs_of_bytes(samples, hn::BitCast(d, taps)));
    }
#endif
  };

  // Rounds sums to codes.
  static HWY_INLINE void store(StoreWay way, const V (&sums)[2], int shift, int x, Lane* out,
                               int width) {
    hn::VFromD<D> codes[2];
    unrolled<0, 2>([&](int u) VIDCONV_LAMBDA {
      const V one = hn::Set(d16, 1 << (15 - fraction));
      codes[u] = hn::BitCast(d, hn::MulFixedPoint15(sums[u], one));
    });
    if constexpr (splits) {
      const V odd = hn::ShiftLeft<8>(hn::BitCast(d16, codes[1]));
      const hn::VFromD<D> all[1] = {hn::Or(codes[0], hn::BitCast(d, odd))};
      store_block(way, d, all, out, x, width);
    } else {
      if (shift != 0)
        unrolled<0, 2>([&](int u)
                           VIDCONV_LAMBDA { codes[u] = hn::ShiftLeftSame(codes[u], shift); });
      store_block(way, d, codes, out, x, width);
    }
  }

  const Blur3x3Plan& plan_;
  const bool stream_;
};

template <class Lane>
void run(const Plan& plan, const Blur3x3Plan& blur3_plan, const Band& band,
         const WindowLayout& layout, const Windows<Lane>& windows) {
  note_used_simd(HWY_TARGET);
  const Engine<Lane> engine(blur3_plan, goes_past_caches(band.pairs.front().dst));
  run_band<Lane>(engine, plan, reach_of(plan), band, layout, windows);
}

}  // namespace blur3
#endif

// HWY_EXPORT takes no templates.
void run_blur3_of_8([[maybe_unused]] const Plan& plan,
                    [[maybe_unused]] const Blur3x3Plan& blur3_plan,
                    [[maybe_unused]] const Band& band, [[maybe_unused]] const WindowLayout& layout,
                    [[maybe_unused]] const Windows<std::uint8_t>& windows) {
#if HWY_TARGET != HWY_EMU128
  blur3::run(plan, blur3_plan, band, layout, windows);
#endif
}

void run_blur3_of_16([[maybe_unused]] const Plan& plan,
                     [[maybe_unused]] const Blur3x3Plan& blur3_plan,
                     [[maybe_unused]] const Band& band, [[maybe_unused]] const WindowLayout& layout,
                     [[maybe_unused]] const Windows<std::uint16_t>& windows) {
#if HWY_TARGET != HWY_EMU128
  blur3::run(plan, blur3_plan, band, layout, windows);
#endif
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/band/banded.h"
#include "kernels/cpu/variants.h"

namespace vidconv {
HWY_EXPORT(have_blur3);
HWY_EXPORT(run_blur3_of_8);
HWY_EXPORT(run_blur3_of_16);

Prepared prepare_cpu_blur3x3_int16(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS) || !HWY_DYNAMIC_DISPATCH(have_blur3)()) return nullptr;
  if (plan.sample.storage == Storage::u8)
    return prepare_banded<std::uint8_t>(plan, make_blur3_plan(plan), [](auto&... arguments) {
      HWY_DYNAMIC_DISPATCH(run_blur3_of_8)(arguments...);
    });
  return prepare_banded<std::uint16_t>(plan, make_blur3_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_blur3_of_16)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
