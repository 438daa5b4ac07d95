// The variant for one matrix on 8-bit samples where there is no VNNI: sums of the products of two
// samples with two taps of a byte, in 16 bits.
//
// Sums of the output samples at even and at odd columns lie in separate vectors, made of loads at
// these columns: both take the same taps, and their result bytes make one vector.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/dense/conv_u8_avx2.cpp"
#endif
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band/band-inl.h"
#include "kernels/cpu/dense/conv_u8_avx2_plan.h"
#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/cpu/simd/finish-inl.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// Whether this instruction set has the instruction that the variant needs, and no better one.
bool have_pairs() { return VIDCONV_HAVE_BYTE_PAIRS; }

#if VIDCONV_HAVE_BYTE_PAIRS
namespace pairs {

using D8 = hn::ScalableTag<std::uint8_t>;
using D16 = hn::RepartitionToWide<D8>;
using D32 = hn::ScalableTag<std::int32_t>;
using V8 = hn::VFromD<D8>;
using V16 = hn::VFromD<D16>;
using V32 = hn::VFromD<D32>;
constexpr D8 d8;
constexpr D16 d16;
constexpr D32 d32;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d8));
constexpr int vectors = 2;  // vectors in a block
constexpr int block = vectors * lanes;
static_assert(block <= WindowLayout::block);

// The last step of 16-bit sums, of even columns and of odd ones.
class Ending {
 public:
  explicit HWY_INLINE Ending(const ConvU8Avx2Plan& plan)
      : start(hn::Set(d16, plan.groups[0].start[0])),
        below_zero_(hn::Set(d16, plan.below_zero)),
        lowest_(hn::Set(d16, plan.lowest)),
        limit_(hn::Set(d16, plan.limit)),
        division_(plan.division) {}

  HWY_INLINE V8 codes(V16 even, V16 odd) const {
    return hn::BitCast(d8, hn::Or(code(even), hn::ShiftLeft<8>(code(odd))));
  }

  const V16 start;

 private:
  HWY_INLINE V16 code(V16 n) const {
    n = hn::SaturatedSub(n, below_zero_);
    return quotients16(division_, d16, hn::Min(hn::Max(n, lowest_), limit_));
  }

  const V16 below_zero_, lowest_, limit_;
  const Division16 division_;
};

// Interleaves two lines' samples at even columns, and those at odd ones, in pairs.
HWY_INLINE void weave(V8 upper, V8 lower, V8 (&woven)[2]) {
  const V16 a = hn::BitCast(d16, upper), b = hn::BitCast(d16, lower), mask = hn::Set(d16, 0xFF);
  woven[0] = hn::BitCast(d8, hn::Or(hn::And(a, mask), hn::ShiftLeft<8>(b)));
  woven[1] = hn::BitCast(d8, hn::Or(hn::ShiftRight<8>(a), hn::AndNot(mask, b)));
}

HWY_INLINE V8 taps_of(std::uint32_t taps) {
  return hn::BitCast(d8, hn::Set(hn::RebindToUnsigned<D32>(), taps));
}

class Engine {
 public:
  using Lane = std::uint8_t;
  static constexpr int rows = ConvU8Avx2Plan::rows;
  static constexpr int offset = 0;

  // `stream`: whether results go past the caches.
  Engine(const ConvU8Avx2Plan& plan, int left, bool stream)
      : plan_(plan), left_(left), stream_(stream) {}

  void make_passes(const Lane*, Lane*, int) const {}

  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    if constexpr (sizeof(T) == 1) {  // the plan is for no other
      if (plan_.wide)
        make_rows<Sums::wide>(window, out, width, next);
      else if (plan_.saturates)
        make_rows<Sums::saturate>(window, out, width, next);
      else
        make_rows<Sums::wrap>(window, out, width, next);
    }
  }

 private:
  // How sums of 16 bits overflow, and whether they are added up in 32.
  enum class Sums : std::uint8_t { wrap, saturate, wide };
  // Sums at the even and at the odd columns of each vector.
  using Row = V16[vectors][2];

  template <Sums sums>
  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    if constexpr (sums != Sums::wide) {
      if (plan_.size == 3) return make_small<sums, 3>(window, out, width, next);
      if (plan_.size == 5) return make_small<sums, 5>(window, out, width, next);
      if (plan_.size == 7) return make_small<sums, 7>(window, out, width, next);
      if (plan_.size == 9) return make_small<sums, 9>(window, out, width, next);
      if (plan_.size == 11) return make_small<sums, 11>(window, out, width, next);
    }
    for (int x = 0; x < width; x += block) {
      next.ask(x + block);
      const StoreWay way = store_way(stream_, x + block <= width);
      V8 codes[rows][vectors];
      if constexpr (sums == Sums::wide)
        make_wide(window, x, codes);
      else
        make_narrow<sums>(window, x, codes);
      unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
        if (out[r] != nullptr) store_block(way, d8, codes[r], out[r], x, width);
      });
    }
  }

  template <Sums sums, int size>
  void make_small(const Lane* const* window, Lane* const* out, int width,
                  NextRows<rows>& next) const {
    constexpr int at_once = size > 5 ? 2 : 1;  // vectors for which taps are loaded once
    for_blocks<at_once * lanes>(stream_, width, [&](StoreWay way, int begin, int end) HWY_ATTR {
      make_blocks<sums, size, at_once>(way, window, out, begin, end, next);
    });
  }

  template <Sums sums, int size, int vectors>
  void make_blocks(StoreWay way, const Lane* const* window, Lane* const* out, int begin, int end,
                   NextRows<rows>& next) const {
    const Ending ending(plan_);
    const auto grid = plan_.grid;  // a local copy, which stores cannot change
    const std::ptrdiff_t left = left_;
    for (int x = begin; x < end; x += vectors * lanes) {
      next.ask(x + vectors * lanes);
      V16 made[rows][vectors][2];
      unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
        unrolled<0, vectors>([&](int u)
                                 VIDCONV_LAMBDA { made[r][u][0] = made[r][u][1] = ending.start; });
      });
      const auto add = [&](int r, const V8(&samples)[vectors][2],
                           std::uint32_t pair) VIDCONV_LAMBDA {
        const V8 taps = taps_of(pair);
        unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
          unrolled<0, 2>([&](int i) VIDCONV_LAMBDA {
            V16 sum = sum_of<sums>(made[r][u][i], pairs_of_bytes(samples[u][i], taps));
            settle(sum);
            made[r][u][i] = sum;
          });
        });
      };
      unrolled<0, size + 1>([&](auto line) VIDCONV_LAMBDA {
        const Lane* const from = window[line] + x - left;
        unrolled<0, size / 2>([&](int k) VIDCONV_LAMBDA {
          V8 samples[vectors][2];
          unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
            samples[u][0] = hn::LoadU(d8, from + 2 * k + u * lanes);
            samples[u][1] = hn::LoadU(d8, from + 2 * k + 1 + u * lanes);
          });
          unrolled<std::max(0, line + 1 - size), std::min(rows, line + 1)>(
              [&](int r)
                  VIDCONV_LAMBDA { add(r, samples, grid[TapPairs::pair_at(size, line - r, k)]); });
        });
        if constexpr (line % 2 != 0) {
          const Lane* const above = window[line - 1] + x - left;
          V8 woven[vectors][2];
          unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
            weave(hn::LoadU(d8, above + size - 1 + u * lanes),
                  hn::LoadU(d8, from + size - 1 + u * lanes), woven[u]);
          });
          unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
            add(r, woven, grid[TapPairs::woven_at(size, r, line / 2)]);
          });
        }
      });
      unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
        if (out[r] == nullptr) return;
        V8 codes[vectors];
        unrolled<0, vectors>(
            [&](int u) VIDCONV_LAMBDA { codes[u] = ending.codes(made[r][u][0], made[r][u][1]); });
        store_block(way, d8, codes, out[r], x, end);
      });
    }
  }

  template <Sums sums>
  HWY_INLINE void make_narrow(const Lane* const* window, int x, V8 (&codes)[rows][vectors]) const {
    Row made[rows];
    add_group<sums>(plan_.groups.front(), window, x, made);
    const Ending ending(plan_);
    each([&](int r, int u)
             VIDCONV_LAMBDA { codes[r][u] = ending.codes(made[r][u][0], made[r][u][1]); });
  }

  HWY_INLINE void make_wide(const Lane* const* window, int x, V8 (&codes)[rows][vectors]) const {
    // Sums for the samples at columns 4n, 4n + 2, 4n + 1 and 4n + 3.
    V32 sums[rows][vectors][4];
    each([&](int r, int u) VIDCONV_LAMBDA {
      unrolled<0, 4>([&](int i) VIDCONV_LAMBDA { sums[r][u][i] = hn::Set(d32, plan_.start[r]); });
    });
    for (const ConvU8Avx2Plan::Group& group : plan_.groups) {
      Row made[rows];
      add_group<Sums::wrap>(group, window, x, made);
      each([&](int r, int u) VIDCONV_LAMBDA {
        unrolled<0, 2>([&](int i) VIDCONV_LAMBDA {
          const V32 both = hn::BitCast(d32, made[r][u][i]);
          V32* const to = sums[r][u] + 2 * i;
          to[0] = hn::Add(to[0], hn::And(both, hn::Set(d32, 0xFFFF)));
          const hn::RebindToUnsigned<D32> du32;
          to[1] = hn::Add(to[1], hn::BitCast(d32, hn::ShiftRight<16>(hn::BitCast(du32, both))));
        });
      });
    }
    const Finish finish = plan_.finish;
    const auto code = [&](V32 sum) VIDCONV_LAMBDA {
      return quotients(finish, d32, numerators(finish, d32, sum));
    };
    each([&](int r, int u) VIDCONV_LAMBDA {
      const V32* from = sums[r][u];
      const V32 even = hn::Or(code(from[0]), hn::ShiftLeft<16>(code(from[1])));
      const V32 odd = hn::Or(code(from[2]), hn::ShiftLeft<16>(code(from[3])));
      codes[r][u] = hn::BitCast(d8, hn::Or(even, hn::ShiftLeft<8>(odd)));
    });
  }

  template <Sums sums>
  static HWY_INLINE void add_group(const ConvU8Avx2Plan::Group& group, const Lane* const* window,
                                   int x, Row (&made)[rows]) {
    each([&](int r, int u)
             VIDCONV_LAMBDA { made[r][u][0] = made[r][u][1] = hn::Set(d16, group.start[r]); });
    add_steps<sums, 0, 1>(group.first, window, x, made);
    add_steps<sums, 0, 2>(group.both, window, x, made);
    add_steps<sums, 1, 2>(group.second, window, x, made);
    for (const ConvU8Avx2Plan::Step& step : group.woven) {
      const Lane* const upper = window[step.row] + x + step.column;
      const Lane* const lower = window[step.row + 1] + x + step.column;
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
        V8 woven[2];
        weave(hn::LoadU(d8, upper + u * lanes), hn::LoadU(d8, lower + u * lanes), woven);
        add<sums, 0, 2>(step, u, woven, made);
      });
    }
  }

  // Adds steps to the output rows from `From` up to `To`.
  template <Sums sums, int From, int To>
  static HWY_INLINE void add_steps(const std::vector<ConvU8Avx2Plan::Step>& steps,
                                   const Lane* const* window, int x, Row (&made)[rows]) {
    for (const ConvU8Avx2Plan::Step& step : steps) {
      const Lane* const from = window[step.row] + x + step.column;
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
        const V8 samples[] = {hn::LoadU(d8, from + u * lanes), hn::LoadU(d8, from + 1 + u * lanes)};
        add<sums, From, To>(step, u, samples, made);
      });
    }
  }

  template <Sums sums, int From, int To, class U>
  static HWY_INLINE void add(const ConvU8Avx2Plan::Step& step, U u, const V8 (&samples)[2],
                             Row (&made)[rows]) {
    unrolled<From, To>([&](int r) VIDCONV_LAMBDA {
      const V8 taps = taps_of(step.taps[r]);
      unrolled<0, 2>([&](int i) VIDCONV_LAMBDA {
        made[r][u][i] = sum_of<sums>(made[r][u][i], pairs_of_bytes(samples[i], taps));
      });
    });
  }

  template <Sums sums>
  static HWY_INLINE V16 sum_of(V16 a, V16 b) {
    return sums == Sums::saturate ? hn::SaturatedAdd(a, b) : hn::Add(a, b);
  }

  // Calls f(row, vector) for each vector of each row.
  template <class F>
  static HWY_INLINE void each(const F& f) {
    unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA { f(r, u); });
    });
  }

  const ConvU8Avx2Plan& plan_;
  const int left_;
  const bool stream_;
};

}  // namespace pairs
#endif

void run_pairs([[maybe_unused]] const Plan& plan, [[maybe_unused]] const ConvU8Avx2Plan& pairs_plan,
               [[maybe_unused]] const Band& band, [[maybe_unused]] const WindowLayout& layout,
               [[maybe_unused]] const Windows<std::uint8_t>& windows) {
  note_used_simd(HWY_TARGET);
#if VIDCONV_HAVE_BYTE_PAIRS
  const Reach reach = reach_of(plan);
  const pairs::Engine engine(pairs_plan, reach.left, goes_past_caches(band.pairs.front().dst));
  run_band<std::uint8_t>(engine, plan, reach, band, layout, windows);
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
HWY_EXPORT(have_pairs);
HWY_EXPORT(run_pairs);

Prepared prepare_cpu_conv_u8_avx2(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS) || !HWY_DYNAMIC_DISPATCH(have_pairs)()) return nullptr;
  return prepare_banded<std::uint8_t>(plan, make_pairs_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_pairs)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
