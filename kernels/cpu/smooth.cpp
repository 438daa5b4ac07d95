// The variant for 3x3 sums of samples, all alike or 1 2 1 in both directions: additions alone, of
// lines that are loaded once for all output rows.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/smooth.cpp"
#include "kernels/cpu/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/columns-inl.h"
#include "kernels/cpu/finish-inl.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/smooth_plan.h"
#include "kernels/cpu/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

template <class LaneType>
class SmoothEngine {
 public:
  using Lane = LaneType;
  static constexpr int rows = SmoothPlan::rows;
  static constexpr int offset = 0;

  explicit SmoothEngine(const SmoothPlan& plan) : plan_(plan) {}

  void make_passes(const Lane*, Lane*, int) const {}

  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    if (plan_.binomial)
      make_rows<true>(window, out, width, next);
    else
      make_rows<false>(window, out, width, next);
  }

 private:
  using D = hn::ScalableTag<Lane>;
  using DW = hn::ScalableTag<std::uint16_t>;
  using V = hn::VFromD<DW>;
  static constexpr D d{};
  static constexpr DW dw{};
  static constexpr bool splits = sizeof(Lane) == 1;
  static constexpr int wide_lanes = static_cast<int>(hn::MaxLanes(dw));
  static constexpr int block = 2 * wide_lanes;
  static_assert(block <= WindowLayout::block);

  // Two vectors of columns: the even and the odd ones, or one after the other.
  struct Line {
    V sums[2];
  };

  template <bool binomial, class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    const SmoothPlan plan = plan_;  // here, it is in registers
    for (int x = 0; x < width; x += block) {
      next.ask(x + block);
      const Line above = read<binomial>(window[0] + x);
      Line middle = read<binomial>(window[1] + x);
      Line upper = add(above, middle);
      unrolled<0, rows>([&](auto r) VIDCONV_LAMBDA {
        const Line below = read<binomial>(window[r + 2] + x);
        const Line lower = add(middle, below);
        const Line all = add(upper, binomial ? lower : below);
        if (out[r] != nullptr) store(plan, all, x, out[r], width);
        upper = lower;
        middle = below;
      });
    }
  }

  static HWY_INLINE Line add(const Line& a, const Line& b) {
    return {{hn::Add(a.sums[0], b.sums[0]), hn::Add(a.sums[1], b.sums[1])}};
  }

  // The sums along a line.
  template <bool binomial>
  static HWY_INLINE Line read(const Lane* from) {
    if constexpr (splits) {
      const Columns<DW> at(from);
      const V between = hn::Add(at.even, at.odd);
      if constexpr (binomial)
        return {{hn::Add(hn::Add(at.left, at.even), between),
                 hn::Add(between, hn::Add(at.odd, at.right))}};
      else
        return {{hn::Add(at.left, between), hn::Add(between, at.right)}};
    } else {
      Line line;
      unrolled<0, 2>([&](auto u) VIDCONV_LAMBDA {
        const Lane* at = from + u * wide_lanes;
        V centre = hn::LoadU(dw, at);
        if constexpr (binomial) centre = hn::Add(centre, centre);
        line.sums[u] = hn::Add(hn::Add(hn::LoadU(dw, at - 1), hn::LoadU(dw, at + 1)), centre);
      });
      return line;
    }
  }

  template <class T>
  static HWY_INLINE void store(const SmoothPlan& plan, const Line& all, int x, T* out, int width) {
    const bool in_place = x + block <= width;
    HWY_ALIGN T samples[block];
    T* to = in_place ? out + x : samples;
    V codes[2];
    unrolled<0, 2>([&](auto u) VIDCONV_LAMBDA {
      codes[u] = quotients16(plan.division, dw, hn::Add(all.sums[u], hn::Set(dw, plan.start)));
    });
    if constexpr (splits) {
      hn::StoreU(hn::BitCast(d, hn::Or(codes[0], hn::ShiftLeft<8>(codes[1]))), d, to);
    } else {
      unrolled<0, 2>([&](auto u) VIDCONV_LAMBDA {
        hn::StoreU(hn::ShiftLeftSame(codes[u], plan.shift), dw, to + u * wide_lanes);
      });
    }
    if (!in_place) std::copy_n(samples, std::min(block, width - x), out + x);
  }

  const SmoothPlan& plan_;
};

void run_smooth_8(const Plan& plan, const SmoothPlan& smooth_plan, const Band& band,
                  const WindowLayout& layout, const Windows<std::uint8_t>& windows) {
  note_used_simd(HWY_TARGET);
  const SmoothEngine<std::uint8_t> engine(smooth_plan);
  run_band<std::uint8_t>(engine, plan, reach_of(plan), band, layout, windows);
}

void run_smooth_16(const Plan& plan, const SmoothPlan& smooth_plan, const Band& band,
                   const WindowLayout& layout, const Windows<std::uint16_t>& windows) {
  note_used_simd(HWY_TARGET);
  const SmoothEngine<std::uint16_t> engine(smooth_plan);
  run_band<std::uint16_t>(engine, plan, reach_of(plan), band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/banded.h"
#include "kernels/cpu/cpu.h"

namespace vidconv {
HWY_EXPORT(run_smooth_8);
HWY_EXPORT(run_smooth_16);

Prepared prepare_cpu_smooth(const Plan& plan, const CudaAbilities&) {
  if (plan.sample.storage == Storage::u8)
    return prepare_banded<std::uint8_t>(plan, make_smooth_plan(plan), [](auto&... arguments) {
      HWY_DYNAMIC_DISPATCH(run_smooth_8)(arguments...);
    });
  return prepare_banded<std::uint16_t>(plan, make_smooth_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_smooth_16)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
