// The variant for boxes of floats of up to 16x16: sums along a line are made in registers and added
// at once to sums across lines, each of which is made once and kept for the rows below.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/box/box_f32_avx512.cpp"
#endif
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "kernels/cpu/band/band-inl.h"
#include "kernels/cpu/band/column_sums-inl.h"
#include "kernels/cpu/box/box_f32_avx512_plan.h"
#include "kernels/cpu/simd/arithmetic-inl.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"
#include "kernels/plan/pairwise.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// Sums need some thirty registers, and vectors to be moved in them.
#undef VIDCONV_HAVE_FUSED_BOX
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define VIDCONV_HAVE_FUSED_BOX 1
#else
#define VIDCONV_HAVE_FUSED_BOX 0
#endif

bool have_fused_box() { return VIDCONV_HAVE_FUSED_BOX; }

#if VIDCONV_HAVE_FUSED_BOX

class FloatBoxEngine {
 public:
  using Lane = float;
  static constexpr int rows = FloatBoxPlan::rows;
  static constexpr int offset = 0;

  // Runs one band, with a window for each component. `stream`: whether results go past the caches.
  FloatBoxEngine(const FloatBoxPlan& plan, const WindowLayout& layout, const Windows<Lane>& windows,
                 bool stream)
      : plan_(plan), stream_(stream), kept_(layout, windows, plan.size - 1) {}

  void select(int k, int begin) { kept_.select(k, begin); }

  void make_passes(const Lane*, Lane*, int) const {}

  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    unrolled<FloatBoxPlan::least, FloatBoxPlan::most + 1>([&](auto size) HWY_ATTR {
      if (size == plan_.size) make_rows<size>(window, out, width, next);
    });
  }

 private:
  using D = hn::ScalableTag<float>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  static constexpr int vectors = 2, block = vectors * lanes;
  static_assert(FloatBoxPlan::most <= lanes && block <= WindowLayout::block);
  // The number of lines whose sums are made in turns, and whose results are stored in bursts, which
  // memory takes faster.
  static constexpr int together = 2;
  static_assert(rows % together == 0);

  // Returns how many samples the sums after `steps` steps have.
  static constexpr int size_after(int size, int steps) {
    return size >> (pairwise_steps(size) - steps);
  }
  // Returns how many of those sums are kept: the next step adds sums so far apart.
  static constexpr int kept_after(int size, int steps) {
    return size_after(size, steps + 1) - size_after(size, steps);
  }

  template <int size>
  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    const Lane* lines[rows + size - 1];
    for (int line = 0; line < rows + size - 1; ++line) lines[line] = window[line] - plan_.left;
    if (!kept_.begun())
      for (int x = 0; x < width; x += block) begin_sums<size>(lines, x);
    for_blocks<block>(stream_, width, [&](StoreWay way, int begin, int end) HWY_ATTR {
      make_blocks<size>(way, lines + size - 1, out, begin, end, next);
    });
  }

  // lines[r] is the lowest line of output row r.
  template <int size>
  void make_blocks(StoreWay way, const Lane* const* lines, Lane* const* out, int begin, int end,
                   NextRows<rows>& next) const {
    const V tap = hn::Set(d, plan_.tap), added = hn::Set(d, plan_.offset);
    for (int x = begin; x < end; x += block) {
      const auto asked = next.columns(x + block);
      add_lines<size, rows, false>(lines, x, [&](auto r, const V(&sums)[vectors]) VIDCONV_LAMBDA {
        asked.ask(r);
        if (out[r] == nullptr) return;
        V results[vectors];
        unrolled<0, vectors>(
            [&](auto u) VIDCONV_LAMBDA { results[u] = hn::Add(hn::Mul(tap, sums[u]), added); });
        store_block(way, d, results, out[r], x, end);
      });
    }
  }

  // Begins the sums with the lines above the first row's lowest one.
  template <int size>
  HWY_NOINLINE void begin_sums(const Lane* const* lines, int x) const {
    add_lines<size, size - 1, true>(lines, x, [](auto, const V(&)[vectors]) VIDCONV_LAMBDA {});
  }

  // Adds `count` lines, one below the other, to the kept sums of those above, or to none where they
  // are `first`. Calls take(line, sums) for the sums that end with each line. After step k, those
  // sums are kept that the next step has not added to both of their neighbours: sums[k][i] begins i
  // lines below the first of them.
  template <int size, int count, bool first, class Take>
  HWY_INLINE void add_lines(const Lane* const* lines, int x, const Take& take) const {
    constexpr int steps = pairwise_steps(size);
    float* const kept = kept_.of_block(x);
    V sums[steps + 1][count + (size + 1) / 2][vectors];
    const auto each_kept = [&](const auto& f) VIDCONV_LAMBDA {
      unrolled<0, steps>([&](auto k) VIDCONV_LAMBDA {
        unrolled<0, kept_after(size, k) * vectors>([&](auto i) VIDCONV_LAMBDA {
          f(k, std::integral_constant<int, i / vectors>(),
            std::integral_constant<int, i % vectors>(),
            kept + ((size_after(size, k) - 1) * vectors + i) * lanes);
        });
      });
    };
    if constexpr (!first)
      each_kept([&](auto k, auto i, auto u, const float* from)
                    VIDCONV_LAMBDA { sums[k][i][u] = hn::Load(d, from); });
    V along[together][vectors];
    unrolled<0, count>([&](auto line) VIDCONV_LAMBDA {
      if constexpr (line % together == 0)
        add_along<size, std::min(together, count - line)>(lines + line, x, along);
      const auto& last = along[line % together];
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
        sums[0][kept_after(size, 0) + line][u] = last[u];
        unrolled<0, steps>([&](auto k) VIDCONV_LAMBDA {
          constexpr PairwiseStep step = pairwise_step(size, k);
          constexpr int made = k + 1 < steps ? kept_after(size, k + 1) + line : line;
          if constexpr (!first || line >= step.size() - 1) {
            V sum = hn::Add(sums[k][line][u], sums[k][line + step.half][u]);
            if constexpr (step.odd) sum = hn::Add(sum, last[u]);
            sums[k + 1][made][u] = sum;
          }
        });
      });
      if constexpr (!first) take(line, sums[steps][line]);
    });
    each_kept([&](auto k, auto i, auto u, float* to)
                  VIDCONV_LAMBDA { hn::Store(sums[k][count + i][u], d, to); });
  }

  // Makes the sums along `count` lines from column x on, whose samples are loaded once.
  template <int size, int count>
  static HWY_INLINE void add_along(const Lane* const* lines, int x, V (&along)[together][vectors]) {
    constexpr int steps = pairwise_steps(size);
    V samples[count][vectors + 1], sums[count][vectors + 1];
    const auto each = [&](auto u, const auto& f) VIDCONV_LAMBDA {
      unrolled<0, count>([&](auto line) VIDCONV_LAMBDA { f(u, line); });
    };
    unrolled<0, vectors + 1>([&](auto u) VIDCONV_LAMBDA {
      each(u, [&](auto at, auto line) VIDCONV_LAMBDA {
        sums[line][at] = samples[line][at] = hn::LoadU(d, lines[line] + x + at * lanes);
      });
    });
    unrolled<0, steps>([&](auto k) VIDCONV_LAMBDA {
      constexpr PairwiseStep step = pairwise_step(size, k);
      // In the vector behind the block, only lower lanes take part in the next step.
      unrolled<0, vectors + (k + 1 < steps ? 1 : 0)>([&](auto u) VIDCONV_LAMBDA {
        each(u, [&](auto at, auto line) VIDCONV_LAMBDA {
          constexpr int behind = at < vectors ? at + 1 : at;
          const V second = lanes_from(std::integral_constant<int, step.half>(), sums[line][at],
                                      sums[line][behind]);
          V sum = hn::Add(sums[line][at], second);
          if constexpr (step.odd)
            sum = hn::Add(sum, lanes_from(std::integral_constant<int, 2 * step.half>(),
                                          samples[line][at], samples[line][behind]));
          sums[line][at] = sum;
        });
      });
    });
    unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
      each(u, [&](auto at, auto line) VIDCONV_LAMBDA { along[line][at] = sums[line][at]; });
    });
  }

  const FloatBoxPlan& plan_;
  const bool stream_;
  ColumnSums<Lane> kept_;  // sums of all steps, one less for each column than there are taps
};

#endif

void run_fused_box([[maybe_unused]] const Plan& plan, [[maybe_unused]] const FloatBoxPlan& box_plan,
                   [[maybe_unused]] const Band& band, [[maybe_unused]] const WindowLayout& layout,
                   [[maybe_unused]] const Windows<float>& windows) {
  note_used_simd(HWY_TARGET);
#if VIDCONV_HAVE_FUSED_BOX
  FloatBoxEngine engine(box_plan, layout, windows, goes_past_caches(band.pairs.front().dst));
  run_band<float>(engine, plan, reach_of(plan), band, layout, windows);
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
HWY_EXPORT(have_fused_box);
HWY_EXPORT(run_fused_box);

std::optional<FloatBoxPlan> make_fused_box_plan(const Plan& plan) {
  const Taps& taps = plan.terms.front();
  if (!taps.pairwise || taps.width != taps.height) return std::nullopt;
  if (taps.width < FloatBoxPlan::least || taps.width > FloatBoxPlan::most) return std::nullopt;
  if (plan.finish.absolute) return std::nullopt;
  return FloatBoxPlan{.size = taps.width,
                      .left = taps.anchor_x,
                      .tap = static_cast<float>(taps.column.front()),
                      .offset = static_cast<float>(plan.finish.real_offset)};
}

Prepared prepare_cpu_box_f32_avx512(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS) || !HWY_DYNAMIC_DISPATCH(have_fused_box)()) return nullptr;
  return prepare_banded<float>(plan, make_fused_box_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_fused_box)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
