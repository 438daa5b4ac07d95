// The variant for kernels of equal taps, whose cost depends neither on their height nor on their
// width: sums of integers are exact, so they may be carried from row to row and along a row. Along
// a row whole vectors are: from one to the next, a sum gains as many samples as a vector has lanes,
// and loses as many, and sums of so many are those of two sums of half as many.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/running.cpp"
#include "kernels/cpu/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/dot-inl.h"
#include "kernels/cpu/finish-inl.h"
#include "kernels/cpu/quotient-inl.h"
#include "kernels/cpu/running_plan.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/store-inl.h"
#include "kernels/cpu/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// LaneType: of samples.
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
        line_(layout.line),
        scratch_(layout.scratch()),
        before_(room_before(plan.left, (1 - plan.width) & (lanes - 1))),
        windows_(windows) {}

  // What follows is of component k, from column `begin` on.
  void select(int k, int begin) {
    const int part = begin == 0 ? 0 : begin == Middle::edge ? 1 : 2;
    begun_ = &started_[static_cast<std::size_t>(k)][static_cast<std::size_t>(part)];
    auto* lines =
        reinterpret_cast<std::int32_t*>(windows_[static_cast<std::size_t>(k)].lanes() + scratch_);
    sums_ = lines + part * (line_ + lanes);
    slid_ = lines + RunningPlan::parts * (line_ + lanes) + lanes;
  }

  void make_passes(const Lane*, Lane*, int) const {}

  // For each output row, adds the row below to the sums of the columns, and takes off the uppermost
  // for the next one.
  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) {
    if (!*begun_) begin_sums(window, width);
    *begun_ = true;
    if (plan_.inverse != 0)
      make_rows<Division::by_float>(window, out, width, next);
    else if (plan_.plain)
      make_rows<Division::by_reciprocal>(window, out, width, next);
    else
      make_rows<Division::any>(window, out, width, next);
  }

 private:
  using D = hn::ScalableTag<std::int32_t>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  static constexpr int steps = std::bit_width(static_cast<unsigned>(lanes)) - 1;
  static constexpr int vectors = 4;  // in a block
  static constexpr int block = vectors * lanes;
  static constexpr int piece = 256;  // columns whose sums are made before they are used
  static_assert(block <= WindowLayout::block && piece % block == 0);
  enum class Division : std::uint8_t { by_float, by_reciprocal, any };
  // Of Division::by_float. Not the plan's own, which what is stored could change, for all that a
  // compiler knows.
  class Inverse {
   public:
    explicit HWY_INLINE Inverse(float inverse)
        : inverse_(hn::Set(real, inverse)), half_(hn::Set(real, inverse / 2)) {}
    HWY_INLINE V codes_of(V sum) const {
      return truncated(hn::MulAdd(hn::ConvertTo(real, sum), inverse_, half_));
    }

   private:
    static constexpr hn::Rebind<float, D> real{};
    const hn::VFromD<hn::Rebind<float, D>> inverse_, half_;
  };
  // Of vectors of sums, each made of one and the one before: those of one, two, four columns.
  using Before = V[rows][steps];

  // Columns left of the first tap's that sums are made of too, so that vectors of output samples
  // have the last taps' columns in one vector: as many as that takes, if lines have so many.
  static constexpr int room_before(int left, int wanted) {
    return wanted <= (-left & 63) ? wanted : 0;
  }

  // The vector that begins `count` lanes before `v`, which follows `before`.
  template <int count>
  static HWY_INLINE V lanes_before(V before, V v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    return V{_mm512_alignr_epi32(v.raw, before.raw, lanes - count)};
#else
    if constexpr (lanes == 4) {
      return hn::CombineShiftRightLanes<4 - count>(d, v, before);
    } else {
#if HWY_TARGET == HWY_AVX2
      const V between{
          _mm256_inserti128_si256(_mm256_castsi128_si256(_mm256_extracti128_si256(before.raw, 1)),
                                  _mm256_castsi256_si128(v.raw), 1)};
#else
      const V between = hn::ConcatLowerUpper(d, v, before);
#endif
      if constexpr (count == 4) return between;
      return hn::CombineShiftRightLanes<(4 - count) & 3>(d, v, between);
    }
#endif
  }

  // The sums of as many columns as a vector has lanes, the last ones those of `v`.
  static HWY_INLINE V slide(V v, V (&before)[steps]) {
    unrolled<0, steps>([&](auto k) VIDCONV_LAMBDA {
      const V old = before[k];
      before[k] = v;
      v = hn::Add(v, lanes_before<1 << k>(old, v));
    });
    return v;
  }

  static HWY_INLINE V load(const Lane* from) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<Lane, D>(), from));
  }

  // The place of an output column's last tap, counted from the first column of sums.
  int last_tap() const { return before_ + plan_.width - 1; }
  // Of row r, with zeros before.
  std::int32_t* slid(int r) const { return slid_ + (2 * r + 1) * line_; }

  // Where sums begin: with the rows over the lowest of the first output row.
  void begin_sums(const Lane* const* window, int width) {
    const int count = last_tap() + (width + block - 1) / block * block;
    const std::ptrdiff_t left = plan_.left + before_;
    for (int i = 0; i < count; i += lanes) {
      V sum = hn::Zero(d);
      for (int j = 0; j < slots_ - rows; ++j) sum = hn::Add(sum, load(window[j] - left + i));
      hn::StoreU(sum, d, sums_ + i);
    }
    for (int r = 0; r < rows; ++r)
      std::fill(slid(r) - plan_.width - 2 * lanes, slid(r), std::int32_t{0});
  }

  template <Division division, class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    const Finish finish = plan_.finish;
    const Quotient<D> quotient(finish);
    const Inverse inverse(plan_.inverse);
    const int shift = plan_.shift;
    const bool stream = stream_;
    const int first = last_tap();
    const int begin = -(first + lanes - 1) / lanes * lanes;  // where all sums are 0
    Before before;
    V sums[rows];
    unrolled<0, rows>([&](auto r) VIDCONV_LAMBDA {
      unrolled<0, steps>([&](auto k) VIDCONV_LAMBDA { before[r][k] = hn::Zero(d); });
      sums[r] = hn::Set(d, plan_.start());
    });
    int made = 0;
    for (int from = 0; from < width; from += piece) {
      const int to = std::min(from + piece, (width + block - 1) / block * block);
      slide_to(window, first + to, made, before, next);
      unrolled<0, rows>([&](auto r) VIDCONV_LAMBDA {
        const std::int32_t* gained = slid(r) + first;
        const std::int32_t* lost = gained - plan_.width;
        V sum = sums[r];
        const auto advance = [&](int x) VIDCONV_LAMBDA {
          const V change = hn::Sub(hn::LoadU(d, gained + x), hn::LoadU(d, lost + x));
          sum = hn::Add(sum, change);
        };
        if (from == 0)
          for (int x = begin; x < 0; x += lanes) advance(x);
        if (out[r] != nullptr) {
          for (int x = from; x < to; x += block) {
            V codes[vectors];
            unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
              advance(x + u * lanes);
              if constexpr (division == Division::by_float)
                codes[u] = inverse.codes_of(sum);
              else
                codes[u] = codes_of<division, T>(finish, quotient, sum);
            });
            store(store_way(stream, x + block <= width), codes, shift, x, out[r], width);
          }
        }
        sums[r] = sum;
      });
    }
  }

  // From column number `made` up to number `end`: sums of columns, and of as many of those as a
  // vector has lanes.
  HWY_INLINE void slide_to(const Lane* const* window, int end, int& made, Before& before,
                           NextRows<rows>& next) const {
    const std::ptrdiff_t left = plan_.left + before_;
    const Lane* upper[rows];
    const Lane* lower[rows];
    std::int32_t* to[rows];
    unrolled<0, rows>([&](auto r) VIDCONV_LAMBDA {
      upper[r] = window[r] - left;
      lower[r] = window[slots_ - rows + r] - left;
      to[r] = slid(r);
    });
    std::int32_t* HWY_RESTRICT sums = sums_;
    int i = made;
    for (; i < end; i += lanes) {
      if (i % block == 0) next.ask(i + block);
      V sum = hn::LoadU(d, sums + i);
      unrolled<0, rows>([&](auto r) VIDCONV_LAMBDA {
        sum = hn::Add(sum, load(lower[r] + i));
        hn::StoreU(slide(sum, before[r]), d, to[r] + i);
        sum = hn::Sub(sum, load(upper[r] + i));
      });
      hn::StoreU(sum, d, sums + i);
    }
    made = i;
  }

  template <class T>
  static HWY_INLINE void store(StoreWay way, const V (&codes)[vectors], int shift, int x, T* out,
                               int width) {
    constexpr hn::ScalableTag<std::uint16_t> d16;
    hn::VFromD<decltype(d16)> halves[vectors / 2];
    unrolled<0, vectors / 2>([&](auto u) VIDCONV_LAMBDA {
#if HWY_TARGET == HWY_AVX2
      halves[u] = clamped_halves(codes[2 * u], codes[2 * u + 1]);
#else
      halves[u] =
          hn::ConcatEven(d16, hn::BitCast(d16, codes[2 * u + 1]), hn::BitCast(d16, codes[2 * u]));
#endif
    });
    if constexpr (sizeof(T) == 2) {
      if (shift != 0)
        unrolled<0, vectors / 2>(
            [&](auto u) VIDCONV_LAMBDA { halves[u] = hn::ShiftLeftSame(halves[u], shift); });
      store_block(way, d16, halves, out, x, width);
    } else {
      constexpr hn::ScalableTag<std::uint8_t> d8;
#if HWY_TARGET == HWY_AVX2
      const hn::RebindToSigned<decltype(d16)> signed16;
      const hn::VFromD<decltype(d8)> bytes[] = {
          clamped_bytes(hn::BitCast(signed16, halves[0]), hn::BitCast(signed16, halves[1]))};
#else
      const hn::VFromD<decltype(d8)> bytes[] = {
          hn::ConcatEven(d8, hn::BitCast(d8, halves[1]), hn::BitCast(d8, halves[0]))};
#endif
      store_block(way, d8, bytes, out, x, width);
    }
  }

  template <Division division, class T>
  HWY_INLINE V codes_of(const Finish& finish, const Quotient<D>& quotient, V sum) const {
    if constexpr (division == Division::by_reciprocal) {
      return quotient.of(sum);
    } else {
      return finish_lanes<T>(finish, d, hn::Mul(sum, hn::Set(d, plan_.tap)));
    }
  }

  const RunningPlan& plan_;
  const int slots_;
  const bool stream_;
  const std::ptrdiff_t line_, scratch_;
  const int before_;
  const Windows<Lane> windows_;
  // Of each component, of the parts of its rows.
  std::array<std::array<bool, RunningPlan::parts>, most_packed> started_{};
  bool* begun_ = nullptr;
  std::int32_t* sums_ = nullptr;  // of each column, over all rows but the lowest
  std::int32_t* slid_ = nullptr;
};

template <class Lane>
void run_running(const Plan& plan, const RunningPlan& running_plan, const Band& band,
                 const WindowLayout& layout, const Windows<Lane>& windows) {
  note_used_simd(HWY_TARGET);
  RunningEngine<Lane> engine(running_plan, layout, windows,
                             goes_past_caches(band.pairs.front().dst));
  run_band<Lane>(engine, plan, reach_of(plan), band, layout, windows);
}

void run_running8(const Plan& plan, const RunningPlanOf<1>& running_plan, const Band& band,
                  const WindowLayout& layout, const Windows<std::uint8_t>& windows) {
  run_running(plan, running_plan, band, layout, windows);
}
void run_running16(const Plan& plan, const RunningPlanOf<2>& running_plan, const Band& band,
                   const WindowLayout& layout, const Windows<std::uint16_t>& windows) {
  run_running(plan, running_plan, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/banded.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/division16.h"

namespace vidconv {
HWY_EXPORT(run_running8);
HWY_EXPORT(run_running16);

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
  // Of a sum of non-negative samples with gain 1 at most nothing has to be clamped.
  const Finish& f = plan.finish;
  const double highest = static_cast<double>(t.dense.size()) * plan.sample.max() + f.offset;
  result.plain = result.tap == 1 && !f.absolute && f.min == 0 && f.max == plan.sample.max() &&
                 f.offset >= 0 && highest <= f.limit;
  if (result.plain) result.inverse = find_inverse(f, plan.sample.max());
  return result;
}

Prepared prepare_cpu_running(const Plan& plan, const CudaAbilities&) {
  const std::optional<RunningPlan> made = make_running_plan(plan);
  if (!made) return nullptr;
  if (plan.sample.storage == Storage::u8)
    return prepare_banded<std::uint8_t>(plan, std::optional(RunningPlanOf<1>{*made}),
                                        [](auto&... arguments) {
                                          HWY_DYNAMIC_DISPATCH(run_running8)(arguments...);
                                        });
  return prepare_banded<std::uint16_t>(plan, std::optional(RunningPlanOf<2>{*made}),
                                       [](auto&... arguments) {
                                         HWY_DYNAMIC_DISPATCH(run_running16)(arguments...);
                                       });
}

}  // namespace vidconv
#endif  // HWY_ONCE
