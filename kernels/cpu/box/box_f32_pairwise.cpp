// The variant for equal taps over floats: sums of two sums each, whose number grows with the
// logarithm of the number of taps. Row sums wait in the lines of their rows; sums of columns are
// made in a strip of columns that stays in the first-level cache.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/box/box_f32_pairwise.cpp"
#endif
#define VIDCONV_ANY_CPU
#define VIDCONV_NOT_SSE4
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "kernels/cpu/band/band-inl.h"
#include "kernels/cpu/box/box_f32_pairwise_plan.h"
#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/cpu/simd/finish-inl.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/simd/unroll-inl.h"
#include "kernels/plan/pairwise.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

class PairwiseEngine {
 public:
  using Lane = float;
  static constexpr int rows = PairwisePlan::most_rows;
  static constexpr int offset = 0;
  static constexpr int least_in_place = 3072;  // sums are made along a row

  // `stream`: whether results go past the caches where their rows are aligned for it.
  PairwiseEngine(const PairwisePlan& plan, bool stream) : plan_(plan), stream_(stream) {}

  int rows_together() const { return plan_.rows; }

  // Makes row sums, and asks for the row below meanwhile.
  void make_passes(const float* source, float* pass, int width, NextRows<1>& next) {
    source -= plan_.left;
    const int most = pairwise_steps(plan_.width) <= most_slides ? width : piece;
    for (int x = 0; x < width; x += most) {
      const int count = std::min(most, width - x);
      const auto ask = [&](int end) VIDCONV_LAMBDA { next.ask(x + end); };
      if (plan_.width > 1)
        sum_row(source + x, count, pass + x, ask);
      else
        copy_row(source + x, count, pass + x, ask);
    }
  }

  template <class T>
  void make_rows(const float* const* window, T* const* out, int width, NextRows<rows>&) {
    const int count =
        static_cast<int>(std::find(out, out + plan_.rows, static_cast<T*>(nullptr)) - out);
    const bool aligned = std::all_of(out, out + count, [](const T* row) HWY_ATTR {
      return reinterpret_cast<std::uintptr_t>(row) % cache_line == 0;
    });
    if (!stream_ || aligned) {
      for (int x = 0; x < width; x += strip) sum_columns(window, x, out, count, width, stream_);
      return;
    }
    // Each row is written in one go, by way of the uppermost lines, which no further row needs.
    float* lines[rows];
    std::transform(window, window + count, lines,
                   [](const float* line) HWY_ATTR { return const_cast<float*>(line); });
    for (int x = 0; x < width; x += strip) sum_columns(window, x, lines, count, width, false);
    for (int r = 0; r < count; ++r) stream_row(lines[r], width, out[r]);
  }

 private:
  using D = hn::ScalableTag<float>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  static constexpr int piece = 1024;  // samples of a row that are summed at once, in memory
  static constexpr int vectors = 2;   // vectors in a strip
  static constexpr int strip = vectors * lanes;
  static constexpr std::size_t cache_line = 64;
  static_assert(strip <= WindowLayout::block && piece % WindowLayout::block == 0);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  static constexpr bool moves_in_registers = true;
#else
  static constexpr bool moves_in_registers = false;
#endif
  // The first steps of a row are made in registers, as long as a sum lies in two vectors.
  static constexpr int most_slides = moves_in_registers ? 4 : 0;

  // Copies a row strip by strip and asks for the next one: memory prefers rows to columns.
  template <class Ask>
  static void copy_row(const float* from, int count, float* to, const Ask& ask) {
    for (int x = 0; x < count; x += strip) {
      ask(x);
      std::copy_n(from + x, std::min(strip, count - x), to + x);
    }
  }

  // Copies as copy_row() does, past the caches except for a row's ends.
  static void stream_row(const float* from, int count, float* to) {
    const std::uintptr_t beyond = reinterpret_cast<std::uintptr_t>(to) % cache_line;
    const auto ahead = static_cast<int>((cache_line - beyond) % cache_line / sizeof(float));
    int x = std::min(count, ahead);
    std::copy_n(from, x, to);
    for (; x + lanes <= count; x += lanes) hn::Stream(hn::LoadU(d, from + x), d, to + x);
    std::copy_n(from + x, count - x, to + x);
  }

  // Sets to[x] to the sum of plan_.width values from from[x] on.
  template <class Ask>
  void sum_row(const float* from, int count, float* to, const Ask& ask) {
    const int n = plan_.width, steps = pairwise_steps(n);
    const int first = most_slides == 0 ? steps : std::min(steps, most_slides);
    const int size = pairwise_step(n, first - 1).size();
    const int sums = count + n - size;
    float* const firsts = first == steps ? to : row_;
    int made = 0;
    unrolled<1, most_slides + 1>([&](auto k) VIDCONV_LAMBDA {
      if (k == first) made = slide_sums<k>(from, sums, size, firsts, ask);
    });
    ask(count);
    if (made < sums) sum_rest(from + made, sums - made, first, firsts + made);
    for (int i = first; i < steps; ++i) {
      const PairwiseStep step = pairwise_step(n, i);
      add(step, row_, from, count + n - step.size(), i + 1 == steps ? to : row_);
    }
  }

  // Sets to[x] to the sum after the first `steps` steps.
  void sum_rest(const float* from, int count, int steps, float* to) {
    const int size = pairwise_step(plan_.width, steps - 1).size();
    const float* sums = from;
    for (int i = 0; i < steps; ++i) {
      const PairwiseStep step = pairwise_step(plan_.width, i);
      float* const next = i + 1 == steps ? to : rest_;
      add(step, sums, from, count + size - step.size(), next);
      sums = next;
    }
  }

  // Makes one step, from sums to sums in the same place or elsewhere.
  static void add(const PairwiseStep& step, const float* sums, const float* values, int count,
                  float* to) {
    const float* const second = sums + step.half;
    const float* const last = values + 2 * step.half;
    int x = 0;
    if (step.odd)
      for (; x + lanes <= count; x += lanes) {
        const V both = hn::Add(hn::LoadU(d, sums + x), hn::LoadU(d, second + x));
        hn::StoreU(hn::Add(both, hn::LoadU(d, last + x)), d, to + x);
      }
    else
      for (; x + lanes <= count; x += lanes)
        hn::StoreU(hn::Add(hn::LoadU(d, sums + x), hn::LoadU(d, second + x)), d, to + x);
    // Values beyond the last one must not be read.
    for (; x < count; ++x) to[x] = step.sum(sums[x], second[x], step.odd ? last[x] : 0);
  }

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  // Sets to[x] to the sum after the first `steps` steps, of `size` values, for up to `count` of
  // them in whole vectors. Returns how many it made, which leaves out sums that would read beyond
  // the values.
  template <int steps, class Ask>
  int slide_sums(const float* from, int count, int size, float* to, const Ask& ask) const {
    Sum::V32 moved[steps];  // the lanes that are `half` to the right
    PairwiseStep step[steps];
    V before[steps];
    unrolled<0, steps>([&](int k) VIDCONV_LAMBDA {
      step[k] = pairwise_step(plan_.width, k);
      moved[k] = hn::Iota(Sum::D32(), step[k].half);
      before[k] = hn::Zero(d);
    });
    // Step k makes the sums that lie k + 1 vectors before the loaded values; sums of no values are
    // not read.
    const int loads = std::min((count + size - 1) / lanes, count / lanes + steps);
    const auto slide = [&](int at, auto begun) VIDCONV_LAMBDA {
      V sums = hn::LoadU(d, from + at * lanes);
      unrolled<0, steps>([&](int k) VIDCONV_LAMBDA {
        const V lower = before[k];
        before[k] = sums;
        sums = hn::Add(lower, lanes_of(lower, sums, moved[k]));
        if (step[k].odd && (begun || at > k))
          sums = hn::Add(sums, hn::LoadU(d, from + (at - 1 - k) * lanes + 2 * step[k].half));
      });
      if (begun) hn::StoreU(sums, d, to + (at - steps) * lanes);
    };
    constexpr int together = 4;
    int at = 0;
    for (; at < std::min(loads, steps); ++at) slide(at, std::false_type());
    for (; at + together <= loads; at += together) {
      ask((at + together) * lanes);
      unrolled<0, together>([&](int i) VIDCONV_LAMBDA { slide(at + i, std::true_type()); });
    }
    for (; at < loads; ++at) slide(at, std::true_type());
    return std::max(0, loads - steps) * lanes;
  }
#endif

  // Computes the columns from `x` on of `count` output rows.
  template <class T>
  void sum_columns(const float* const* window, int x, T* const* out, int count, int width,
                   bool stream) {
    const int n = plan_.height, steps = pairwise_steps(n);
    const auto value = [&](int j, int u)
                           VIDCONV_LAMBDA { return hn::LoadU(d, window[j] + x + u * lanes); };
    const auto sum = [&](int j, int u)
                         VIDCONV_LAMBDA { return hn::Load(d, columns_ + j * strip + u * lanes); };
    const auto keep = [&](int j, const V(&sums)[vectors]) VIDCONV_LAMBDA {
      unrolled<0, vectors>(
          [&](int u) VIDCONV_LAMBDA { hn::Store(sums[u], d, columns_ + j * strip + u * lanes); });
    };
    const V tap = hn::Set(d, plan_.tap);
    const Finish finish = plan_.finish;
    const auto store = [&](int r, const V(&sums)[vectors]) VIDCONV_LAMBDA {
      const bool in_place = x + strip <= width;
      HWY_ALIGN T codes[strip];
      T* const to = in_place ? out[r] + x : codes;
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
        const V results = finish_lanes<T>(finish, d, hn::Mul(tap, sums[u]));
        if (stream && in_place) return hn::Stream(results, d, to + u * lanes);
        hn::StoreU(results, d, to + u * lanes);
        if (in_place) hwy::Prefetch(to + strip + u * lanes);  // where the next strip writes
      });
      if (!in_place) std::copy_n(codes, std::min(strip, width - x), out[r] + x);
    };
    int i = 0;  // steps that are done
    if (steps < 2) {
      const PairwiseStep step = steps == 0 ? PairwiseStep{0, true} : pairwise_step(n, 0);
      return add_rows(step, count, value, value, store);
    }
    const PairwiseStep second = pairwise_step(n, 1);
    const int sums = count + n - second.size();
    const bool last = steps == 2;
    unrolled<4, 8>([&](auto size) VIDCONV_LAMBDA {
      if (size != second.size()) return;
      if (last)
        add_first_rows<size>(sums, value, store);
      else
        add_first_rows<size>(sums, value, keep);
    });
    for (i = 2; i < steps; ++i) {
      const PairwiseStep step = pairwise_step(n, i);
      if (i + 1 < steps)
        add_rows(step, count + n - step.size(), sum, value, keep);
      else
        add_rows(step, count, sum, value, store);
    }
  }

  // Calls take(j, sums of step.size() from row j on), with sums made of sum(j, u) and value(j, u).
  template <class Sum, class Value, class Take>
  static HWY_INLINE void add_rows(const PairwiseStep& step, int count, const Sum& sum,
                                  const Value& value, const Take& take) {
    for (int j = 0; j < count; ++j) {
      V sums[vectors];
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
        if (step.half == 0) {
          sums[u] = value(j, u);
          return;
        }
        sums[u] = hn::Add(sum(j, u), sum(j + step.half, u));
        if (step.odd) sums[u] = hn::Add(sums[u], value(j + 2 * step.half, u));
      });
      take(j, sums);
    }
  }

  // Makes the first two steps, to sums of `size` (4 to 7), at once: each value is read once.
  template <int size, class Value, class Take>
  static HWY_INLINE void add_first_rows(int count, const Value& value, const Take& take) {
    constexpr int half = size / 2;
    V values[size][vectors], pairs[half + 1][vectors];  // [j + i] follows row j
    const auto add_pair = [&](int u) VIDCONV_LAMBDA {
      pairs[half][u] = hn::Add(values[half][u], values[half + 1][u]);
      if constexpr (half == 3) pairs[half][u] = hn::Add(pairs[half][u], values[half + 2][u]);
    };
    const auto move_up = [&](int u) VIDCONV_LAMBDA {
      unrolled<0, size - 1>([&](int i) VIDCONV_LAMBDA { values[i][u] = values[i + 1][u]; });
      unrolled<0, half>([&](int i) VIDCONV_LAMBDA { pairs[i][u] = pairs[i + 1][u]; });
    };
    for (int j = -half; j < count; ++j) {
      V sums[vectors];
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
        if (j == -half)
          unrolled<half, size>([&](int i) VIDCONV_LAMBDA { values[i][u] = value(i - half, u); });
        else
          values[size - 1][u] = value(j + size - 1, u);
        add_pair(u);
        sums[u] = hn::Add(pairs[0][u], pairs[half][u]);
        if constexpr (size % 2 == 1) sums[u] = hn::Add(sums[u], values[size - 1][u]);
        move_up(u);
      });
      if (j >= 0) take(j, sums);
    }
  }

  const PairwisePlan& plan_;
  const bool stream_;
  HWY_ALIGN float row_[piece + Kernel::max_size];
  HWY_ALIGN float rest_[piece + Kernel::max_size];
  HWY_ALIGN float columns_[(Kernel::max_size + rows) * strip];
};

void run_pairwise(const Plan& plan, const PairwisePlan& pairwise_plan, const Band& band,
                  const WindowLayout& layout, const Windows<float>& windows) {
  note_used_simd(HWY_TARGET);
  PairwiseEngine engine(pairwise_plan,
                        is_large(band.pairs.front().dst, past_caches_from_in_strips));
  run_band<float>(engine, plan, reach_of(plan), band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/band/banded.h"
#include "kernels/cpu/variants.h"

namespace vidconv {
HWY_EXPORT(run_pairwise);

std::optional<PairwisePlan> make_pairwise_plan(const Plan& plan) {
  const Taps& t = plan.terms[0];
  if (!t.pairwise) return std::nullopt;
  PairwisePlan result;
  result.width = t.width;
  result.height = t.height;
  result.left = t.anchor_x;
  result.tap = static_cast<float>(t.column[0]);
  result.finish = plan.finish;
  const int wanted = static_cast<int>(std::bit_ceil(2U * static_cast<unsigned>(t.height)));
  result.rows = std::clamp(wanted, 16, PairwisePlan::most_rows);
  return result;
}

Prepared prepare_cpu_box_f32_pairwise(const Plan& plan, const CudaAbilities&) {
  return prepare_banded<float>(plan, make_pairwise_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_pairwise)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
