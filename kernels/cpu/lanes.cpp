// The variant for every plan: each lane computes one output sample in the plan's own arithmetic, in
// the reference's order.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/lanes.cpp"
#include "kernels/cpu/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/finish-inl.h"
#include "kernels/cpu/lanes_plan.h"
#include "kernels/cpu/simd.h"

HWY_BEFORE_NAMESPACE();
namespace vidconv {
namespace HWY_NAMESPACE {

// tap * x + sum; for floats with one rounding.
template <class D>
HWY_INLINE hn::VFromD<D> multiply_add(D d, hn::VFromD<D> tap, hn::VFromD<D> x, hn::VFromD<D> sum) {
  using Lane = hn::TFromD<D>;
  if constexpr (std::is_same_v<Lane, std::int32_t>) {
    return hn::Add(hn::Mul(tap, x), sum);
  } else {
#if HWY_NATIVE_FMA
    return hn::MulAdd(tap, x, sum);
#else
    // MulAdd would round twice here.
    constexpr std::size_t count = hn::MaxLanes(d);
    HWY_ALIGN Lane taps[count], xs[count], sums[count];
    hn::Store(tap, d, taps);
    hn::Store(x, d, xs);
    hn::Store(sum, d, sums);
    for (std::size_t i = 0; i < count; ++i) sums[i] = std::fma(taps[i], xs[i], sums[i]);
    return hn::Load(d, sums);
#endif
  }
}

template <class LaneType>
class LanesEngine {
 public:
  using Lane = LaneType;
  static constexpr int rows = 1;
  static constexpr int offset = 0;

  LanesEngine(const LanesPlan<Lane>& plan, const WindowLayout& layout)
      : plan_(plan), layout_(layout) {}

  void make_passes(const Lane* source, Lane* pass, int width) const {
    for (const LanesTerm<Lane>& term : plan_.terms) {
      if (!term.two_passes()) continue;
      make_pass(term, source, pass, width);
      pass += layout_.line;
    }
  }

  template <class T>
  void make_rows(const Lane* const* window, T* const* out, const Plane<T>& dst) const {
    for (int x = 0; x < dst.width; x += block) {
      V folded[vectors], response[vectors];
      bool first = true;
      std::ptrdiff_t pass = x + (plan_.any_dense() ? layout_.line : 0);
      for (const LanesTerm<Lane>& term : plan_.terms) {
        V sums[vectors];
        for (V& sum : sums) sum = hn::Zero(d);
        const Lane* const* top = window + term.top;
        if (term.two_passes()) {
          for (std::size_t j = 0; j < term.column.size(); ++j)
            add(&term.column[j], 1, top[j] + pass, sums);
          pass += layout_.line;
        } else {
          for (int j = 0; j < term.height; ++j) {
            V row[vectors];
            for (V& sum : row) sum = hn::Zero(d);
            add(&term.dense[static_cast<std::size_t>(j * term.width)], term.width,
                top[j] + x - term.left, row);
            for (int u = 0; u < vectors; ++u) sums[u] = hn::Add(sums[u], row[u]);
          }
        }
        for (int u = 0; u < vectors; ++u)
          response[u] = term.joins ? hn::Add(response[u], sums[u]) : sums[u];
        if (!term.last) continue;
        for (int u = 0; u < vectors; ++u)
          folded[u] = fold(plan_.finish, d, first, folded[u], response[u]);
        first = false;
      }
      HWY_ALIGN Lane codes[block];
      for (int u = 0; u < vectors; ++u)
        hn::Store(finish_lanes<T>(plan_.finish, d, folded[u]), d, codes + u * lanes);
      store_codes(codes, std::min(block, dst.width - x), plan_.shift, dst.step,
                  out[0] + std::ptrdiff_t{x} * dst.step);
    }
  }

 private:
  using D = hn::ScalableTag<Lane>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  static constexpr int vectors = 4;  // in a block
  static constexpr int block = vectors * lanes;
  static_assert(block <= WindowLayout::block);

  // Adds taps[i] times the block at from + i, for each i in order.
  static HWY_INLINE void add(const Lane* taps, int count, const Lane* from, V* sums) {
    for (int i = 0; i < count; ++i) {
      const V tap = hn::Set(d, taps[i]);
      for (int u = 0; u < vectors; ++u)
        sums[u] = multiply_add(d, tap, hn::LoadU(d, from + i + u * lanes), sums[u]);
    }
  }

  static void make_pass(const LanesTerm<Lane>& term, const Lane* source, Lane* pass, int width) {
    for (int x = 0; x < width; x += block) {
      V sums[vectors];
      for (V& sum : sums) sum = hn::Zero(d);
      add(term.row.data(), static_cast<int>(term.row.size()), source + x - term.left, sums);
      for (int u = 0; u < vectors; ++u) {
        if constexpr (std::is_same_v<Lane, std::int32_t>) {
          const V half = hn::Set(d, 1 << term.row_shift >> 1);
          sums[u] = hn::ShiftRightSame(hn::Add(sums[u], half), term.row_shift);
        }
        hn::StoreU(sums[u], d, pass + x + u * lanes);
      }
    }
  }

  const LanesPlan<Lane>& plan_;
  const WindowLayout& layout_;
};

template <class Lane>
void run_lanes(const Plan& plan, const LanesPlan<Lane>& lanes_plan, const Band& band,
               const WindowLayout& layout, Window<Lane>& window) {
  note_used_simd(HWY_TARGET);
  const LanesEngine<Lane> engine(lanes_plan, layout);
  const Reach reach = reach_of(plan);
  switch (plan.sample.storage) {
    case Storage::u8:
      return run_band<std::uint8_t>(engine, plan, reach, band, layout, window);
    case Storage::u16:
      return run_band<std::uint16_t>(engine, plan, reach, band, layout, window);
    case Storage::f32:
      if constexpr (!std::is_same_v<Lane, std::int32_t>)
        run_band<float>(engine, plan, reach, band, layout, window);
  }
}

void run_lanes_int32(const Plan& plan, const LanesPlan<std::int32_t>& lanes_plan, const Band& band,
                     const WindowLayout& layout, Window<std::int32_t>& window) {
  run_lanes(plan, lanes_plan, band, layout, window);
}
void run_lanes_float(const Plan& plan, const LanesPlan<float>& lanes_plan, const Band& band,
                     const WindowLayout& layout, Window<float>& window) {
  run_lanes(plan, lanes_plan, band, layout, window);
}
void run_lanes_double(const Plan& plan, const LanesPlan<double>& lanes_plan, const Band& band,
                      const WindowLayout& layout, Window<double>& window) {
  run_lanes(plan, lanes_plan, band, layout, window);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/banded.h"
#include "kernels/cpu/cpu.h"

namespace vidconv {
HWY_EXPORT(run_lanes_int32);
HWY_EXPORT(run_lanes_float);
HWY_EXPORT(run_lanes_double);

std::unique_ptr<Convolver> make_cpu_lanes(const Plan& plan, int threads) {
  const auto make = [&]<class Lane>(typename BandedConvolver<Lane, LanesPlan<Lane>>::RunBand run) {
    return std::make_unique<BandedConvolver<Lane, LanesPlan<Lane>>>(plan, LanesPlan<Lane>(plan),
                                                                    run, threads);
  };
  const auto run_int32 = [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_lanes_int32)(arguments...);
  };
  const auto run_float = [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_lanes_float)(arguments...);
  };
  const auto run_double = [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_lanes_double)(arguments...);
  };
  switch (plan.arith) {
    case Arith::int32:
      return make.template operator()<std::int32_t>(run_int32);
    case Arith::float32:
      return make.template operator()<float>(run_float);
    case Arith::float64:
      return make.template operator()<double>(run_double);
  }
  return nullptr;
}

}  // namespace vidconv
#endif  // HWY_ONCE
