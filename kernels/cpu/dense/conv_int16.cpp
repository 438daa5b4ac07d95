// Sums of the output samples at even and at odd columns lie in separate vectors: a load at column x
// pairs samples (x, x + 1) with two taps for the even ones, and with the tap before and the first
// of the two for the odd ones. So nothing is shuffled, each pair is loaded once, and the halves of
// the resulting 32-bit lanes make one vector of 16-bit lanes.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/dense/conv_int16.cpp"
#endif
#define VIDCONV_DOT_PRODUCTS
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band/band-inl.h"
#include "kernels/cpu/dense/conv_int16_codes-inl.h"
#include "kernels/cpu/dense/conv_int16_plan.h"
#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/cpu/simd/finish-inl.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace int16 {

class Engine {
 public:
  using Lane = std::int16_t;
  static constexpr int rows = ConvInt16Plan::rows;

  // `stream`: whether results go past the caches.
  Engine(const ConvInt16Plan& plan, const WindowLayout& layout, int left, bool stream)
      : offset(plan.code_offset), plan_(plan), layout_(layout), left_(left), stream_(stream) {}

  void make_passes(const Lane* source, Lane* pass, int width) const {
    for (const ConvInt16Plan::Term& term : plan_.terms) {
      if (!term.two_passes()) continue;
      make_pass(term, source, pass, width);
      pass += layout_.line;
    }
  }

  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    if constexpr (has_small) {
      if (plan_.plain && plan_.size == 3) return make_small<3>(window, out, width, next);
      if (plan_.plain && plan_.size == 5) return make_small<5>(window, out, width, next);
    }
    if constexpr (HWY_TARGET == HWY_AVX2) {  // other instruction sets are faster with lists
      if (plan_.plain && plan_.size == 7) return make_small<7>(window, out, width, next);
    }
    if (plan_.plain)
      make_rows<true>(window, out, width, next);
    else
      make_rows<false>(window, out, width, next);
  }

  const int offset;

 private:
  static constexpr int vectors = 2;  // vectors of 16-bit samples in a block
  static constexpr int block = vectors * lanes;
  static constexpr int pass_vectors = 4;
  static_assert(pass_vectors * lanes <= WindowLayout::block);

  // Whether there is code for small matrices that takes 5 multiply-adds for 6 (3x3) or 13 for 15
  // (5x5).
  static constexpr bool has_small = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2;
  // Vectors for which taps are loaded once: on AVX2 loads seem to take the time.
  static constexpr int small_vectors = HWY_TARGET == HWY_AVX2 ? 2 : 1;

  template <int size, class T>
  void make_small(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    for_blocks<small_vectors * lanes>(stream_, width, [&](auto way, int begin, int end) HWY_ATTR {
      if constexpr (size > 3 && sizeof(T) == 2) {  // 3x3 of two bytes has a variant of its own
        if (plan_.shifts && offset == 0)
          return make_small_blocks<size, Shift<false>>(way, window, out, begin, end, next);
        if (plan_.shifts)
          return make_small_blocks<size, Shift<true>>(way, window, out, begin, end, next);
      }
      make_small_blocks<size, Division>(way, window, out, begin, end, next);
    });
  }

  // Takes two samples that lie side by side at a time; in the last column, two that lie one above
  // the other. Even and odd columns are apart, each with loads where they lie.
  template <int size, class LastStep, class T, class Way>
  void make_small_blocks(Way way, const Lane* const* window, T* const* out, int begin, int end,
                         NextRows<rows>& next) const {
    const LastStep last_step(plan_);
    const auto grid = plan_.grid;  // a local copy, which stores cannot change
    const int shift = plan_.shift;
    const std::ptrdiff_t left = left_;
    for (int x = begin; x < end; x += small_vectors * lanes) {
      next.ask(x + small_vectors * lanes);
      Sum sums[rows][small_vectors][2];
      unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
        unrolled<0, small_vectors>([&](int u) VIDCONV_LAMBDA {
          sums[r][u][0].start(last_step.start);
          sums[r][u][1].start(last_step.start);
        });
      });
      unrolled<0, size + rows - 1>([&](auto line) VIDCONV_LAMBDA {
        const Lane* const from = window[line] + x - left;
        unrolled<0, size / 2>([&](int k) VIDCONV_LAMBDA {
          V16 even[small_vectors], odd[small_vectors];
          unrolled<0, small_vectors>([&](int u) VIDCONV_LAMBDA {
            even[u] = hn::LoadU(d16, from + 2 * k + u * lanes);
            odd[u] = hn::LoadU(d16, from + 2 * k + 1 + u * lanes);
          });
          unrolled<std::max(0, line + 1 - size), std::min(rows, line + 1)>(
              [&](int r) VIDCONV_LAMBDA {
                const V16 taps = pair_of_taps(grid[TapPairs::pair_at(size, line - r, k)]);
                unrolled<0, small_vectors>(
                    [&](int u) VIDCONV_LAMBDA { add_now(sums[r][u], even[u], odd[u], taps); });
              });
        });
        if constexpr (line % 2 != 0) {
          const Lane* const last = from + size - 1;
          const Lane* const above = window[line - 1] + x - left + size - 1;
          V16 even[small_vectors], odd[small_vectors];
          unrolled<0, small_vectors>([&](int u) VIDCONV_LAMBDA {
            const V32 upper = hn::BitCast(d32, hn::LoadU(d16, above + u * lanes));
            const V32 lower = hn::BitCast(d32, hn::LoadU(d16, last + u * lanes));
            even[u] = weave(upper, lower);
            odd[u] = weave_upper(upper, lower);
          });
          unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
            const V16 taps = pair_of_taps(grid[TapPairs::woven_at(size, r, line / 2)]);
            unrolled<0, small_vectors>(
                [&](int u) VIDCONV_LAMBDA { add_now(sums[r][u], even[u], odd[u], taps); });
          });
        }
      });
      unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
        if (out[r] == nullptr) return;
        V16 codes[small_vectors];
        unrolled<0, small_vectors>([&](int u) VIDCONV_LAMBDA {
          codes[u] = last_step.template codes<T>(sums[r][u][0].total(), sums[r][u][1].total());
        });
        store_codes(way, codes, shift, out[r], x, end);
      });
    }
  }

  // Adds to the sums of even columns, and of odd ones.
  static HWY_INLINE void add_now(Sum (&sums)[2], V16 even, V16 odd, V16 taps) {
    sums[0].add(even, taps);
    sums[1].add(odd, taps);
    settle(sums[0].a);
    settle(sums[1].a);
  }

  template <bool plain, class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    const std::ptrdiff_t first_pass = plan_.any_dense() ? layout_.line : 0;
    const Ending<plain> ending(plan_);
    for (int x = 0; x < width; x += block) {
      next.ask(x + block);
      const StoreWay way = store_way(stream_, x + block <= width);
      V32 folded[rows][2 * vectors];
      Sum sums[rows][2 * vectors];
      bool first = true;
      std::ptrdiff_t pass = first_pass + x;
      for (const ConvInt16Plan::Term& term : plan_.terms) {
        if (!term.joins) each([&](int r, int u) VIDCONV_LAMBDA { sums[r][u].start(term.start); });
        if (term.two_passes()) {
          add_columns(term, window, pass, sums);
          pass += layout_.line;
        } else {
          add_dense<0, 1>(term.first, window, x, sums);
          add_dense<0, 2>(term.both, window, x, sums);
          add_dense<1, 2>(term.second, window, x, sums);
        }
        if (!term.last) continue;
        each([&](int r, int u) VIDCONV_LAMBDA {
          folded[r][u] = plain ? sums[r][u].total()
                               : fold(plan_.finish, d32, first, folded[r][u], sums[r][u].total());
        });
        first = false;
      }
      unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
        if (out[r] != nullptr) store(way, ending, folded[r], x, out[r], width);
      });
    }
  }

  // Calls f(row, vector) for each vector of sums.
  template <class F>
  static HWY_INLINE void each(const F& f) {
    unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {  //
      unrolled<0, 2 * vectors>([&](int u) VIDCONV_LAMBDA { f(r, u); });
    });
  }

  static void make_pass(const ConvInt16Plan::Term& term, const Lane* source, Lane* pass,
                        int width) {
    for (int x = 0; x < width; x += pass_vectors * lanes) {
      Sum sums[2 * pass_vectors];
      unrolled<0, 2 * pass_vectors>([&](int u) VIDCONV_LAMBDA { sums[u].start(term.row_start); });
      for (const ConvInt16Plan::RowStep& step : term.row_steps) {
        const Lane* from = source + x + step.column;
        const V16 even = pair_of_taps(step.even), odd = pair_of_taps(step.odd);
        unrolled<0, pass_vectors>([&](int u) VIDCONV_LAMBDA {
          const V16 samples = hn::LoadU(d16, from + u * lanes);
          sums[2 * u].add(samples, even);
          sums[2 * u + 1].add(samples, odd);
        });
      }
      unrolled<0, pass_vectors>([&](int u) VIDCONV_LAMBDA {
        const V16 made = weave_from(term.row_shift, sums[2 * u].total(), sums[2 * u + 1].total());
        hn::StoreU(made, d16, pass + x + u * lanes);
      });
    }
  }

  // Adds steps to the output rows from `From` up to `To`.
  template <int From, int To>
  static HWY_INLINE void add_dense(const std::vector<ConvInt16Plan::DenseStep>& steps,
                                   const Lane* const* window, int x, Sum (*sums)[2 * vectors]) {
    for (const ConvInt16Plan::DenseStep& step : steps) {
      const Lane* from = window[step.row] + x + step.column;
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
        const V16 samples = hn::LoadU(d16, from + u * lanes);
        unrolled<From, To>([&](int r) VIDCONV_LAMBDA {
          sums[r][2 * u].add(samples, pair_of_taps(step.even[r]));
          sums[r][2 * u + 1].add(samples, pair_of_taps(step.odd[r]));
        });
      });
    }
  }

  // `at` is the offset of the block in the term's line of each slot.
  static HWY_INLINE void add_columns(const ConvInt16Plan::Term& term, const Lane* const* window,
                                     std::ptrdiff_t at, Sum (*sums)[2 * vectors]) {
    for (const ConvInt16Plan::ColumnStep& step : term.column_steps) {
      const Lane* upper = window[step.upper] + at;
      const Lane* lower = window[step.lower] + at;
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
        const V16 a = hn::LoadU(d16, upper + u * lanes);
        const V16 b = hn::LoadU(d16, lower + u * lanes);
        const V16 even = weave(hn::BitCast(d32, a), hn::BitCast(d32, b));
        const V16 odd = hn::OddEven(b, hn::BitCast(d16, hn::ShiftRight<16>(hn::BitCast(d32, a))));
        unrolled<0, rows>([&](int r) VIDCONV_LAMBDA {
          sums[r][2 * u].add(even, pair_of_taps(step.taps[r]));
          sums[r][2 * u + 1].add(odd, pair_of_taps(step.taps[r]));
        });
      });
    }
  }

  template <class T, class E>
  HWY_INLINE void store(StoreWay way, const E& ending, const V32* folded, int x, T* out,
                        int width) const {
    V16 codes[vectors];
    unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
      codes[u] = ending.template codes<T>(folded[2 * u], folded[2 * u + 1]);
    });
    store_codes(way, codes, plan_.shift, out, x, width);
  }

  const ConvInt16Plan& plan_;
  const WindowLayout& layout_;
  const int left_;  // samples from the first column of taps to the output sample
  const bool stream_;
};

}  // namespace int16

void run_int16(const Plan& plan, const ConvInt16Plan& int16_plan, const Band& band,
               const WindowLayout& layout, const Windows<std::int16_t>& windows) {
  note_used_simd(HWY_TARGET);
  const int left = reach_of(plan).left;
  const int16::Engine engine(int16_plan, layout, left, goes_past_caches(band.pairs.front().dst));
  run_band_of_codes(engine, plan, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/band/banded.h"
#include "kernels/cpu/variants.h"

namespace vidconv {
HWY_EXPORT(run_int16);

Prepared prepare_cpu_conv_int16(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS)) return nullptr;
  return prepare_banded<std::int16_t>(plan, make_int16_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_int16)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
