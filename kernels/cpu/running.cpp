// The variant for kernels of equal taps, whose cost does not depend on their height and hardly on
// their width: sums of integers are exact, so they may be carried from row to row.
//
// Sums over a row are built by doubling: from sums of n samples, two of which make one of 2n, come
// those of any width, whose binary digits say which to add. This takes whole vectors, where a sum
// that runs along the row would take one sample after another.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/running.cpp"
#include "kernels/cpu/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/finish-inl.h"
#include "kernels/cpu/running_plan.h"
#include "kernels/cpu/simd.h"

HWY_BEFORE_NAMESPACE();
namespace vidconv {
namespace HWY_NAMESPACE {

// LaneType holds a sum over a row: std::uint16_t or std::uint32_t.
template <class LaneType>
class RunningEngine {
 public:
  using Lane = LaneType;
  static constexpr int rows = 1;
  static constexpr int offset = 0;

  // `scratch`: RunningPlan::scratch lines; for one band.
  RunningEngine(const RunningPlan& plan, const WindowLayout& layout, Lane* scratch)
      : plan_(plan),
        slots_(layout.slots),
        doubled_(scratch),
        sums_(reinterpret_cast<std::int32_t*>(scratch + layout.line)) {}

  void make_passes(const Lane* source, Lane* pass, int width) const {
    const Lane* from = source - plan_.left;
    const int reach = width + plan_.width;  // samples that sums may still be made of
    int done = 0;                           // samples in `pass` so far
    for (int n = 1; n <= plan_.width; n *= 2) {
      if ((plan_.width & n) != 0) {
        for (int x = 0; x < width; x += lanes) {
          const auto sum = hn::LoadU(d, from + x + done);
          hn::StoreU(done == 0 ? sum : hn::Add(hn::LoadU(d, pass + x), sum), d, pass + x);
        }
        done += n;
      }
      if (done == plan_.width) break;
      for (int x = 0; x < reach; x += lanes)
        hn::StoreU(hn::Add(hn::LoadU(d, from + x), hn::LoadU(d, from + x + n)), d, doubled_ + x);
      from = doubled_;
    }
  }

  // Adds the row below to the sums of the columns, and takes off the uppermost for the next call.
  template <class T>
  void make_rows(const Lane* const* window, T* const* out, const Plane<T>& dst) {
    if (!started_) add_all_but_last(window, dst.width);
    started_ = true;
    if (plan_.inverse != 0)
      make_row<true>(window, out[0], dst);
    else
      make_row<false>(window, out[0], dst);
  }

 private:
  using D = hn::ScalableTag<Lane>;
  using D32 = hn::ScalableTag<std::int32_t>;
  static constexpr D d{};
  static constexpr D32 d32{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  static constexpr int lanes32 = static_cast<int>(hn::MaxLanes(d32));
  static constexpr int block = 4 * lanes32;
  static_assert(block <= WindowLayout::block);

  template <bool simple, class T>
  void make_row(const Lane* const* window, T* out, const Plane<T>& dst) const {
    std::int32_t* HWY_RESTRICT sums = sums_;
    const Lane* lowest = window[slots_ - 1];
    const Lane* uppermost = window[0];
    for (int x = 0; x < dst.width; x += block) {
      const bool in_place = dst.step == 1 && x + block <= dst.width;
      HWY_ALIGN T codes[block];
      T* to = in_place ? out + x : codes;
      for (int u = 0; u < block; u += lanes32) {
        const auto sum = hn::Add(hn::LoadU(d32, sums + x + u), load(lowest + x + u));
        hn::StoreU(hn::Sub(sum, load(uppermost + x + u)), d32, sums + x + u);
        store(codes_of<simple, T>(sum), to + u);
      }
      if (!in_place)
        store_codes(codes, std::min(block, dst.width - x), 0, dst.step,
                    out + std::ptrdiff_t{x} * dst.step);
    }
  }

  template <bool simple, class T>
  HWY_INLINE hn::VFromD<D32> codes_of(hn::VFromD<D32> sum) const {
    if constexpr (simple) {
      const hn::Rebind<float, D32> real;
      const auto inverse = hn::Set(real, plan_.inverse);
      const auto half = hn::Set(real, plan_.inverse / 2);
      return hn::ConvertTo(d32, hn::MulAdd(hn::ConvertTo(real, sum), inverse, half));
    } else {
      return finish_lanes<T>(plan_.finish, d32, hn::Mul(sum, hn::Set(d32, plan_.tap)));
    }
  }

  static HWY_INLINE hn::VFromD<D32> load(const Lane* from) {
    if constexpr (sizeof(Lane) == 4)
      return hn::BitCast(d32, hn::LoadU(d, from));
    else
      return hn::PromoteTo(d32, hn::LoadU(hn::Rebind<std::uint16_t, D32>(), from));
  }

  template <class T>
  HWY_INLINE void store(hn::VFromD<D32> codes, T* to) const {
    const hn::Rebind<T, D32> narrow;
    if constexpr (sizeof(T) == 2) codes = hn::ShiftLeftSame(codes, plan_.shift);
    hn::StoreU(hn::DemoteTo(narrow, codes), narrow, to);
  }

  void add_all_but_last(const Lane* const* window, int width) {
    for (int x = 0; x < width; x += lanes32) {
      auto sum = hn::Set(d32, plan_.start());
      for (int j = 0; j < slots_ - 1; ++j) sum = hn::Add(sum, load(window[j] + x));
      hn::StoreU(sum, d32, sums_ + x);
    }
  }

  const RunningPlan& plan_;
  const int slots_;
  Lane* const doubled_;       // a line
  std::int32_t* const sums_;  // of each column, over all rows but the lowest
  bool started_ = false;
};

template <class Lane>
void run_running(const Plan& plan, const RunningPlan& running_plan, const Band& band,
                 const WindowLayout& layout, Window<Lane>& window) {
  note_used_simd(HWY_TARGET);
  RunningEngine<Lane> engine(running_plan, layout, window.lanes() + layout.scratch());
  run_band_of_codes(engine, plan, band, layout, window);
}

void run_running16(const Plan& plan, const RunningPlan& running_plan, const Band& band,
                   const WindowLayout& layout, Window<std::uint16_t>& window) {
  run_running(plan, running_plan, band, layout, window);
}
void run_running32(const Plan& plan, const RunningPlan& running_plan, const Band& band,
                   const WindowLayout& layout, Window<std::uint32_t>& window) {
  run_running(plan, running_plan, band, layout, window);
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
