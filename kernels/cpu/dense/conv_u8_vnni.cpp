// Sums of the output samples at columns 4n, 4n + 1, 4n + 2 and 4n + 3 lie in separate vectors, made
// of loads at these columns. So nothing is shuffled: the four results of each 32-bit lane are the
// four bytes that are stored there. A load serves several output rows, because unaligned loads take
// longer than multiply-adds.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/dense/conv_u8_vnni.cpp"
#endif
#define VIDCONV_DOT_PRODUCTS
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "kernels/cpu/band/band-inl.h"
#include "kernels/cpu/dense/conv_u8_vnni_plan.h"
#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/cpu/simd/finish-inl.h"
#include "kernels/cpu/simd/gradient_length-inl.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// Whether this instruction set has the instruction that the variant needs; others have faster
// variants.
bool have_bytes() { return VIDCONV_HAVE_DOT; }

#if VIDCONV_HAVE_DOT
namespace bytes {

using D8 = hn::ScalableTag<std::uint8_t>;
using D16 = hn::RepartitionToWide<D8>;
using V8 = hn::VFromD<D8>;
using V16 = hn::VFromD<D16>;
constexpr D8 d8;
constexpr D16 d16;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d8));
constexpr int phases = 4;

// Samples to be multiplied by taps of one byte.
struct NarrowSamples {
  V8 samples;
  explicit HWY_INLINE NarrowSamples(const std::uint8_t* from) : samples(hn::LoadU(d8, from)) {}
  HWY_INLINE void add_to(Sum& sum, const ConvU8VnniPlan::FourTaps& taps) const {
    sum.add_bytes(samples, taps.bytes);
  }
};

// Samples to be multiplied by taps of two bytes.
struct WideSamples {
  hn::VFromD<Sum::D16> even, odd;
  explicit HWY_INLINE WideSamples(const std::uint8_t* from) {
    const V16 pairs = hn::BitCast(d16, hn::LoadU(d8, from));
    even = hn::BitCast(Sum::D16(), hn::And(pairs, hn::Set(d16, 0xFF)));
    odd = hn::BitCast(Sum::D16(), hn::ShiftRight<8>(pairs));
  }
  HWY_INLINE void add_to(Sum& sum, const ConvU8VnniPlan::FourTaps& taps) const {
    sum.add(even, pair_of_taps(taps.even));
    sum.add(odd, pair_of_taps(taps.odd));
  }
};

// The last step, where this is no gradient. It copies from the plan, which stores of bytes could
// change for all that a compiler knows. `clamps16` is the plan's.
template <bool clamps16>
class Ending {
 public:
  explicit Ending(const ConvU8VnniPlan& plan)
      : start(plan.start),
        finish_(plan.finish),
        clamps_(plan.clamps),
        narrow_(plan.division),
        division_(plan.division.value_or(Division16{})) {}

  HWY_INLINE V8 codes_of(const Sum* sums) const {
    const V16 even = codes_of(sums[0].total(), sums[2].total());
    const V16 odd = codes_of(sums[1].total(), sums[3].total());
    return hn::BitCast(d8, hn::Or(even, hn::ShiftLeft<8>(odd)));
  }

  const std::int32_t start;

 private:
  // Returns the codes of two vectors of sums, in turn.
  HWY_INLINE V16 codes_of(Sum::V32 even, Sum::V32 odd) const {
    if constexpr (clamps16) return quotients16(division_, d16, clamped(weave(even, odd)));
    even = numerator(even);
    odd = numerator(odd);
    if (narrow_) return quotients16(division_, d16, weave(even, odd));
    return weave(quotients(finish_, Sum::d32, even), quotients(finish_, Sum::d32, odd));
  }

  HWY_INLINE Sum::V32 numerator(Sum::V32 n) const {
    if (finish_.absolute) return numerators(finish_, Sum::d32, n);
    if (!clamps_) return n;
    return hn::Min(hn::Max(n, hn::Set(Sum::d32, finish_.lowest)), hn::Set(Sum::d32, finish_.limit));
  }

  // Clamps numerators of 16 bits, which are half as many vectors.
  HWY_INLINE V16 clamped(V16 numerators) const {
    constexpr hn::RebindToSigned<D16> signed16;
    constexpr std::int32_t most = std::numeric_limits<std::int16_t>::max();
    const auto lowest = hn::Set(signed16, static_cast<std::int16_t>(finish_.lowest));
    const auto limit = hn::Set(signed16, static_cast<std::int16_t>(std::min(finish_.limit, most)));
    return hn::BitCast(d16, hn::Min(hn::Max(hn::BitCast(signed16, numerators), lowest), limit));
  }

  // Returns the lower halves of `even` and `odd`, in turn.
  static HWY_INLINE V16 weave(Sum::V32 even, Sum::V32 odd) {
    return hn::OddEven(hn::BitCast(d16, hn::ShiftLeft<16>(odd)), hn::BitCast(d16, even));
  }

  const Finish finish_;
  const bool clamps_, narrow_;
  const Division16 division_;
};

class Engine {
 public:
  using Lane = std::uint8_t;
  static constexpr int rows = ConvU8VnniPlan::rows;
  static constexpr int offset = 0;

  // `stream`: whether results go past the caches.
  Engine(const ConvU8VnniPlan& plan, int left, bool stream)
      : plan_(plan), left_(left), stream_(stream) {}

  void make_passes(const Lane*, Lane*, int) const {}

  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    if constexpr (sizeof(T) == 1) {  // the plan is for no other
      if (plan_.size == 3 && plan_.gradient)
        return make_rows<NarrowSamples, 3, 2>(window, out, width, next);
      if (plan_.size == 3) return make_rows<NarrowSamples, 3, 1>(window, out, width, next);
      if (plan_.size == 5) return make_rows<NarrowSamples, 5, 1>(window, out, width, next);
      if (plan_.gradient && plan_.narrow)
        return make_rows<NarrowSamples, 0, 2>(window, out, width, next);
      if (plan_.gradient) return make_rows<WideSamples, 0, 2>(window, out, width, next);
      if (plan_.narrow) return make_rows<NarrowSamples, 0, 1>(window, out, width, next);
      make_rows<WideSamples, 0, 1>(window, out, width, next);
    }
  }

 private:
  static_assert(lanes <= WindowLayout::block);
  using Sums = Sum[ConvU8VnniPlan::sums][phases];
  using Grid = decltype(ConvU8VnniPlan::grid);

  // `size` is as in the plan, or 0 where it is not known at compile time.
  template <class Samples, int size, int kernels>
  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    for_blocks<lanes>(stream_, width, [&](StoreWay way, int begin, int end) HWY_ATTR {
      if constexpr (size == 3 && kernels == 1) {
        if (plan_.clamps16)
          return make_blocks<Samples, size, kernels, true>(way, window, out, begin, end, next);
      }
      // Lists of steps take so long that asking for the way does not matter.
      if constexpr (size > 0)
        make_blocks<Samples, size, kernels, false>(way, window, out, begin, end, next);
      else
        make_blocks<Samples, size, kernels, false>(way, window, out, begin, end, next);
    });
  }

  template <class Samples, int size, int kernels, bool clamps16>
  void make_blocks(StoreWay way, const Lane* const* window, Lane* const* out, int begin, int end,
                   NextRows<rows>& next) const {
    constexpr int group = rows / kernels;
    const Ending<clamps16> ending(plan_);
    const auto grid = plan_.grid;
    for (int x = begin; x < end; x += lanes) {
      next.ask(x + lanes);
      unrolled<0, kernels>([&](int g) VIDCONV_LAMBDA {
        Sums sums;
        unrolled<0, ConvU8VnniPlan::sums>([&](int i) VIDCONV_LAMBDA {
          unrolled<0, phases>([&](int phase)
                                  VIDCONV_LAMBDA { sums[i][phase].start(ending.start); });
        });
        if constexpr (size == 0)
          add_ranges<Samples, 0, 1>(window + g * group, x, sums);
        else
          add_grid<size, kernels>(grid, window + g * group, x - left_, sums);
        unrolled<0, group>([&](int r) VIDCONV_LAMBDA {
          Lane* to = out[g * group + r];
          if (to == nullptr) return;
          V8 codes[1];
          if constexpr (kernels == 1)
            codes[0] = ending.codes_of(sums[r]);
          else
            codes[0] = lengths_of(sums[2 * r], sums[2 * r + 1]);
          store_block(way, d8, codes, to, x, end);
        });
      });
    }
  }

  template <int size, int kernels>
  static HWY_INLINE void add_grid(const Grid& grid, const Lane* const* window, std::ptrdiff_t at,
                                  Sums& sums) {
    constexpr int group = rows / kernels;
    unrolled<0, group + size - 1>([&](auto line) VIDCONV_LAMBDA {
      unrolled<0, 4 * ConvU8VnniPlan::across(size)>([&](auto column) VIDCONV_LAMBDA {
        constexpr int phase = column % 4;
        const NarrowSamples samples(window[line] + at + column);
        unrolled<std::max(0, line + 1 - size), std::min(group, line + 1)>(
            [&](int r) VIDCONV_LAMBDA {
              unrolled<0, kernels>([&](int k) VIDCONV_LAMBDA {
                samples.add_to(sums[r * kernels + k][phase],
                               grid[ConvU8VnniPlan::tap_at(size, k, line - r, column / 4)]);
              });
            });
      });
    });
  }

  // Adds the steps of all ranges of sums from that of From and To on.
  template <class Samples, int From, int To>
  HWY_INLINE void add_ranges(const Lane* const* window, int x, Sums& sums) const {
    for (const ConvU8VnniPlan::Step& step : plan_.steps[ConvU8VnniPlan::range(From, To)])
      add<Samples, From, To>(step, window[step.row] + x + step.column, sums);
    if constexpr (To < ConvU8VnniPlan::sums)
      add_ranges<Samples, From, To + 1>(window, x, sums);
    else if constexpr (From + 1 < ConvU8VnniPlan::sums)
      add_ranges<Samples, From + 1, From + 2>(window, x, sums);
  }

  template <class Samples, int From, int To>
  static HWY_INLINE void add(const ConvU8VnniPlan::Step& step, const Lane* from, Sums& sums) {
    unrolled<0, phases>([&](int phase) VIDCONV_LAMBDA {
      const Samples samples(from + phase);
      unrolled<From, To>([&](int r) VIDCONV_LAMBDA {  //
        samples.add_to(sums[r][phase], step.taps[r]);
      });
    });
  }

  HWY_INLINE V8 lengths_of(const Sum* across, const Sum* down) const {
    const auto length = [&](int phase) VIDCONV_LAMBDA {
      const auto low = hn::BitCast(Sum::D16(), across[phase].total());
      const auto high = hn::BitCast(Sum::D16(), hn::ShiftLeft<16>(down[phase].total()));
      return length_of(255, hn::OddEven(high, low));
    };
    // Bits above the codes are shifted out at the upper end, except for the first.
    const auto first = hn::And(length(0), hn::Set(Sum::d32, 0xFF));
    return hn::BitCast(d8,
                       hn::Or(hn::Or(first, hn::ShiftLeft<8>(length(1))),
                              hn::Or(hn::ShiftLeft<16>(length(2)), hn::ShiftLeft<24>(length(3)))));
  }

  const ConvU8VnniPlan& plan_;
  const int left_;
  const bool stream_;
};

}  // namespace bytes
#endif

void run_bytes([[maybe_unused]] const Plan& plan, [[maybe_unused]] const ConvU8VnniPlan& bytes_plan,
               [[maybe_unused]] const Band& band, [[maybe_unused]] const WindowLayout& layout,
               [[maybe_unused]] const Windows<std::uint8_t>& windows) {
  note_used_simd(HWY_TARGET);
#if VIDCONV_HAVE_DOT
  const Reach reach = reach_of(plan);
  const bytes::Engine engine(bytes_plan, reach.left, goes_past_caches(band.pairs.front().dst));
  run_band<std::uint8_t>(engine, plan, reach, band, layout, windows);
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
HWY_EXPORT(have_bytes);
HWY_EXPORT(run_bytes);

Prepared prepare_cpu_conv_u8_vnni(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS) || !HWY_DYNAMIC_DISPATCH(have_bytes)()) return nullptr;
  return prepare_banded<std::uint8_t>(plan, make_bytes_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_bytes)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
