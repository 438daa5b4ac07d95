// The variant for kernels of equal taps, whose cost depends neither on their height nor on their
// width: sums of integers are exact, so they may be carried from row to row and along a row. Along
// a row they go in whole vectors: from one vector to the next, each sum gains and loses as many
// samples as a vector has lanes, and the sum of so many samples is that of two sums of half as
// many.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/box/box_int_running.cpp"
#endif
#define VIDCONV_SSE4_TOO
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "kernels/cpu/band/band-inl.h"
#include "kernels/cpu/box/box_int_running_plan.h"
#include "kernels/cpu/box/running_codes-inl.h"
#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/cpu/simd/prefix_sum-inl.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// LaneType is the sample type. Value is the type of column sums, and of results where
// RunningBoxPlan::division16.
template <class LaneType, class Value>
class RunningBoxEngine {
 public:
  using Lane = LaneType;
  static constexpr int rows = RunningBoxPlan::rows;
  static constexpr int offset = 0;
  static constexpr int least_in_place = 4096 / int{sizeof(Lane)};  // sums begin anew at each end

  // Runs one band, with a window for each component. `stream`: whether results go past the caches.
  RunningBoxEngine(const RunningBoxPlan& plan, const WindowLayout& layout,
                   const Windows<Lane>& windows, bool stream)
      : plan_(plan),
        slots_(layout.slots),
        stream_(stream),
        line_(layout.line),
        scratch_(layout.scratch()),
        before_(room_before(plan.left, (1 - plan.width) & (lanes - 1))),
        windows_(windows) {}

  // Selects component k, from column `begin` on, for the calls that follow.
  void select(int k, int begin) {
    const int part = Middle::part_of(begin);
    begun_ = &started_[static_cast<std::size_t>(k)][static_cast<std::size_t>(part)];
    auto* lines =
        reinterpret_cast<Value*>(windows_[static_cast<std::size_t>(k)].lanes() + scratch_);
    sums_ = lines + part * (line_ + lanes);
    kept_ = lines + RunningBoxPlan::parts * (line_ + lanes) + lanes;
  }

  void make_passes(const Lane*, Lane*, int) const {}

  // Adds, for each output row, the row below to the sums of the columns, and subtracts the
  // uppermost one for the next output row.
  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) {
    if (!*begun_) begin_sums(window, width);
    *begun_ = true;
    if constexpr (sizeof(Value) == 2) {
      if (plan_.division16) return make_rows<Division::in_16_bits>(window, out, width, next);
      if (plan_.inverse != 0) return make_pairs<Division::by_float>(window, out, width, next);
      if (plan_.plain) return make_pairs<Division::by_reciprocal>(window, out, width, next);
      make_pairs<Division::any>(window, out, width, next);
    } else {
      if (plan_.inverse != 0) return make_rows<Division::by_float>(window, out, width, next);
      if (plan_.plain) return make_rows<Division::by_reciprocal>(window, out, width, next);
      make_rows<Division::any>(window, out, width, next);
    }
  }

 private:
  using D = hn::ScalableTag<Value>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  static constexpr int steps = std::bit_width(static_cast<unsigned>(lanes)) - 1;
  static constexpr int vectors = static_cast<int>(sizeof(Value));  // one vector of bytes a block
  static constexpr int block = vectors * lanes;
  static constexpr int piece = 1024;  // columns whose sums are made before they are used
  static_assert(block <= WindowLayout::block && piece % block == 0);
  // Vectors of sums of one, two, four columns, each made of one such vector and the one before.
  using Before = V[rows][steps];

  // Returns how many columns left of the first tap's are summed up too, so that vectors of output
  // samples have the last taps' columns in one vector: as many as that takes, if lines have so
  // many.
  static constexpr int room_before(int left, int wanted) {
    return wanted <= (-left & 63) ? wanted : 0;
  }

  // Returns the vector that begins `count` lanes before `v`, which follows `before`; `count` is a
  // power of two.
  template <int count>
  static HWY_INLINE V lanes_before(V before, V v) {
    constexpr int in_block = 16 / static_cast<int>(sizeof(Value));
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    constexpr int in_int = 4 / static_cast<int>(sizeof(Value));
    if constexpr (count % in_int == 0)
      return V{_mm512_alignr_epi32(v.raw, before.raw, (lanes - count) / in_int)};
    else
      return hn::CombineShiftRightLanes<in_block - count>(d, v, lanes_before<in_block>(before, v));
#else
    if constexpr (lanes == in_block) {
      return hn::CombineShiftRightLanes<in_block - count>(d, v, before);
    } else {
#if HWY_TARGET == HWY_AVX2
      const V between{
          _mm256_inserti128_si256(_mm256_castsi128_si256(_mm256_extracti128_si256(before.raw, 1)),
                                  _mm256_castsi256_si128(v.raw), 1)};
#else
      const V between = hn::ConcatLowerUpper(d, v, before);
#endif
      if constexpr (count == in_block) return between;
      return hn::CombineShiftRightLanes<(in_block - count) & (in_block - 1)>(d, v, between);
    }
#endif
  }

  // Returns the sums of as many columns as a vector has lanes, the last ones those of `v`.
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

  // Returns the place of an output column's last tap, counted from the first column of sums.
  int last_tap() const { return before_ + plan_.width - 1; }
  // Returns the line of sums of row r, with zeros before.
  Value* kept(int r) const { return kept_ + (2 * r + 1) * line_; }

  // Begins the sums with the rows over the lowest one of the first output row.
  void begin_sums(const Lane* const* window, int width) {
    const int count = last_tap() + (width + block - 1) / block * block;
    const std::ptrdiff_t left = plan_.left + before_;
    for (int i = 0; i < count; i += lanes) {
      V sum = hn::Zero(d);
      for (int j = 0; j < slots_ - rows; ++j) sum = hn::Add(sum, load(window[j] - left + i));
      hn::StoreU(sum, d, sums_ + i);
    }
    for (int r = 0; r < rows; ++r) std::fill(kept(r) - plan_.width - 2 * lanes, kept(r), Value{0});
  }

  template <Division division, class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    const RunningCodes<division, T, D> codes_of(plan_);
    const int shift = plan_.shift;
    const bool stream = stream_;
    const int first = last_tap();
    const int begin = -(first + lanes - 1) / lanes * lanes;  // where all sums are 0
    Before before;
    V sums[rows];
    unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
      unrolled<0, steps>([&](int k) VIDCONV_LAMBDA { before[r][k] = hn::Zero(d); });
      sums[r] = hn::Set(d, static_cast<Value>(plan_.start()));
    });
    int made = 0;
    for (int from = 0; from < width; from += piece) {
      const int to = std::min(from + piece, (width + block - 1) / block * block);
      sum_columns(window, first + to, made, next, [&](V sum, auto r, Value* at) VIDCONV_LAMBDA {
        hn::StoreU(slide(sum, before[r]), d, at);
      });
      unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
        const Value* gained = kept(r) + first;
        const Value* lost = gained - plan_.width;
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
            unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
              advance(x + u * lanes);
              codes[u] = codes_of.of(sum);
            });
            store_running_codes(store_way(stream, x + block <= width), d, codes, shift, x, out[r],
                                width);
          }
        }
        sums[r] = sum;
      });
    }
  }

  // Does what make_rows() does, with column sums of 16 bits. Results need more bits, and are made
  // two at a time: each is the one before plus a column's sum less another's. So half as many lanes
  // of 32 bits are added up as there are results.
  template <Division division, class T>
  void make_pairs(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    constexpr Sum::D32 d32;
    const RunningCodes<division, T, Sum::D32> codes_of(plan_);
    const bool stream = stream_;
    const int first = last_tap();
    const int begin = -(first + lanes - 1) / lanes * lanes;  // where all sums are 0
    Sum::V32 sums[rows];  // the result's sums before those that are at hand
    int made = 0;
    for (int from = 0; from < width; from += piece) {
      const int to = std::min(from + piece, (width + block - 1) / block * block);
      sum_columns(window, first + to, made, next,
                  [&](V sum, auto, Value* at) VIDCONV_LAMBDA { hn::StoreU(sum, d, at); });
      unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
        const Value* gained = kept(r) + first;
        const Value* lost = gained - plan_.width;
        const auto gain = [&](int x) VIDCONV_LAMBDA {
          const V change = hn::Sub(hn::LoadU(d, gained + x), hn::LoadU(d, lost + x));
          return hn::BitCast(Sum::D16(), change);
        };
        const auto in_pairs = [](Sum::V16 gains) HWY_ATTR {
          Sum both;
          both.start(0);
          both.add(gains, pair_of_taps(0x00010001));
          return both.total();
        };
        if (from == 0) {
          Sum::V32 all = hn::Zero(d32);
          for (int x = begin; x < 0; x += lanes) all = hn::Add(all, in_pairs(gain(x)));
          sums[r] = hn::Add(hn::SumOfLanes(d32, all), hn::Set(d32, plan_.start()));
        }
        if (out[r] == nullptr) return;
        Sum::V32 sum = sums[r];
        for (int x = from; x < to; x += block) {
          Sum::V32 codes[vectors];
          unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
            const Sum::V16 gains = gain(x + u * lanes);
            const Sum::V32 so_far = prefix_sums(in_pairs(gains));
            const Sum::V32 odd = hn::Add(sum, so_far);
            const Sum::V32 even = hn::Sub(odd, hn::ShiftRight<16>(hn::BitCast(d32, gains)));
            sum = hn::Add(sum, last_lane(so_far));
            codes[u] = byte_pairs(codes_of.of(even), codes_of.of(odd));
          });
          constexpr hn::ScalableTag<std::uint8_t> d8;
          const hn::VFromD<decltype(d8)> bytes[] = {
              hn::BitCast(d8, lower_halves(codes[0], codes[1]))};
          store_block(store_way(stream, x + block <= width), d8, bytes, out[r], x, width);
        }
        sums[r] = sum;
      });
    }
  }

  // Makes the sums of columns from number `made` up to number `end`; keep(sums, row, at) makes what
  // is kept of them for an output row.
  template <class Keep>
  HWY_INLINE void sum_columns(const Lane* const* window, int end, int& made, NextRows<rows>& next,
                              const Keep& keep) const {
    const std::ptrdiff_t left = plan_.left + before_;
    const Lane* upper[rows];
    const Lane* lower[rows];
    Value* to[rows];
    unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
      upper[r] = window[r] - left;
      lower[r] = window[slots_ - rows + r] - left;
      to[r] = kept(r);
    });
    Value* HWY_RESTRICT sums = sums_;
    int i = made;
    for (; i < end; i += lanes) {
      if (i % block == 0) next.ask(i + block);
      V sum = hn::LoadU(d, sums + i);
      unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
        sum = hn::Add(sum, load(lower[r] + i));
        keep(sum, r, to[r] + i);
        sum = hn::Sub(sum, load(upper[r] + i));
      });
      hn::StoreU(sum, d, sums + i);
    }
    made = i;
  }

  const RunningBoxPlan& plan_;
  const int slots_;
  const bool stream_;
  const std::ptrdiff_t line_, scratch_;
  const int before_;
  const Windows<Lane> windows_;
  // Whether sums have begun, for each component and each part of its rows.
  std::array<std::array<bool, RunningBoxPlan::parts>, most_packed> started_{};
  bool* begun_ = nullptr;
  Value* sums_ = nullptr;  // each column's, over all rows but the lowest
  Value* kept_ = nullptr;
};

template <class Value, class Lane>
void run_running(const Plan& plan, const RunningBoxPlan& running_plan, const Band& band,
                 const WindowLayout& layout, const Windows<Lane>& windows) {
  note_used_simd(HWY_TARGET);
  RunningBoxEngine<Lane, Value> engine(running_plan, layout, windows,
                                       goes_past_caches(band.pairs.front().dst));
  run_band<Lane>(engine, plan, reach_of(plan), band, layout, windows);
}

void run_running8(const Plan& plan, const RunningBoxPlanOf<1>& running_plan, const Band& band,
                  const WindowLayout& layout, const Windows<std::uint8_t>& windows) {
  if (running_plan.in_16_bits())
    run_running<std::uint16_t>(plan, running_plan, band, layout, windows);
  else
    run_running<std::int32_t>(plan, running_plan, band, layout, windows);
}
void run_running16(const Plan& plan, const RunningBoxPlanOf<2>& running_plan, const Band& band,
                   const WindowLayout& layout, const Windows<std::uint16_t>& windows) {
  run_running<std::int32_t>(plan, running_plan, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/band/banded.h"
#include "kernels/cpu/simd/division16.h"
#include "kernels/cpu/variants.h"

namespace vidconv {
HWY_EXPORT(run_running8);
HWY_EXPORT(run_running16);

std::optional<RunningBoxPlan> make_running_plan(const Plan& plan) {
  constexpr int smallest = 14;  // width + height
  if (plan.arith != Arith::int32 || plan.finish.combine != Combine::linear ||
      plan.terms.size() != 1)
    return std::nullopt;
  const Taps& t = plan.terms[0];
  if (t.dense.empty() || t.dense[0] == 0 || t.width + t.height < smallest ||
      std::ranges::count(t.dense, t.dense[0]) != std::ssize(t.dense))
    return std::nullopt;
  RunningBoxPlan result;
  result.width = t.width;
  result.height = t.height;
  result.left = t.anchor_x;
  result.tap = static_cast<std::int32_t>(t.dense[0]);
  result.finish = plan.finish;
  result.shift = plan.sample.shift;
  // A sum of non-negative samples with gain 1 at most needs no clamp.
  const Finish& f = plan.finish;
  const double highest = static_cast<double>(t.dense.size()) * plan.sample.max() + f.offset;
  result.plain = result.tap == 1 && !f.absolute && f.min == 0 && f.max == plan.sample.max() &&
                 f.offset >= 0 && highest <= f.limit;
  if (result.plain) result.inverse = find_inverse(f, plan.sample.max());
  if (result.plain && plan.sample.storage == Storage::u8) result.division16 = find_division16(f);
  return result;
}

Prepared prepare_cpu_box_int_running(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS)) return nullptr;
  const std::optional<RunningBoxPlan> made = make_running_plan(plan);
  if (!made) return nullptr;
  if (plan.sample.storage == Storage::u8)
    return prepare_banded<std::uint8_t>(plan, std::optional(RunningBoxPlanOf<1>{*made}),
                                        [](auto&... arguments) {
                                          HWY_DYNAMIC_DISPATCH(run_running8)(arguments...);
                                        });
  return prepare_banded<std::uint16_t>(plan, std::optional(RunningBoxPlanOf<2>{*made}),
                                       [](auto&... arguments) {
                                         HWY_DYNAMIC_DISPATCH(run_running16)(arguments...);
                                       });
}

}  // namespace vidconv
#endif  // HWY_ONCE
