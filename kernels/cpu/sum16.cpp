// The variant for sums that fit 16 bits: additions of whole lines, one multiplication for all
// samples that share a tap.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/sum16.cpp"
#include "kernels/cpu/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/finish-inl.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/store-inl.h"
#include "kernels/cpu/sum16-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

class Sum16Engine {
 public:
  using Lane = std::int16_t;
  static constexpr int rows = 1;
  static constexpr int offset = 0;

  // `stream`: whether results go past the caches.
  Sum16Engine(const Sum16Plan& plan, bool stream) : plan_(plan), stream_(stream) {}

  void make_passes(const Lane* source, Lane* pass, int width) const {
    if (!plan_.two_passes()) return;
    for (int x = 0; x < width; x += block) {
      V sums[vectors];
      sum_groups<vectors>(d, plan_.row, &source, x, 0, sums);
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
        hn::StoreU(hn::BitCast(d16, sums[u]), d16, pass + x + u * lanes);
      });
    }
  }

  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    for (int x = 0; x < width; x += block) {
      next.ask(x + block);
      V sums[vectors];
      sum_groups<vectors>(d, plan_.taps, window, x, plan_.start, sums);
      using Narrow = hn::Rebind<T, D>;
      hn::VFromD<Narrow> samples[vectors];
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
        samples[u] = samples_of16<T>(codes_of(sums[u]), plan_.shift);
      });
      store_block(store_way(stream_, x + block <= width), Narrow(), samples, out[0], x, width);
    }
  }

 private:
  using D = hn::ScalableTag<std::uint16_t>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr hn::RebindToSigned<D> d16{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  static constexpr int vectors = 4;  // in a block
  static constexpr int block = vectors * lanes;
  static_assert(block <= WindowLayout::block);

  HWY_INLINE V codes_of(V n) const {
    if (plan_.absolute)
      n = hn::Add(hn::BitCast(d, hn::Abs(hn::BitCast(d16, n))), hn::Set(d, plan_.half));
    n = hn::SaturatedSub(n, hn::Set(d, plan_.below_zero));
    if (plan_.lowest != 0) n = hn::Max(n, hn::Set(d, plan_.lowest));
    return quotients16(plan_.division, d, hn::Min(n, hn::Set(d, plan_.limit)));
  }

  const Sum16Plan& plan_;
  const bool stream_;
};

void run_sum16(const Plan& plan, const Sum16Plan& sum16_plan, const Band& band,
               const WindowLayout& layout, const Windows<std::int16_t>& windows) {
  note_used_simd(HWY_TARGET);
  const Sum16Engine engine(sum16_plan, goes_past_caches(band.pairs.front().dst));
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
HWY_EXPORT(run_sum16);

Prepared prepare_cpu_sum16(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS)) return nullptr;
  return prepare_banded<std::int16_t>(plan, make_sum16_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_sum16)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
