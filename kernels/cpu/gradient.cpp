// The variant for the length of a gradient: both kernels in 16 bits, the sum of their squares in
// 32, its root by an approximation that is corrected.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gradient.cpp"
#define VIDCONV_DOT_PRODUCTS
#include "kernels/cpu/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/finish-inl.h"
#include "kernels/cpu/gradient_plan.h"
#include "kernels/cpu/length-inl.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/store-inl.h"
#include "kernels/cpu/sum16-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace gradient {

using DU16 = hn::ScalableTag<std::uint16_t>;
using D16 = Sum::D16;
using VU16 = hn::VFromD<DU16>;
using V16 = Sum::V16;
using V32 = Sum::V32;
constexpr DU16 du16;
constexpr D16 d16;
constexpr Sum::D32 d32;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d16));

class Engine {
 public:
  using Lane = std::int16_t;
  static constexpr int rows = GradientPlan::rows;
  static constexpr int offset = 0;

  Engine(const GradientPlan& plan, const WindowLayout& layout) : plan_(plan), layout_(layout) {}

  void make_passes(const Lane* source, Lane* pass, int width) const {
    for (const GradientPlan::Kernel& kernel : plan_.kernels) {
      if (kernel.row.empty()) continue;
      for (int x = 0; x < width; x += block) {
        VU16 sums[vectors];
        sum_groups<vectors>(du16, kernel.row, &source, x, 0, sums);
        unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
          hn::StoreU(hn::BitCast(d16, sums[u]), d16, pass + x + u * lanes);
        });
      }
      pass += layout_.line;
    }
  }

  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    const std::ptrdiff_t first = plan_.any_dense() ? layout_.line : 0;
    const bool passes[] = {!plan_.kernels[0].row.empty(), !plan_.kernels[1].row.empty()};
    const std::ptrdiff_t at[] = {passes[0] ? first : 0,
                                 passes[1] ? first + (passes[0] ? layout_.line : 0) : 0};
    for (int x = 0; x < width; x += block) {
      next.ask(x + block);
      VU16 across[vectors], down[vectors];
      sum_groups<vectors>(du16, plan_.kernels[0].taps, window, at[0] + x, 0, across);
      sum_groups<vectors>(du16, plan_.kernels[1].taps, window, at[1] + x, 0, down);
      using Narrow = hn::Rebind<T, decltype(du16)>;
      hn::VFromD<Narrow> samples[vectors];
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
        samples[u] = samples_of16<T>(
            lengths(hn::BitCast(d16, across[u]), hn::BitCast(d16, down[u])), plan_.shift);
      });
      store_block(store_way(false, x + block <= width), Narrow(), samples, out[0], x, width);
    }
  }

 private:
  static constexpr int vectors = 4;  // in a block
  static constexpr int block = vectors * lanes;
  static_assert(block <= WindowLayout::block);

  HWY_INLINE V16 lengths(V16 x, V16 y) const {
    // x and y of the even columns in pairs, and of the odd ones.
    const V32 even = length_of(
        plan_.most, hn::OddEven(hn::BitCast(d16, hn::ShiftLeft<16>(hn::BitCast(d32, y))), x));
    const V32 odd = length_of(
        plan_.most, hn::OddEven(y, hn::BitCast(d16, hn::ShiftRight<16>(hn::BitCast(d32, x)))));
    return hn::OddEven(hn::BitCast(d16, hn::ShiftLeft<16>(odd)), hn::BitCast(d16, even));
  }

  const GradientPlan& plan_;
  const WindowLayout& layout_;
};

}  // namespace gradient

void run_gradient(const Plan& plan, const GradientPlan& gradient_plan, const Band& band,
                  const WindowLayout& layout, const Windows<std::int16_t>& windows) {
  note_used_simd(HWY_TARGET);
  const gradient::Engine engine(gradient_plan, layout);
  run_band_of_codes(engine, plan, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/banded.h"
#include "kernels/cpu/cpu.h"

namespace vidconv {
HWY_EXPORT(run_gradient);

Prepared prepare_cpu_gradient(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS)) return nullptr;
  return prepare_banded<std::int16_t>(plan, make_gradient_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_gradient)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
