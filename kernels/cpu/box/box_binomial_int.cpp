// The variant for sums of a few samples, with equal taps or 1 2 1 or 1 4 6 4 1 in both directions:
// additions alone, of lines that are loaded once for all output rows.
//
// Where sums are wider than samples, those at even and at odd columns lie in separate vectors.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/box/box_binomial_int.cpp"
#endif
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band/band-inl.h"
#include "kernels/cpu/box/box_binomial_int_plan.h"
#include "kernels/cpu/simd/even_odd-inl.h"
#include "kernels/cpu/simd/finish-inl.h"
#include "kernels/cpu/simd/quotient-inl.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// LaneType is the sample type, Wide an unsigned integer that holds the sums.
template <class LaneType, class Wide, class PlanType>
class BoxBinomialEngine {
 public:
  using Lane = LaneType;
  static constexpr int rows = PlanType::rows;
  static constexpr int offset = 0;

  // `stream`: whether results go past the caches.
  BoxBinomialEngine(const BoxBinomialPlan& plan, bool stream) : plan_(plan), stream_(stream) {}

  void make_passes(const Lane*, Lane*, int) const {}

  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    for_blocks<block>(stream_, width, [&](StoreWay way, int begin, int end) HWY_ATTR {
      if constexpr (bits == 8 || rows == 4) {
        if (plan_.size == 3 && plan_.binomial)
          return make_blocks<3, true>(way, window, out, begin, end, next);
        if (plan_.size == 3 && by_float())
          return make_blocks<3, false, true>(way, window, out, begin, end, next);
        if (plan_.size == 3) return make_blocks<3, false>(way, window, out, begin, end, next);
      }
      if constexpr (bits == 8 || rows == 8) {
        if (plan_.size == 5 && plan_.binomial)
          make_blocks<5, true>(way, window, out, begin, end, next);
        else if (plan_.size == 5 && by_float())
          make_blocks<5, false, true>(way, window, out, begin, end, next);
        else if (plan_.size == 5)
          make_blocks<5, false>(way, window, out, begin, end, next);
        else
          make_blocks<7, false>(way, window, out, begin, end, next);
      }
    });
  }

 private:
  using D = hn::ScalableTag<Lane>;
  using DW = hn::ScalableTag<Wide>;
  using V = hn::VFromD<DW>;
  static constexpr D d{};
  static constexpr DW dw{};
  static constexpr bool splits = sizeof(Wide) > sizeof(Lane);
  static constexpr int bits = 8 * sizeof(Lane);
  static constexpr int wide_lanes = static_cast<int>(hn::MaxLanes(dw));
  static constexpr int block = 2 * wide_lanes;
  static_assert(block <= WindowLayout::block);

  // Sums of two vectors of columns: the even and the odd ones, or one after the other. It is no
  // aggregate: a constructor that GCC makes is not for this target, and cannot have vectors of NEON
  // made inside.
  struct Line {
    HWY_INLINE Line() {}
    HWY_INLINE Line(V first, V second) : sums{first, second} {}

    V sums[2];
  };

  bool by_float() const {
    return HWY_NATIVE_FMA && sizeof(Wide) == 4 && plan_.rounded.inverse != 0;
  }

  // `by_float`: whether to divide as RoundedQuotient says.
  template <int size, bool binomial, bool by_float = false, class T>
  void make_blocks(StoreWay way, const Lane* const* window, T* const* out, int begin, int end,
                   NextRows<rows>& next) const {
    const Ending ending(plan_, by_float);  // a local one stays in registers
    for (int x = begin; x < end; x += block) {
      next.ask(x + block);
      Line lines[size - 1 + rows];
      unrolled<0, size - 1>([&](int i)
                                VIDCONV_LAMBDA { lines[i] = read<size, binomial>(window[i] + x); });
      Line before = lines[0];  // the sums of all lines but the last, or of the first two
      unrolled<1, size == 3 || !binomial ? size - 1 : 1>(
          [&](int i) VIDCONV_LAMBDA { before = add(before, lines[i]); });
      // The start of every sum is added once for all output rows.
      if constexpr (!binomial) before = add(before, ending.start());
      unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
        const Line last = read<size, binomial>(window[r + size - 1] + x);
        Line all;
        if constexpr (!binomial) {
          all = add(before, last);
          before = subtract(all, lines[r]);
        } else if constexpr (size == 3) {
          const Line lower = add(lines[r + 1], last);
          all = add(before, lower);
          before = lower;
        } else {
          unrolled<0, 2>([&](int u) VIDCONV_LAMBDA {
            all.sums[u] = weigh(lines[r].sums[u], lines[r + 1].sums[u], lines[r + 2].sums[u],
                                lines[r + 3].sums[u], last.sums[u]);
          });
        }
        lines[r + size - 1] = last;
        if (out[r] != nullptr) store<!binomial, by_float>(way, ending, all, x, out[r], end);
      });
    }
  }

  // Returns the sum by 1 4 6 4 1.
  static HWY_INLINE V weigh(V first, V second, V third, V fourth, V fifth) {
    const V four = hn::Add(hn::Add(second, fourth), third);
    return hn::Add(hn::Add(hn::Add(first, fifth), hn::Add(third, third)), hn::ShiftLeft<2>(four));
  }

  static HWY_INLINE Line add(const Line& a, const Line& b) {
    return {hn::Add(a.sums[0], b.sums[0]), hn::Add(a.sums[1], b.sums[1])};
  }

  static HWY_INLINE Line subtract(const Line& a, const Line& b) {
    return {hn::Sub(a.sums[0], b.sums[0]), hn::Sub(a.sums[1], b.sums[1])};
  }

  // Makes the sums along a line.
  template <int size, bool binomial>
  static HWY_INLINE Line read(const Lane* from) {
    if constexpr (!splits)
      return read_wide<size, binomial>(from);
    else if constexpr (size == 3)
      return read3<binomial>(from);
    else
      return read_pairs<size, binomial>(from);
  }

  template <bool binomial>
  static HWY_INLINE Line read3(const Lane* from) {
    const Columns<DW> at(from);
    const V between = hn::Add(at.even, at.odd);
    if constexpr (binomial)
      return {hn::Add(hn::Add(at.left, at.even), between),
              hn::Add(between, hn::Add(at.odd, at.right))};
    else
      return {hn::Add(at.left, between), hn::Add(between, at.right)};
  }

  // Reads the samples at even columns from -4 to 4, counted from each even column, and those behind
  // them.
  template <int size, bool binomial>
  static HWY_INLINE Line read_pairs(const Lane* from) {
    constexpr int reach = size / 2;
    V even[5], odd[5];
    unrolled<size == 7 ? 0 : 1, size == 7 ? 5 : 4>([&](int i) VIDCONV_LAMBDA {
      const V pairs = hn::BitCast(dw, hn::LoadU(d, from + 2 * i - 4));
      even[i] = hn::And(pairs, hn::Set(dw, (Wide{1} << bits) - 1));
      odd[i] = hn::ShiftRight<bits>(pairs);
    });
    if constexpr (binomial) {
      static_assert(reach == 2);
      return {weigh(even[1], odd[1], even[2], odd[2], even[3]),
              weigh(odd[1], even[2], odd[2], even[3], odd[3])};
    } else if constexpr (reach == 2) {
      const V centre = hn::Add(even[2], odd[2]);
      return {hn::Add(hn::Add(even[1], odd[1]), hn::Add(centre, even[3])),
              hn::Add(hn::Add(odd[1], centre), hn::Add(even[3], odd[3]))};
    } else {
      const V left = hn::Add(even[1], odd[1]), right = hn::Add(even[3], odd[3]);
      const V all = hn::Add(hn::Add(left, hn::Add(even[2], odd[2])), right);
      return {hn::Add(odd[0], all), hn::Add(all, even[4])};
    }
  }

  template <int size, bool binomial>
  static HWY_INLINE Line read_wide(const Lane* from) {
    Line line;
    unrolled<0, 2>([&](int u) VIDCONV_LAMBDA {
      V samples[size];
      unrolled<0, size>([&](int i) VIDCONV_LAMBDA {
        samples[i] = hn::LoadU(dw, from + u * wide_lanes + i - size / 2);
      });
      V& sum = line.sums[u];
      if constexpr (binomial && size == 5) {
        sum = weigh(samples[0], samples[1], samples[2], samples[3], samples[4]);
      } else {
        sum = samples[0];
        unrolled<1, size>([&](int i) VIDCONV_LAMBDA { sum = hn::Add(sum, samples[i]); });
        if constexpr (binomial) sum = hn::Add(sum, samples[1]);
      }
    });
    return line;
  }

  // The division of sums.
  class Ending {
   public:
    HWY_INLINE Ending(const BoxBinomialPlan& plan, bool by_float)
        : start_(hn::Set(dw, static_cast<Wide>(by_float ? plan.rounded.start : plan.start))),
          division_(plan.division.value_or(Division16{})),
          quotient_(plan.finish),
          inverse_(hn::Set(Real(), plan.rounded.inverse)),
          added_(hn::Set(Real(), plan.rounded.added)),
          shift(plan.shift) {}

    HWY_INLINE Line start() const { return {start_, start_}; }

    // `started`: whether sums have begun with start().
    template <bool started>
    HWY_INLINE V codes(V sums) const {
      const V n = started ? sums : hn::Add(sums, start_);
      if constexpr (sizeof(Wide) == 2)
        return quotients16(division_, dw, n);
      else
        return hn::BitCast(dw, quotient_.of(hn::BitCast(D32(), n)));
    }

    // Returns codes in the lower halves of the lanes, as RoundedQuotient says; the upper halves may
    // have anything.
    HWY_INLINE V codes_by_float(V started) const {
      return hn::BitCast(dw, hn::MulAdd(hn::BitCast(Real(), started), inverse_, added_));
    }

   private:
    using D32 = hn::ScalableTag<std::int32_t>;
    using Real = hn::ScalableTag<float>;
    const V start_;
    const Division16 division_;
    const Quotient<D32> quotient_;
    const hn::VFromD<Real> inverse_, added_;

   public:
    const int shift;  // shift of stored codes
  };

  template <bool started, bool by_float, class T>
  static HWY_INLINE void store(StoreWay way, const Ending& ending, const Line& all, int x, T* out,
                               int width) {
    V codes[2];
    unrolled<0, 2>([&](int u) VIDCONV_LAMBDA {
      if constexpr (by_float)
        codes[u] = ending.codes_by_float(all.sums[u]);
      else
        codes[u] = ending.template codes<started>(all.sums[u]);
    });
    if constexpr (splits) {
      const auto odd = hn::BitCast(d, hn::ShiftLeft<bits>(codes[1]));
      hn::VFromD<D> samples[1];
      if constexpr (by_float)
        samples[0] = hn::OddEven(odd, hn::BitCast(d, codes[0]));
      else
        samples[0] = hn::Or(odd, hn::BitCast(d, codes[0]));
      if constexpr (bits > 8)
        if (ending.shift != 0) samples[0] = hn::ShiftLeftSame(samples[0], ending.shift);
      store_block(way, d, samples, out, x, width);
    } else {
      unrolled<0, 2>([&](int u)
                         VIDCONV_LAMBDA { codes[u] = hn::ShiftLeftSame(codes[u], ending.shift); });
      store_block(way, dw, codes, out, x, width);
    }
  }

  const BoxBinomialPlan& plan_;
  const bool stream_;
};

void run_smooth_8(const Plan& plan, const BoxBinomialPlanOf<8>& smooth_plan, const Band& band,
                  const WindowLayout& layout, const Windows<std::uint8_t>& windows) {
  note_used_simd(HWY_TARGET);
  const BoxBinomialEngine<std::uint8_t, std::uint16_t, BoxBinomialPlanOf<8>> engine(
      smooth_plan, goes_past_caches(band.pairs.front().dst));
  run_band<std::uint8_t>(engine, plan, reach_of(plan), band, layout, windows);
}

template <int rows>
void run_any_smooth_16(const Plan& plan, const BoxBinomialPlanOf<rows>& smooth_plan,
                       const Band& band, const WindowLayout& layout,
                       const Windows<std::uint16_t>& windows) {
  note_used_simd(HWY_TARGET);
  const Reach reach = reach_of(plan);
  const bool stream = goes_past_caches(band.pairs.front().dst);
  if (smooth_plan.division) {
    const BoxBinomialEngine<std::uint16_t, std::uint16_t, BoxBinomialPlanOf<rows>> engine(
        smooth_plan, stream);
    run_band<std::uint16_t>(engine, plan, reach, band, layout, windows);
  } else {
    const BoxBinomialEngine<std::uint16_t, std::uint32_t, BoxBinomialPlanOf<rows>> engine(
        smooth_plan, stream);
    run_band<std::uint16_t>(engine, plan, reach, band, layout, windows);
  }
}

// HWY_EXPORT takes no templates.
void run_smooth_16_by_4(const Plan& plan, const BoxBinomialPlanOf<4>& smooth_plan, const Band& band,
                        const WindowLayout& layout, const Windows<std::uint16_t>& windows) {
  run_any_smooth_16(plan, smooth_plan, band, layout, windows);
}

void run_smooth_16_by_8(const Plan& plan, const BoxBinomialPlanOf<8>& smooth_plan, const Band& band,
                        const WindowLayout& layout, const Windows<std::uint16_t>& windows) {
  run_any_smooth_16(plan, smooth_plan, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/band/banded.h"
#include "kernels/cpu/variants.h"

namespace vidconv {
HWY_EXPORT(run_smooth_8);
HWY_EXPORT(run_smooth_16_by_4);
HWY_EXPORT(run_smooth_16_by_8);

Prepared prepare_cpu_box_binomial_int(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS)) return nullptr;
  const std::optional<BoxBinomialPlan> made = make_smooth_plan(plan);
  if (!made) return nullptr;
  if (plan.sample.storage == Storage::u8)
    return prepare_banded<std::uint8_t>(plan, std::optional(BoxBinomialPlanOf<8>{*made}),
                                        [](auto&... arguments) {
                                          HWY_DYNAMIC_DISPATCH(run_smooth_8)(arguments...);
                                        });
  // With 16 bits, eight rows' lines of HD do not fit a cache of 32 KiB: worth it where each line's
  // sums would be made twice for four rows, not one and a half times.
  if (made->size == 3)
    return prepare_banded<std::uint16_t>(plan, std::optional(BoxBinomialPlanOf<4>{*made}),
                                         [](auto&... arguments) {
                                           HWY_DYNAMIC_DISPATCH(run_smooth_16_by_4)(arguments...);
                                         });
  return prepare_banded<std::uint16_t>(plan, std::optional(BoxBinomialPlanOf<8>{*made}),
                                       [](auto&... arguments) {
                                         HWY_DYNAMIC_DISPATCH(run_smooth_16_by_8)(arguments...);
                                       });
}

}  // namespace vidconv
#endif  // HWY_ONCE
