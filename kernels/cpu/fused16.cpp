// The variant for two passes of three taps over integers: both at once in 16-bit multiply-adds,
// without a line between them. What two lines, one above the other, are along the row lies in pairs
// for the pass down the columns, so that no vector is shuffled between them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/fused16.cpp"
#define VIDCONV_DOT_PRODUCTS
#include "kernels/cpu/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/dot-inl.h"
#include "kernels/cpu/fused16_plan.h"
#include "kernels/cpu/int16_codes-inl.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/store-inl.h"
#include "kernels/cpu/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// Taps and sums want some twenty registers.
#undef VIDCONV_HAVE_FUSED16
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define VIDCONV_HAVE_FUSED16 1
#else
#define VIDCONV_HAVE_FUSED16 0
#endif

bool have_fused16() { return VIDCONV_HAVE_FUSED16; }

#if VIDCONV_HAVE_FUSED16
namespace fused16 {

using namespace int16;  // NOLINT(google-build-using-namespace)

// LaneType: of samples.
template <class LaneType>
class Engine {
 public:
  using Lane = LaneType;
  static constexpr int rows = Fused16Plan::rows;
  static constexpr int offset = 0;

  // `stream`: whether results go past the caches.
  Engine(const Fused16Plan& plan, bool stream) : plan_(plan), stream_(stream) {}

  void make_passes(const Lane*, Lane*, int) const {}

  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    for_blocks<block>(stream_, width, [&](auto way, int begin, int end) HWY_ATTR {
      make_blocks(way, window, out, begin, end, next);
    });
  }

 private:
  static constexpr int steps = Fused16Plan::steps;
  static constexpr int vectors = 2 / static_cast<int>(sizeof(Lane));  // in a block
  static constexpr int block = vectors * lanes;
  static_assert(block <= WindowLayout::block);

  // Two lines' sums along the row, the upper one in the lower halves.
  struct Pair {
    HWY_INLINE Pair() {}  // GCC's own is not for this target

    V16 even, odd;
  };

  // Sums along a line.
  class RowPass {
   public:
    explicit HWY_INLINE RowPass(const Int16Plan::Term& term)
        : start_(term.row_start), shift_(term.row_shift) {
      unrolled<0, steps>([&](auto i) VIDCONV_LAMBDA {
        column_[i] = term.row_steps[i].column;
        even_[i] = pair_of_taps(term.row_steps[i].even);
        odd_[i] = pair_of_taps(term.row_steps[i].odd);
      });
    }
    HWY_INLINE Pair of(const Lane* upper, const Lane* lower) const {
      const Sums above(*this, upper), below(*this, lower);
      Pair pair;
      pair.even = weave_from(shift_, above.even.total(), below.even.total());
      pair.odd = weave_from(shift_, above.odd.total(), below.odd.total());
      return pair;
    }

   private:
    struct Sums {
      HWY_INLINE Sums(const RowPass& taps, const Lane* from) {
        even.start(taps.start_);
        odd.start(taps.start_);
        unrolled<0, steps>([&](auto i) VIDCONV_LAMBDA {
          const V16 samples = load(from + taps.column_[i]);
          even.add(samples, taps.even_[i]);
          odd.add(samples, taps.odd_[i]);
        });
      }
      Sum even, odd;
    };
    const std::int32_t start_;
    const int shift_;
    std::ptrdiff_t column_[steps];
    V16 even_[steps], odd_[steps];
  };

  template <class Way>
  void make_blocks(Way way, const Lane* const* window, Lane* const* out, int begin, int end,
                   NextRows<rows>& next) const {
    const Int16Plan::Term& term = plan_.term();
    const RowPass row_pass(term);
    const Ending<true> ending(plan_.int16);
    const std::int32_t start = term.start;
    const int shift = plan_.int16.shift;
    V16 taps[steps][2];  // of the pass down the columns, for two output rows
    unrolled<0, steps>([&](auto i) VIDCONV_LAMBDA {
      unrolled<0, 2>(
          [&](auto r) VIDCONV_LAMBDA { taps[i][r] = pair_of_taps(term.column_steps[i].taps[r]); });
    });
    for (int x = begin; x < end; x += block) {
      const auto asked = next.columns(x + block);
      const auto pair = [&](auto line, auto u) VIDCONV_LAMBDA {
        const int at = x + u * lanes;
        return row_pass.of(window[line] + at, window[line + 1] + at);
      };
      Pair above[vectors];
      unrolled<0, vectors>(
          [&](auto u) VIDCONV_LAMBDA { above[u] = pair(std::integral_constant<int, 0>(), u); });
      unrolled<0, rows / 2>([&](auto k) VIDCONV_LAMBDA {
        V16 codes[2][vectors];
        unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
          const Pair below = pair(std::integral_constant<int, 2 * k + 2>(), u);
          unrolled<0, 2>([&](auto r) VIDCONV_LAMBDA {
            Sum even, odd;
            even.start(start);
            odd.start(start);
            even.add(above[u].even, taps[0][r]);
            odd.add(above[u].odd, taps[0][r]);
            even.add(below.even, taps[1][r]);
            odd.add(below.odd, taps[1][r]);
            codes[r][u] = ending.template codes<Lane>(even.total(), odd.total());
          });
          above[u] = below;
        });
        unrolled<0, 2>([&](auto r) VIDCONV_LAMBDA {
          asked.ask(2 * k + r);
          if (out[2 * k + r] != nullptr) store_codes(way, codes[r], shift, out[2 * k + r], x, end);
        });
      });
    }
  }

  static HWY_INLINE V16 load(const Lane* from) {
    if constexpr (sizeof(Lane) == 1)
      return hn::PromoteTo(d16, hn::LoadU(hn::Rebind<Lane, D16>(), from));
    else
      return hn::BitCast(d16, hn::LoadU(hn::RebindToUnsigned<D16>(), from));
  }

  const Fused16Plan& plan_;
  const bool stream_;
};

}  // namespace fused16
#endif

template <class Lane>
void run_fused16([[maybe_unused]] const Plan& plan, [[maybe_unused]] const Fused16Plan& fused_plan,
                 [[maybe_unused]] const Band& band, [[maybe_unused]] const WindowLayout& layout,
                 [[maybe_unused]] const Windows<Lane>& windows) {
  note_used_simd(HWY_TARGET);
#if VIDCONV_HAVE_FUSED16
  const fused16::Engine<Lane> engine(fused_plan, goes_past_caches(band.pairs.front().dst));
  run_band<Lane>(engine, plan, reach_of(plan), band, layout, windows);
#endif
}

// HWY_EXPORT takes no templates.
void run_fused16_of_8(const Plan& plan, const Fused16Plan& fused_plan, const Band& band,
                      const WindowLayout& layout, const Windows<std::uint8_t>& windows) {
  run_fused16(plan, fused_plan, band, layout, windows);
}

void run_fused16_of_16(const Plan& plan, const Fused16Plan& fused_plan, const Band& band,
                       const WindowLayout& layout, const Windows<std::uint16_t>& windows) {
  run_fused16(plan, fused_plan, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/banded.h"
#include "kernels/cpu/cpu.h"

namespace vidconv {
HWY_EXPORT(have_fused16);
HWY_EXPORT(run_fused16_of_8);
HWY_EXPORT(run_fused16_of_16);

std::optional<Fused16Plan> make_fused16_plan(const Plan& plan) {
  std::optional<Int16Plan> int16 = make_int16_plan(plan);
  if (!int16 || !int16->plain || int16->code_offset != 0 || int16->terms.size() != 1)
    return std::nullopt;
  const Int16Plan::Term& term = int16->terms[0];
  if (term.row_steps.size() != Fused16Plan::steps) return std::nullopt;
  // Of two taps down the columns the window has no fourth line.
  int line = 0;
  for (const Int16Plan::ColumnStep& step : term.column_steps) {
    if (step.upper != line || step.lower != line + 1) return std::nullopt;
    line += 2;
  }
  if (line != 2 * Fused16Plan::steps) return std::nullopt;
  return Fused16Plan{*std::move(int16)};
}

Prepared prepare_cpu_fused16(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS) || !HWY_DYNAMIC_DISPATCH(have_fused16)()) return nullptr;
  if (plan.sample.storage == Storage::u8)
    return prepare_banded<std::uint8_t>(plan, make_fused16_plan(plan), [](auto&... arguments) {
      HWY_DYNAMIC_DISPATCH(run_fused16_of_8)(arguments...);
    });
  return prepare_banded<std::uint16_t>(plan, make_fused16_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_fused16_of_16)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
