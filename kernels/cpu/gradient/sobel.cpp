// The variant for Sobel's gradient: its length, or the size of one of its parts. Each line of
// samples is loaded once for all output rows and makes two lines: differences of left and right,
// and smooth ones (1 2 1). Sums of differences and differences of smooth lines, from line to line,
// are the two kernels.
//
// Where lanes are wider than samples, those at even and at odd columns lie in separate vectors: the
// samples to the left of one are those of the other.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gradient/sobel.cpp"
#endif
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band/band-inl.h"
#include "kernels/cpu/gradient/sobel_f32-inl.h"
#include "kernels/cpu/gradient/sobel_plan.h"
#include "kernels/cpu/simd/even_odd-inl.h"
#include "kernels/cpu/simd/gradient_length-inl.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// LaneType is the sample type, Wide a signed integer that holds the sums.
template <class LaneType, class Wide>
class SobelEngine {
 public:
  using Lane = LaneType;
  static constexpr int rows = SobelPlan::rows;
  static constexpr int offset = 0;

  // `stream`: whether results go past the caches.
  SobelEngine(const SobelPlan& plan, bool stream) : plan_(plan), stream_(stream) {}

  void make_passes(const Lane*, Lane*, int) const {}

  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    for_blocks<block>(stream_, width, [&](StoreWay way, int begin, int end) HWY_ATTR {
      if (plan_.result == SobelResult::length)
        make_blocks<SobelResult::length>(way, window, out, begin, end, next);
      else if (plan_.result == SobelResult::across)
        make_blocks<SobelResult::across>(way, window, out, begin, end, next);
      else
        make_blocks<SobelResult::down>(way, window, out, begin, end, next);
    });
  }

 private:
  using D = hn::ScalableTag<Lane>;
  using DW = hn::ScalableTag<Wide>;
  using V = hn::VFromD<DW>;
  static constexpr D d{};
  static constexpr DW dw{};
  static constexpr bool splits = sizeof(Wide) > sizeof(Lane);
  static constexpr int wide_lanes = static_cast<int>(hn::MaxLanes(dw));
  static constexpr int block = 2 * wide_lanes;
  static_assert(block <= WindowLayout::block);

  template <SobelResult result, class T>
  void make_blocks(StoreWay way, const Lane* const* window, T* const* out, int begin, int end,
                   NextRows<rows>& next) const {
    using Begun = Result<result>;
    const SobelPlan plan = plan_;  // a copy of its own stays in registers
    for (int x = begin; x < end; x += block) {
      next.ask(x + block);
      Line above, middle;
      V upper[2];  // sums of both lines' differences
      read(window[0] + x, above);
      read(window[1] + x, middle);
      unrolled<0, 2>([&](int u) VIDCONV_LAMBDA {
        upper[u] = hn::Add(above.differences[u], middle.differences[u]);
      });
      Begun begun[2];  // for the row above, whose roots are taken while this row's sums are made
      const auto finish = [&](int r) VIDCONV_LAMBDA {
        V codes[2];
        unrolled<0, 2>([&](int u) VIDCONV_LAMBDA { codes[u] = begun[u].codes(); });
        if (out[r] != nullptr) store(way, codes, plan.most, plan.shift, x, out[r], end);
      };
      unrolled<0, rows>([&](auto r) VIDCONV_LAMBDA {
        Line below;
        read(window[r + 2] + x, below);
        Begun now[2];
        unrolled<0, 2>([&](int u) VIDCONV_LAMBDA {
          const V lower = hn::Add(middle.differences[u], below.differences[u]);
          const V across = hn::Add(upper[u], lower);
          const V down = hn::Sub(below.smooth[u], above.smooth[u]);
          now[u] = Begun(plan.most, across, down);
          upper[u] = lower;
        });
        if constexpr (Begun::later && r > 0) finish(std::integral_constant<int, r - 1>());
        unrolled<0, 2>([&](int u) VIDCONV_LAMBDA { begun[u] = now[u]; });
        if constexpr (!Begun::later || r == rows - 1) finish(r);
        above = middle;
        middle = below;
      });
    }
  }

  // The sums of two vectors of columns of a line: at even and at odd columns, or one after the
  // other.
  struct Line {
    HWY_INLINE Line() {}  // GCC's own is not for this target

    V differences[2], smooth[2];
  };

  static HWY_INLINE void read(const Lane* from, Line& line) {
    if constexpr (splits) {
      const Columns<DW> at(from);
      const V between = hn::Add(at.even, at.odd);
      line.differences[0] = hn::Sub(at.odd, at.left);
      line.differences[1] = hn::Sub(at.right, at.even);
      line.smooth[0] = hn::Add(hn::Add(at.left, at.even), between);
      line.smooth[1] = hn::Add(between, hn::Add(at.odd, at.right));
    } else {
      unrolled<0, 2>([&](int u) VIDCONV_LAMBDA {
        const Lane* at = from + u * wide_lanes;
        const V left = hn::BitCast(dw, hn::LoadU(d, at - 1));
        const V centre = hn::BitCast(dw, hn::LoadU(d, at));
        const V right = hn::BitCast(dw, hn::LoadU(d, at + 1));
        line.differences[u] = hn::Sub(right, left);
        line.smooth[u] = hn::Add(hn::Add(left, centre), hn::Add(centre, right));
      });
    }
  }

  // The result of both sums. All that takes long is begun at once; `later`: there is such work.
  template <SobelResult result>
  class Result {
    static constexpr bool is_length = result == SobelResult::length;
    using DF = hn::ScalableTag<float>;

   public:
    static constexpr bool later = is_length && (sizeof(Lane) == 1 || sizeof(Wide) == 4);

    HWY_INLINE Result() {}
    HWY_INLINE Result(int most, V across, V down) {
      if constexpr (!is_length)
        made_ = clamped(most, hn::Abs(result == SobelResult::across ? across : down));
      else if constexpr (sizeof(Lane) == 1)
        made_ = Roots8(across, down);
      else if constexpr (sizeof(Wide) == 2)
        made_ = lengths10(most, across, down);
      else
        made_ = length(across, down);
    }
    // Returns codes that are not clamped yet, where store() clamps them.
    HWY_INLINE V codes() const {
      if constexpr (!later) {
        return made_;
      } else if constexpr (sizeof(Lane) == 1) {
        return made_.codes();
      } else {
        return truncated(hn::Add(made_, hn::Set(DF(), 0.5F)));
      }
    }

   private:
    static HWY_INLINE V clamped(int most, V code) {
      return splits ? code : hn::Min(code, hn::Set(dw, static_cast<Wide>(most)));
    }
    // Computes as finish_real() says, one operation after the other.
    static HWY_INLINE hn::VFromD<DF> length(V x, V y) {
      const auto a = hn::ConvertTo(DF(), x), b = hn::ConvertTo(DF(), y);
      return hn::Sqrt(hn::Add(hn::Mul(a, a), hn::Mul(b, b)));
    }

    std::conditional_t<!later, V, std::conditional_t<sizeof(Lane) == 1, Roots8, hn::VFromD<DF>>>
        made_;
  };

  // Returns codes at even and at odd columns, in turn, clamped to `most`.
  static HWY_INLINE hn::VFromD<D> in_turn(int most, V even, V odd) {
#if HWY_TARGET == HWY_AVX2
    if constexpr (sizeof(Wide) == 4) {
      const __m128i places = _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
      const hn::VFromD<D> clamped{_mm256_shuffle_epi8(clamped_quarters(even, odd).raw,
                                                      _mm256_broadcastsi128_si256(places))};
      return most == 65535 ? clamped : hn::Min(clamped, hn::Set(d, static_cast<Lane>(most)));
    }
#endif
    const V limit = hn::Set(dw, static_cast<Wide>(most));
    return hn::BitCast(
        d, hn::Or(hn::Min(even, limit), hn::ShiftLeft<8 * sizeof(Lane)>(hn::Min(odd, limit))));
  }

  template <class T>
  static HWY_INLINE void store(StoreWay way, const V (&codes)[2], [[maybe_unused]] int most,
                               int shift, int x, T* out, int width) {
    if constexpr (splits) {
      hn::VFromD<D> both[1] = {in_turn(most, codes[0], codes[1])};
      if (sizeof(Lane) == 2 && shift != 0) both[0] = hn::ShiftLeftSame(both[0], shift);
      store_block(way, d, both, out, x, width);
    } else {
      hn::VFromD<D> samples[2];
      unrolled<0, 2>([&](int u) VIDCONV_LAMBDA {
        samples[u] = hn::BitCast(d, codes[u]);
        if (shift != 0) samples[u] = hn::ShiftLeftSame(samples[u], shift);
      });
      store_block(way, d, samples, out, x, width);
    }
  }

  const SobelPlan& plan_;
  const bool stream_;
};

void run_sobel_8(const Plan& plan, const SobelPlan& sobel_plan, const Band& band,
                 const WindowLayout& layout, const Windows<std::uint8_t>& windows) {
  note_used_simd(HWY_TARGET);
  const SobelEngine<std::uint8_t, std::int16_t> engine(sobel_plan,
                                                       goes_past_caches(band.pairs.front().dst));
  run_band<std::uint8_t>(engine, plan, reach_of(plan), band, layout, windows);
}

void run_sobel_16(const Plan& plan, const SobelPlan& sobel_plan, const Band& band,
                  const WindowLayout& layout, const Windows<std::uint16_t>& windows) {
  note_used_simd(HWY_TARGET);
  const Reach reach = reach_of(plan);
  const bool stream = goes_past_caches(band.pairs.front().dst);
  if (sobel_plan.fits_16_bits()) {
    const SobelEngine<std::uint16_t, std::int16_t> engine(sobel_plan, stream);
    run_band<std::uint16_t>(engine, plan, reach, band, layout, windows);
  } else {
    const SobelEngine<std::uint16_t, std::int32_t> engine(sobel_plan, stream);
    run_band<std::uint16_t>(engine, plan, reach, band, layout, windows);
  }
}

void run_sobel_floats(const Plan& plan, const SobelFloatsPlan&, const Band& band,
                      const WindowLayout& layout, const Windows<float>& windows) {
  note_used_simd(HWY_TARGET);
  const bool stream = goes_past_caches(band.pairs.front().dst);
  const auto run = [&](auto engine) {
    run_band<float>(engine, plan, reach_of(plan), band, layout, windows);
  };
  if (plan.finish.real_offset != 0)
    run(SobelFloats<true>(plan.finish, layout, windows, stream));
  else
    run(SobelFloats<false>(plan.finish, layout, windows, stream));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/band/banded.h"
#include "kernels/cpu/variants.h"

namespace vidconv {
HWY_EXPORT(run_sobel_8);
HWY_EXPORT(run_sobel_16);
HWY_EXPORT(run_sobel_floats);

Prepared prepare_cpu_sobel(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS)) return nullptr;
  if (plan.sample.storage == Storage::u8)
    return prepare_banded<std::uint8_t>(plan, make_sobel_plan(plan), [](auto&... arguments) {
      HWY_DYNAMIC_DISPATCH(run_sobel_8)(arguments...);
    });
  if (plan.sample.storage == Storage::f32) {
    std::optional<SobelFloatsPlan> floats;
    if (const auto found = make_sobel_plan(plan)) floats.emplace(SobelFloatsPlan{*found});
    return prepare_banded<float>(plan, floats, [](auto&... arguments) {
      HWY_DYNAMIC_DISPATCH(run_sobel_floats)(arguments...);
    });
  }
  return prepare_banded<std::uint16_t>(plan, make_sobel_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_sobel_16)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
