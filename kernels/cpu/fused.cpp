// The variant for short passes over 16-bit or float samples, in floats: both passes at once,
// without a line between them, and samples of 16 bits converted where they are multiplied. Each sum
// along a row is added to all output rows that want it while it is in a register; those that want
// rows below, too, are kept.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/fused.cpp"
#include "kernels/cpu/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/finish-inl.h"
#include "kernels/cpu/fused_plan.h"
#include "kernels/cpu/kept-inl.h"
#include "kernels/cpu/lane-inl.h"
#include "kernels/cpu/lane_store-inl.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/store-inl.h"
#include "kernels/cpu/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// Sums, taps and samples want some thirty registers.
#undef VIDCONV_HAVE_FUSED
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define VIDCONV_HAVE_FUSED 1
#else
#define VIDCONV_HAVE_FUSED 0
#endif

bool have_fused() { return VIDCONV_HAVE_FUSED; }

#if VIDCONV_HAVE_FUSED

// LaneType: of samples.
template <class LaneType>
class FusedEngine {
 public:
  using Lane = LaneType;
  static constexpr int rows = FusedPlan::rows;
  static constexpr int offset = 0;

  // For one band, with a window for each component. `stream`: whether results go past the caches.
  FusedEngine(const FusedPlan& plan, const WindowLayout& layout, const Windows<Lane>& windows,
              bool stream)
      : plan_(plan), stream_(stream), kept_(layout, windows, plan.size - 1) {}

  void select(int k, int begin) { kept_.select(k, begin); }

  void make_passes(const Lane*, Lane*, int) const {}

  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    if (plan_.size == 3) return make_rows<3>(window, out, width, next);
    if (plan_.size == 5) return make_rows<5>(window, out, width, next);
    make_rows<7>(window, out, width, next);
  }

 private:
  using D = hn::ScalableTag<float>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  static constexpr bool is_codes = !std::is_same_v<Lane, float>;
  // In a block. Of three taps there are registers for more, and one vector more is loaded.
  template <int size>
  static constexpr int vectors_of = size == 3 && is_codes ? 4 : 2;
  static_assert(vectors_of<3> * lanes <= WindowLayout::block);
  // Lines whose sums are made before any is used: results past the caches come in bursts, which
  // memory takes faster, but there have to be registers.
  template <int size>
  static constexpr int together_of = size == 5 ? 4 : 2;

  template <int size>
  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    const Lane* lines[rows + size - 1];
    for (int line = 0; line < rows + size - 1; ++line)
      lines[line] = window[plan_.top + line] - plan_.left;
    if (!kept_.begun())
      for (int x = 0; x < width; x += vectors_of<size> * lanes) begin_sums<size>(lines, x);
    const Lane* const* const lowest = lines + size - 1;  // of each output row
    const PlainCodes<D> plain(plan_.finish);
    for_blocks<vectors_of<size> * lanes>(
        stream_, width, [&](auto way, int begin, int end) HWY_ATTR {
          if constexpr (is_codes) {
            if (plain.serves_all_codes() && plan_.shift == 0)
              return make_blocks<size>(way, plain.of_all_codes(), lowest, out, begin, end, next);
            if (plain.serves()) return make_blocks<size>(way, plain, lowest, out, begin, end, next);
          }
          make_blocks<size>(way, plan_.finish, lowest, out, begin, end, next);
        });
  }

  // `last_step`: Finish, or one for codes where it serves.
  template <int size, class Way, class Last>
  void make_blocks(Way way, const Last& last_step, const Lane* const* lines, Lane* const* out,
                   int begin, int end, NextRows<rows>& next) const {
    constexpr int vectors = vectors_of<size>, block = vectors * lanes;
    const Last last = last_step;  // here, it is in registers
    const int shift = plan_.shift;
    const Coefficients<size> taps(plan_);
    for (int x = begin; x < end; x += block) {
      const auto asked = next.columns(x + block);
      add_lines<size, rows, false>(taps, lines, x,
                                   [&](auto r, const V(&sums)[vectors]) VIDCONV_LAMBDA {
                                     asked.ask(r);
                                     if (out[r] != nullptr)
                                       store_lanes(way, d, last, sums, shift, out[r], x, end);
                                   });
    }
  }

  // The taps of both passes, in all lanes.
  template <int size>
  struct Coefficients {
    explicit HWY_INLINE Coefficients(const FusedPlan& plan) {
      unrolled<0, size>([&](auto i) VIDCONV_LAMBDA {
        row[i] = hn::Set(d, plan.row[i]);
        column[i] = hn::Set(d, plan.column[i]);
      });
    }
    V row[size], column[size];
  };

  // Of the lines above the first row's lowest one.
  template <int size>
  HWY_NOINLINE void begin_sums(const Lane* const* lines, int x) const {
    const Coefficients<size> taps(plan_);
    add_lines<size, size - 1, true>(taps, lines, x, [](auto, const auto&) VIDCONV_LAMBDA {});
  }

  // Adds `count` lines, one below the other, to what is kept of the output rows that end with one
  // of the first size - 1 of them, or to nothing where they are `first`: take(line, sums) of the
  // row that ends with each line. As in LaneSums, the first product is not added to 0.
  template <int size, int count, bool first, class Take>
  HWY_INLINE void add_lines(const Coefficients<size>& taps, const Lane* const* lines, int x,
                            const Take& take) const {
    constexpr int vectors = vectors_of<size>, together = together_of<size>;
    float* const kept = kept_.of_block(x);
    V sums[count + size - 1][vectors];  // [r]: of the output row that ends with line r
    const auto each_kept = [&](const auto& f) VIDCONV_LAMBDA {
      unrolled<0, (size - 1) * vectors>([&](auto i) VIDCONV_LAMBDA {
        f(std::integral_constant<int, i / vectors>(), std::integral_constant<int, i % vectors>(),
          kept + i * lanes);
      });
    };
    if constexpr (!first)
      each_kept([&](auto r, auto u, const float* from)
                    VIDCONV_LAMBDA { sums[r][u] = hn::Load(d, from); });
    V along[together][vectors];
    unrolled<0, count>([&](auto line) VIDCONV_LAMBDA {
      if constexpr (line % together == 0)
        unrolled<0, std::min(together, count - line)>(
            [&](auto i) VIDCONV_LAMBDA { add_row<size>(taps.row, lines[line + i] + x, along[i]); });
      const auto& between = along[line % together];
      unrolled<0, first ? std::min(line + 1, size) : size>([&](auto i) VIDCONV_LAMBDA {
        constexpr int r = line + size - 1 - i;
        unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
          if constexpr (i == 0)
            sums[r][u] = hn::Mul(taps.column[0], between[u]);
          else
            sums[r][u] = multiply_add(d, taps.column[i], between[u], sums[r][u]);
        });
      });
      if constexpr (!first) take(line, sums[line]);
    });
    each_kept([&](auto r, auto u, float* to)
                  VIDCONV_LAMBDA { hn::Store(sums[count + r][u], d, to); });
  }

  // between[u] = what the taps of a row make of the samples from `from` on.
  template <int size, int vectors>
  static HWY_INLINE void add_row(const V (&taps)[size], const Lane* from, V (&between)[vectors]) {
    // Of three taps of floats, vectors are loaded where blocks begin, so that none crosses a line
    // of the cache; of more there are no registers for one vector more.
    constexpr bool aligned = size == 3 && !is_codes;
    constexpr int centre = aligned ? 1 : 0, first = aligned ? 1 : 0;
    V samples[vectors + 1 + first];
    unrolled<0, vectors + 1 + first>(
        [&](auto u) VIDCONV_LAMBDA { samples[u] = load(from + centre + (u - first) * lanes); });
    unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
      unrolled<0, size>([&](auto i) VIDCONV_LAMBDA {
        constexpr int moved = i - centre;
        V at = samples[u + first];
        if constexpr (moved < 0)
          at = lanes_from(std::integral_constant<int, lanes + moved>(), samples[u], at);
        else if constexpr (moved > 0)
          at = lanes_from(std::integral_constant<int, moved>(), at, samples[u + first + 1]);
        if constexpr (i == 0)
          between[u] = hn::Mul(taps[0], at);
        else
          between[u] = multiply_add(d, taps[i], at, between[u]);
      });
    });
  }

  static HWY_INLINE V load(const Lane* from) {
    if constexpr (!is_codes)
      return hn::LoadU(d, from);
    else
      return hn::ConvertTo(
          d, hn::PromoteTo(hn::RebindToSigned<D>(), hn::LoadU(hn::Rebind<Lane, D>(), from)));
  }

  const FusedPlan& plan_;
  const bool stream_;
  KeptSums<Lane> kept_;  // of the output rows below, one for each tap but one
};

#endif

template <class Lane>
void run_fused([[maybe_unused]] const Plan& plan, [[maybe_unused]] const FusedPlan& fused_plan,
               [[maybe_unused]] const Band& band, [[maybe_unused]] const WindowLayout& layout,
               [[maybe_unused]] const Windows<Lane>& windows) {
  note_used_simd(HWY_TARGET);
#if VIDCONV_HAVE_FUSED
  FusedEngine<Lane> engine(fused_plan, layout, windows, goes_past_caches(band.pairs.front().dst));
  run_band<Lane>(engine, plan, reach_of(plan), band, layout, windows);
#endif
}

// HWY_EXPORT takes no templates.
void run_fused_16(const Plan& plan, const FusedPlan& fused_plan, const Band& band,
                  const WindowLayout& layout, const Windows<std::uint16_t>& windows) {
  run_fused(plan, fused_plan, band, layout, windows);
}

void run_fused_float(const Plan& plan, const FusedPlan& fused_plan, const Band& band,
                     const WindowLayout& layout, const Windows<float>& windows) {
  run_fused(plan, fused_plan, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/banded.h"
#include "kernels/cpu/cpu.h"

namespace vidconv {
HWY_EXPORT(have_fused);
HWY_EXPORT(run_fused_16);
HWY_EXPORT(run_fused_float);

Prepared prepare_cpu_fused(const Plan& plan, const CudaAbilities&) {
  if (!HWY_DYNAMIC_DISPATCH(have_fused)()) return nullptr;
  if (plan.sample.storage == Storage::f32)
    return prepare_banded<float>(plan, make_fused_plan(plan), [](auto&... arguments) {
      HWY_DYNAMIC_DISPATCH(run_fused_float)(arguments...);
    });
  return prepare_banded<std::uint16_t>(plan, make_fused_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_fused_16)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
