// The variant for two passes of integers on machines where multiply-adds of 16-bit pairs take the
// time: as few of them as a symmetric row allows.
//
// Pairs are interleaved from whole vectors, and sums packed again the same way, so that columns
// stay in order.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/separable/separable_int_avx2.cpp"
#endif
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/cpu/band/band-inl.h"
#include "kernels/cpu/separable/separable_int_avx2_plan.h"
#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/cpu/simd/interleaved-inl.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// Whether this instruction set is what the variant is for.
bool have_passes() { return HWY_TARGET == HWY_AVX2; }

#if HWY_TARGET == HWY_AVX2
namespace passes {

using woven::d16;
using woven::lanes;
using woven::set;
using woven::Sums;
using woven::V16;
constexpr int vectors = 2;  // vectors in a block
constexpr int block = vectors * lanes;
static_assert(block <= WindowLayout::block);

// The steps of a list whose length is known at compile time, copied so that stores cannot change
// them for all that a compiler knows.
template <int count>
struct CopiedSteps {
  explicit CopiedSteps(const std::vector<SeparableIntPlan::ColumnStep>& list) {
    std::copy_n(list.begin(), count, steps.begin());
  }
  std::array<SeparableIntPlan::ColumnStep, count> steps;
};

class Engine {
 public:
  using Lane = std::int16_t;
  static constexpr int rows = SeparableIntPlan::rows;
  static constexpr int offset = 0;

  // `stream`: whether results go past the caches.
  Engine(const SeparableIntPlan& plan, const WindowLayout& layout, bool stream)
      : plan_(plan), to_pass_(plan.any_dense() ? layout.line : 0), stream_(stream) {}

  void make_passes(const Lane* source, Lane* pass, int width) const {
    const Lane* const centres = source + plan_.to_centre;
    const V16 centre_taps = pair_of_taps(plan_.centre);
    for (int x = 0; x < width; x += block) {
      Sums sums[vectors];
      const Lane* const centre = centres + x;
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
        sums[u].start(plan_.row_start);
        const V16 alone = hn::LoadU(d16, centre + u * lanes);
        const V16 beside = plan_.centre_alone ? alone : both(centre + u * lanes, 1);
        sums[u].add(alone, beside, centre_taps);
      });
      for (const SeparableIntPlan::RowStep& step : plan_.row_steps) {
        const V16 taps = pair_of_taps(step.taps);
        unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
          const Lane* const at = centre + u * lanes;
          sums[u].add(both(at, step.first), both(at, step.second), taps);
        });
      }
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
        hn::StoreU(sums[u].shifted(plan_.row_shift), d16, pass + x + u * lanes);
      });
    }
  }

  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    // With heights of up to 9, all lists have lengths that are known at compile time.
    const bool odd = plan_.first.size() == 1 && plan_.last.size() == 1;
    const std::size_t all = odd ? plan_.all.size() : 0;
    for_blocks<block>(stream_, width, [&](StoreWay way, int begin, int end) HWY_ATTR {
      const auto make = [&](auto own) HWY_ATTR {
        if (all == 1) return make_blocks<1>(way, own, window, out, begin, end, next);
        if (all == 2) return make_blocks<2>(way, own, window, out, begin, end, next);
        if (all == 3) return make_blocks<3>(way, own, window, out, begin, end, next);
        if (all == 4) return make_blocks<4>(way, own, window, out, begin, end, next);
        make_blocks<0>(way, own, window, out, begin, end, next);
      };
      if (plan_.own_tap != 0)
        make(std::true_type());
      else
        make(std::false_type());
    });
  }

 private:
  // Either `count` steps or, where it is 0, a list of them.
  template <int count>
  using Steps = std::conditional_t<count != 0, CopiedSteps<std::max(count, 1)>,
                                   const std::vector<SeparableIntPlan::ColumnStep>&>;

  // `middle` is the number of steps that serve all output rows, where one serves the first and one
  // the last ones; else 0.
  template <int middle, class Own, class T>
  void make_blocks(StoreWay way, Own own, const Lane* const* window, T* const* out, int begin,
                   int end, NextRows<rows>& next) const {
    const woven::Codes<T> last_step(plan_.log2, plan_.min, plan_.max, plan_.shift);
    const std::int32_t start = plan_.start;
    constexpr int ends = middle == 0 ? 0 : 1;
    const Steps<ends> first(plan_.first), last(plan_.last);
    const Steps<middle> all(plan_.all);
    const Lane* const* const own_rows = window + plan_.own_row;
    const V16 own_tap = pair_of_taps(plan_.own_tap);
    const int own_shift = plan_.own_shift;
    const std::ptrdiff_t to_pass = to_pass_;
    for (int x = begin; x < end; x += block) {
      next.ask(x + block);
      V16 codes[rows][vectors];
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
        Sums sums[rows];
        unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
          sums[r].start(start);
          if constexpr (own) {
            const V16 sample = hn::LoadU(d16, own_rows[r] + x + u * lanes);
            const V16 centred = hn::Xor(hn::ShiftLeftSame(sample, own_shift), set(-32768));
            sums[r].add(centred, hn::Zero(d16), own_tap);
          }
        });
        const std::ptrdiff_t at = to_pass + x + u * lanes;
        add_columns<0, 2>(first, window, at, sums);
        add_columns<0, 4>(all, window, at, sums);
        add_columns<2, 4>(last, window, at, sums);
        unrolled<0, rows>([&](int r) VIDCONV_LAMBDA { codes[r][u] = last_step.of(sums[r]); });
      });
      unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
        if (out[r] != nullptr) last_step.store(way, codes[r], out[r], x, end);
      });
    }
  }

  // Returns the sums of the samples `away` to the left and to the right.
  static HWY_INLINE V16 both(const Lane* centre, int away) {
    return hn::Add(hn::LoadU(d16, centre - away), hn::LoadU(d16, centre + away));
  }

  // Adds steps to the sums of the output rows from `From` up to `To`.
  template <int From, int To>
  static HWY_INLINE void add_columns(const std::vector<SeparableIntPlan::ColumnStep>& steps,
                                     const Lane* const* window, std::ptrdiff_t x,
                                     Sums (&sums)[rows]) {
    for (const SeparableIntPlan::ColumnStep& step : steps)
      add_step<false, From, To>(step, window, x, sums);
  }

  template <int From, int To, int count>
  static HWY_INLINE void add_columns(const CopiedSteps<count>& steps, const Lane* const* window,
                                     std::ptrdiff_t x, Sums (&sums)[rows]) {
    unrolled<0, count>([&](auto i) VIDCONV_LAMBDA {
      add_step<true, From, To>(std::get<i>(steps.steps), window, x, sums);
    });
  }

  template <bool at_once, int From, int To>
  static HWY_INLINE void add_step(const SeparableIntPlan::ColumnStep& step,
                                  const Lane* const* window, std::ptrdiff_t x, Sums (&sums)[rows]) {
    const V16 a = hn::LoadU(d16, window[step.upper] + x);
    const V16 b = hn::LoadU(d16, window[step.lower] + x);
    const V16 lower = hn::InterleaveLower(d16, a, b), upper = hn::InterleaveUpper(d16, a, b);
    unrolled<From, To>([&](int r) VIDCONV_LAMBDA {
      sums[r].template add_woven<at_once>(lower, upper, pair_of_taps(step.taps[r]));
    });
  }

  const SeparableIntPlan& plan_;
  const std::ptrdiff_t to_pass_;  // from a slot to its pass
  const bool stream_;
};

}  // namespace passes
#endif

void run_passes([[maybe_unused]] const Plan& plan,
                [[maybe_unused]] const SeparableIntPlan& passes_plan,
                [[maybe_unused]] const Band& band, [[maybe_unused]] const WindowLayout& layout,
                [[maybe_unused]] const Windows<std::int16_t>& windows) {
  note_used_simd(HWY_TARGET);
#if HWY_TARGET == HWY_AVX2
  const passes::Engine engine(passes_plan, layout, goes_past_caches(band.pairs.front().dst));
  run_band_of_codes(engine, plan, band, layout, windows);
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
HWY_EXPORT(have_passes);
HWY_EXPORT(run_passes);

Prepared prepare_cpu_separable_int_avx2(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS) || !HWY_DYNAMIC_DISPATCH(have_passes)()) return nullptr;
  return prepare_banded<std::int16_t>(plan, make_passes_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_passes)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
