// The variant for short passes over 16-bit or float samples, in floats: both passes at once,
// without a line between them, and samples of 16 bits converted where they are multiplied. Eight
// output rows are made of ten to fourteen sums along rows, each used while it is in a register.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/fused.cpp"
#include "kernels/cpu/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/finish-inl.h"
#include "kernels/cpu/fused_plan.h"
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

  // `stream`: whether results go past the caches.
  FusedEngine(const FusedPlan& plan, bool stream) : plan_(plan), stream_(stream) {}

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

  template <int size>
  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    const Lane* lines[rows + size - 1];
    for (int line = 0; line < rows + size - 1; ++line)
      lines[line] = window[plan_.top + line] - plan_.left;
    const PlainCodes<D> plain(plan_.finish);
    for_blocks<vectors_of<size> * lanes>(
        stream_, width, [&](auto way, int begin, int end) HWY_ATTR {
          if constexpr (is_codes) {
            if (plain.serves_all_codes() && plan_.shift == 0)
              return make_blocks<size>(way, plain.of_all_codes(), lines, out, begin, end, next);
            if (plain.serves()) return make_blocks<size>(way, plain, lines, out, begin, end, next);
          }
          make_blocks<size>(way, plan_.finish, lines, out, begin, end, next);
        });
  }

  // `last_step`: Finish, or one for codes where it serves.
  template <int size, class Way, class Last>
  void make_blocks(Way way, const Last& last_step, const Lane* const* lines, Lane* const* out,
                   int begin, int end, NextRows<rows>& next) const {
    constexpr int vectors = vectors_of<size>, block = vectors * lanes;
    // Else all rows are stored after the last load: with loads between stores, time depends on
    // where planes lie, probably because a load waits for a store with the same last bits of its
    // address.
    constexpr bool at_once = vectors > 2;  // there are no registers for all rows
    const Last last = last_step;           // here, it is in registers
    const int shift = plan_.shift;
    V row[size], column[size];
    unrolled<0, size>([&](auto i) VIDCONV_LAMBDA {
      row[i] = hn::Set(d, plan_.row[i]);
      column[i] = hn::Set(d, plan_.column[i]);
    });
    for (int x = begin; x < end; x += block) {
      const auto asked = next.columns(x + block);
      V sums[rows][vectors];
      unrolled<0, rows + size - 1>([&](auto line) VIDCONV_LAMBDA {
        if constexpr (line < rows) asked.ask(line);
        V between[vectors];
        add_row<size>(row, lines[line] + x, between);
        unrolled<std::max(0, line + 1 - size), std::min(rows, line + 1)>(
            [&](auto r) VIDCONV_LAMBDA {
              unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
                if constexpr (line == r)
                  sums[r][u] = hn::Mul(column[0], between[u]);
                else
                  sums[r][u] = multiply_add(d, column[line - r], between[u], sums[r][u]);
              });
            });
        if constexpr (at_once && line >= size - 1) {
          constexpr int r = line - (size - 1);
          if (out[r] != nullptr) store_lanes(way, d, last, sums[r], shift, out[r], x, end);
        }
      });
      if constexpr (!at_once)
        unrolled<0, rows>([&](auto r) VIDCONV_LAMBDA {
          if (out[r] != nullptr) store_lanes(way, d, last, sums[r], shift, out[r], x, end);
        });
    }
  }

  // As in LaneSums, the first product is not added to 0.
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
};

#endif

template <class Lane>
void run_fused([[maybe_unused]] const Plan& plan, [[maybe_unused]] const FusedPlan& fused_plan,
               [[maybe_unused]] const Band& band, [[maybe_unused]] const WindowLayout& layout,
               [[maybe_unused]] const Windows<Lane>& windows) {
  note_used_simd(HWY_TARGET);
#if VIDCONV_HAVE_FUSED
  const FusedEngine<Lane> engine(fused_plan, goes_past_caches(band.pairs.front().dst));
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
