// The variant for kernels of equal taps, whose cost depends neither on their height nor on their
// width: sums of integers are exact, so they may be carried from row to row and along a row. Along
// a row whole vectors are: in a few steps, each lane gets the sum of those up to it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/running.cpp"
#include "kernels/cpu/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/dot-inl.h"
#include "kernels/cpu/finish-inl.h"
#include "kernels/cpu/running_plan.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/store-inl.h"
#include "kernels/cpu/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// LaneType holds a sum over a row: std::uint16_t or std::uint32_t.
template <class LaneType>
class RunningEngine {
 public:
  using Lane = LaneType;
  static constexpr int rows = RunningPlan::rows;
  static constexpr int offset = 0;

  // For one band, with a window for each component. `stream`: whether results go past the caches.
  RunningEngine(const RunningPlan& plan, const WindowLayout& layout, const Windows<Lane>& windows,
                bool stream)
      : plan_(plan),
        slots_(layout.slots),
        stream_(stream),
        scratch_(layout.scratch()),
        windows_(windows) {
    select(0);
  }

  void select(int k) {
    component_ = static_cast<std::size_t>(k);
    sums_ = reinterpret_cast<std::int32_t*>(windows_[component_].lanes() + scratch_);
  }

  // A window that slides to the right gains a sample and loses one: a sum is the first one and all
  // that was gained since.
  void make_passes(const Lane* source, Lane* pass, int width) const {
    const Lane* lost = source - plan_.left;
    const Lane* gained = lost + plan_.width;
    Lane first = 0;
    for (int i = 0; i < plan_.width; ++i) first = static_cast<Lane>(first + lost[i]);
    V before = hn::Set(d, first);
    for (int x = 0; x < width; x += lanes) {
      const V gain = hn::Sub(hn::LoadU(d, gained + x), hn::LoadU(d, lost + x));
      V total;
      const V sums = sums_up_to(gain, total);
      hn::StoreU(hn::Add(hn::Sub(sums, gain), before), d, pass + x);
      before = hn::Add(before, total);
    }
  }

  // For each output row, adds the row below to the sums of the columns, and takes off the uppermost
  // for the next one.
  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) {
    if (!started_[component_]) add_first(window, width);
    started_[component_] = true;
    if (plan_.inverse != 0)
      make_rows<true>(window, out, width, next);
    else
      make_rows<false>(window, out, width, next);
  }

 private:
  using D = hn::ScalableTag<Lane>;
  using D32 = hn::ScalableTag<std::int32_t>;
  using V = hn::VFromD<D>;
  using V32 = hn::VFromD<D32>;
  static constexpr D d{};
  static constexpr D32 d32{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  static constexpr int lanes32 = static_cast<int>(hn::MaxLanes(d32));
  static constexpr int vectors = 4;  // in a block
  static constexpr int block = vectors * lanes32;
  static_assert(block <= WindowLayout::block);

  // In each lane the sum of the lanes up to it; `total`: in each the sum of all.
  static HWY_INLINE V sums_up_to(V v, V& total) {
    constexpr int lanes_a_block = std::min<int>(lanes, 16 / sizeof(Lane));
    v = hn::Add(v, hn::ShiftLeftLanes<1>(d, v));
    v = hn::Add(v, hn::ShiftLeftLanes<2>(d, v));
    if constexpr (lanes_a_block > 4) v = hn::Add(v, hn::ShiftLeftLanes<4>(d, v));
    // The same from block to block.
    const V blocks = hn::Broadcast<lanes_a_block - 1>(v);
    V before = hn::Zero(d);
    if constexpr (lanes > lanes_a_block) {
      before = blocks_up<1>(blocks);
      if constexpr (lanes > 2 * lanes_a_block)
        before = hn::Add(before, blocks_up<2>(hn::Add(before, blocks)));
    }
    total = last_block(hn::Add(before, blocks));
    return hn::Add(v, before);
  }

  // Blocks of 128 bits moved up by `count`; zeros come in.
  template <int count>
  static HWY_INLINE V blocks_up(V v) {
    HWY_ALIGN static constexpr auto from = [] {
      std::array<std::int32_t, lanes32> result{};
      for (int i = 0; i < lanes32; ++i) result[i] = i < 4 * count ? i : i - 4 * count;
      return result;
    }();
    HWY_ALIGN static constexpr auto kept = [] {
      std::array<std::int32_t, lanes32> result{};
      for (int i = 0; i < lanes32; ++i) result[i] = i < 4 * count ? 0 : -1;
      return result;
    }();
    const auto moved =
        hn::TableLookupLanes(hn::BitCast(d32, v), hn::SetTableIndices(d32, from.data()));
    return hn::BitCast(d, hn::And(moved, hn::Load(d32, kept.data())));
  }

  static HWY_INLINE V last_block(V v) {
    HWY_ALIGN static constexpr auto last = [] {
      std::array<std::int32_t, lanes32> result{};
      for (auto& lane : result) lane = lanes32 - 1;
      return result;
    }();
    return hn::BitCast(
        d, hn::TableLookupLanes(hn::BitCast(d32, v), hn::SetTableIndices(d32, last.data())));
  }

  template <bool simple, class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    std::int32_t* HWY_RESTRICT sums = sums_;
    const Finish finish = plan_.finish;
    const Lane* const* lowest = window + slots_ - rows;
    for (int x = 0; x < width; x += block) {
      next.ask(x + block);
      V32 sum[vectors];
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {  //
        sum[u] = hn::LoadU(d32, sums + x + u * lanes32);
      });
      const StoreWay way = store_way(stream_, x + block <= width);
      unrolled<0, rows>([&](auto r) VIDCONV_LAMBDA {
        unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {  //
          sum[u] = hn::Add(sum[u], load<u>(lowest[r] + x));
        });
        if (out[r] != nullptr) store<simple>(way, finish, sum, x, out[r], width);
        unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {  //
          sum[u] = hn::Sub(sum[u], load<u>(window[r] + x));
        });
      });
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {  //
        hn::StoreU(sum[u], d32, sums + x + u * lanes32);
      });
    }
  }

  template <bool simple, class T>
  HWY_INLINE void store(StoreWay way, const Finish& finish, const V32 (&sum)[vectors], int x,
                        T* out, int width) const {
    using Narrow = hn::Rebind<T, D>;
    hn::VFromD<Narrow> samples[block / lanes];
    unrolled<0, block / lanes>([&](auto v) VIDCONV_LAMBDA {
      if constexpr (sizeof(Lane) == 2) {
        const auto even = codes_of<simple, T>(finish, sum[2 * v]);
        const auto odd = codes_of<simple, T>(finish, sum[2 * v + 1]);
        const V codes = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<16>(odd)), hn::BitCast(d, even));
        samples[v] = samples_of16<T>(codes, plan_.shift);
      } else {
        auto code = codes_of<simple, T>(finish, sum[v]);
        if constexpr (sizeof(T) == 2) code = hn::ShiftLeftSame(code, plan_.shift);
        samples[v] = hn::DemoteTo(Narrow(), code);
      }
    });
    store_block(way, Narrow(), samples, out, x, width);
  }

  template <bool simple, class T>
  HWY_INLINE V32 codes_of(const Finish& finish, V32 sum) const {
    if constexpr (simple) {
      const hn::Rebind<float, D32> real;
      const auto inverse = hn::Set(real, plan_.inverse);
      const auto half = hn::Set(real, plan_.inverse / 2);
      return truncated(hn::MulAdd(hn::ConvertTo(real, sum), inverse, half));
    } else {
      return finish_lanes<T>(finish, d32, hn::Mul(sum, hn::Set(d32, plan_.tap)));
    }
  }

  // Vector number u of a block: of lanes of 16 bits those at even columns, or those at odd ones.
  template <int u>
  static HWY_INLINE V32 load(const Lane* from) {
    if constexpr (sizeof(Lane) == 4) {
      return hn::BitCast(d32, hn::LoadU(d, from + u * lanes));
    } else {
      const auto pairs = hn::BitCast(d32, hn::LoadU(d, from + u / 2 * lanes));
      const hn::RebindToUnsigned<D32> du32;
      if constexpr (u % 2 == 0) return hn::And(pairs, hn::Set(d32, 0xFFFF));
      return hn::BitCast(d32, hn::ShiftRight<16>(hn::BitCast(du32, pairs)));
    }
  }

  // Where sums begin: with the rows over the lowest of the first output row.
  void add_first(const Lane* const* window, int width) {
    for (int x = 0; x < width; x += block)
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
        auto sum = hn::Set(d32, plan_.start());
        for (int j = 0; j < slots_ - rows; ++j) sum = hn::Add(sum, load<u>(window[j] + x));
        hn::StoreU(sum, d32, sums_ + x + u * lanes32);
      });
  }

  const RunningPlan& plan_;
  const int slots_;
  const bool stream_;
  const std::ptrdiff_t scratch_;
  const Windows<Lane> windows_;
  std::size_t component_ = 0;
  std::int32_t* sums_ = nullptr;  // of each column, over all rows but the lowest
  std::array<bool, most_packed> started_{};
};

template <class Lane>
void run_running(const Plan& plan, const RunningPlan& running_plan, const Band& band,
                 const WindowLayout& layout, const Windows<Lane>& windows) {
  note_used_simd(HWY_TARGET);
  RunningEngine<Lane> engine(running_plan, layout, windows,
                             goes_past_caches(band.pairs.front().dst));
  run_band_of_codes(engine, plan, band, layout, windows);
}

void run_running16(const Plan& plan, const RunningPlan& running_plan, const Band& band,
                   const WindowLayout& layout, const Windows<std::uint16_t>& windows) {
  run_running(plan, running_plan, band, layout, windows);
}
void run_running32(const Plan& plan, const RunningPlan& running_plan, const Band& band,
                   const WindowLayout& layout, const Windows<std::uint32_t>& windows) {
  run_running(plan, running_plan, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/banded.h"
#include "kernels/cpu/cpu.h"

namespace vidconv {
HWY_EXPORT(run_running16);
HWY_EXPORT(run_running32);

std::optional<RunningPlan> make_running_plan(const Plan& plan) {
  constexpr int smallest = 14;  // width + height
  if (plan.arith != Arith::int32 || plan.finish.combine != Combine::linear ||
      plan.terms.size() != 1)
    return std::nullopt;
  const Taps& t = plan.terms[0];
  if (t.dense.empty() || t.dense[0] == 0 || t.width + t.height < smallest ||
      std::ranges::count(t.dense, t.dense[0]) != std::ssize(t.dense))
    return std::nullopt;
  RunningPlan result;
  result.width = t.width;
  result.height = t.height;
  result.left = t.anchor_x;
  result.tap = static_cast<std::int32_t>(t.dense[0]);
  result.finish = plan.finish;
  result.shift = plan.sample.shift;
  // Of a sum of non-negative samples with gain 1 at most nothing has to be clamped. The roundings
  // of the product amount to less than 4 * 2^-24 of the largest code.
  const Finish& f = plan.finish;
  const double max = plan.sample.max(), divisor = f.divisor;
  if (result.tap == 1 && !f.absolute && f.min == 0 && f.max == plan.sample.max() && f.offset >= 0 &&
      static_cast<double>(t.dense.size()) * max + f.offset <= f.limit && f.limit < 1 << 24 &&
      (max + 1) * 0x1p-22 < 0.5 / divisor)
    result.inverse = static_cast<float>(1 / divisor);
  return result;
}

Prepared prepare_cpu_running(const Plan& plan, const CudaAbilities&) {
  const std::optional<RunningPlan> running_plan = make_running_plan(plan);
  if (running_plan && running_plan->width * plan.sample.max() <= 0xFFFF)
    return prepare_banded<std::uint16_t>(plan, running_plan, [](auto&... arguments) {
      HWY_DYNAMIC_DISPATCH(run_running16)(arguments...);
    });
  return prepare_banded<std::uint32_t>(plan, running_plan, [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_running32)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
