// The variant for square boxes of floats on AVX2: eight lines at a time are turned, so that a
// vector is a column of them and sums along lines take no lanes of neighbours, and turned back for
// the sums across lines. Both are made in one go, each once: those that are wanted again wait in
// memory, for the columns to the right in the first-level cache, for the rows below in lines of
// their own.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/turned_box.cpp"
#include "kernels/cpu/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/kept-inl.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/store-inl.h"
#include "kernels/cpu/turn-inl.h"
#include "kernels/cpu/turned_box_plan.h"
#include "kernels/cpu/unroll-inl.h"
#include "kernels/plan/pairwise.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

#undef VIDCONV_HAVE_TURNED_BOX
#define VIDCONV_HAVE_TURNED_BOX (HWY_TARGET == HWY_AVX2)

bool have_turned_box() { return VIDCONV_HAVE_TURNED_BOX; }

#if VIDCONV_HAVE_TURNED_BOX

class TurnedBoxEngine {
 public:
  using Lane = float;
  static constexpr int rows = TurnedBoxPlan::rows;
  static constexpr int offset = 0;

  // For one band, with a window for each component. `stream`: whether results go past the caches.
  TurnedBoxEngine(const TurnedBoxPlan& plan, const WindowLayout& layout,
                  const Windows<Lane>& windows, bool stream)
      : plan_(plan), stream_(stream), kept_(layout, windows, plan.size - 1) {
    for (int k = most_first; k < pairwise_steps(plan.size); ++k, ++rings_) {
      const PairwiseStep step = pairwise_step(plan.size, k);
      along_rings_[rings_] = Ring(step);
      across_rings_[rings_] = Ring(step, (plan.size - 1) * lanes);
    }
  }

  // All parts of some rows come one after another, from left to right.
  void select(int k, int begin) {
    if (k == 0 && begin == 0) ++groups_;
    at_left_ = begin == 0;
    kept_.select(k, begin);
  }

  void make_passes(const Lane*, Lane*, int) const {}

  void make_rows(const Lane* const* window, Lane* const* out, int width, NextRows<rows>& next) {
    const int first = std::min(pairwise_steps(plan_.size), most_first);
    const int head = plan_.size >> (pairwise_steps(plan_.size) - first);
    unrolled<TurnedBoxPlan::least, 1 << (most_first + 1)>([&](auto size) HWY_ATTR {
      if (size != head) return;
      if (rings_ > 0)
        make_rows<size, (size >= 1 << most_first)>(window, out, width, next);
      else
        make_rows<size, false>(window, out, width, next);
    });
  }

 private:
  using D = hn::ScalableTag<float>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = rows;
  static_assert(hn::MaxLanes(d) == lanes);
  // The first steps are unrolled: they add sums that are no more than a group apart. What the
  // others want is kept in rings.
  static constexpr int most_first = 3;
  static constexpr int most_rings = pairwise_steps(Kernel::max_size) - most_first;
  static constexpr int block = 2 * lanes;  // columns that are stored at once, a line of the cache

  // Sums that one step wants again, each of which is replaced by the one that it is wanted with.
  struct Ring {
    Ring() = default;
    // `to_next`: where the next columns' are, from these.
    explicit Ring(const PairwiseStep& step, int to_next = 0)
        : first((step.half - 1) * lanes),
          size((step.half + step.odd) * lanes),
          next(size > far_apart ? to_next : 0),
          odd(step.odd) {}
    // To those of group number `group`.
    void move_to(int group) {
      const auto slot = [&](int i) HWY_ATTR {
        return static_cast<std::uint32_t>(((std::int64_t{group} * lanes + i) * lanes + size) %
                                          size);
      };
      last = slot(-1);
      for (int i = 0; i < lanes; ++i) slots[i] = slot(i);
    }
    // To the next group's.
    HWY_INLINE void move() {
      constexpr hn::ScalableTag<std::uint32_t> d32;
      last = slots[lanes - 1];
      const auto straight = hn::Add(hn::Load(d32, slots), hn::Set(d32, lanes * lanes));
      const auto around = hn::Sub(straight, hn::Set(d32, static_cast<std::uint32_t>(size)));
      hn::Store(hn::Min(straight, around), d32, slots);
    }
    bool is_straight() const { return slots[lanes - 1] > slots[0]; }

    // Processors ask by themselves for what follows more densely.
    static constexpr int far_apart = 20 * lanes;
    int first = 0, size = 0;  // the first one's place, and how many floats there are
    int next = 0;             // 0 where the next ones are not to be asked for
    bool odd = false;
    std::uint32_t last = 0;                     // where the latest sum is
    HWY_ALIGN std::uint32_t slots[lanes] = {};  // where those of a group are
  };

  template <int head, bool more>
  void make_rows(const Lane* const* window, Lane* const* out, int width, NextRows<rows>& next) {
    const int above = plan_.size - 1, before = (above + lanes - 1) / lanes;
    const bool begun = kept_.begun();
    const auto group_of = [&](int group) HWY_ATTR {
      for (int r = 0; r < rows; ++r)  // lines above the window's do not matter
        lines_[r] = window[std::max(0, above + group * rows + r)] + above - plan_.left;
      for (int i = 0; i < rings_; ++i) across_rings_[i].move_to(groups_ + before + group);
    };
    if (!begun)
      for (int group = -before; group < 0; ++group) {
        group_of(group);
        begin_along<head, more>();
        for (int x = 0; x < width; x += lanes)
          add_group<head, more>(x, [](auto, V) VIDCONV_LAMBDA {});
      }
    group_of(0);
    if (at_left_ || !begun) begin_along<head, more>();
    for_blocks<block>(stream_, width, [&](auto way, int begin, int end) HWY_ATTR {
      make_blocks<head, more>(way, out, begin, end, next);
    });
  }

  template <int head, bool more, class Way>
  void make_blocks(Way way, Lane* const* out, int begin, int end, NextRows<rows>& next) {
    const V tap = hn::Set(d, plan_.tap), added = hn::Set(d, plan_.offset);
    HWY_ALIGN float lefts[rows * lanes];
    for (int x = begin; x < end; x += block) {
      next.ask(x + block);
      for (int half = 0; half < 2; ++half)
        add_group<head, more>(x + half * lanes, [&](auto r, V sum) VIDCONV_LAMBDA {
          const V result = hn::Add(hn::Mul(tap, sum), added);
          if (half == 0) return hn::Store(result, d, lefts + r * lanes);
          if (out[r] == nullptr) return;
          const V results[] = {hn::Load(d, lefts + r * lanes), result};
          store_block(way, d, results, out[r], x, end);
        });
    }
  }

  // Before the first column of the lines.
  template <int head, bool more>
  HWY_NOINLINE void begin_along() {
    const int wanted = plan_.size - 1, missing = -wanted & (lanes - 1);
    for (int i = 0; i < rings_; ++i) along_rings_[i].move_to(0);
    // Lines may not be read before their first sample.
    HWY_ALIGN float samples[rows][lanes] = {};
    const float* firsts[rows];
    for (int r = 0; r < rows; ++r) {
      std::copy_n(lines_[r] - wanted, lanes - missing, samples[r] + missing);
      firsts[r] = samples[r];
    }
    add_along<head, more>(firsts, 0, [](auto, V) VIDCONV_LAMBDA {});
    for (int x = lanes - missing - wanted; x < 0; x += lanes)
      add_along<head, more>(lines_, x, [](auto, V) VIDCONV_LAMBDA {});
  }

  // take(i, sums) along all lines that end with column x + i.
  template <int head, bool more, class Take>
  HWY_INLINE void add_along(const float* const* lines, int x, const Take& take) {
    V columns[lanes];
    Turn::load(lines, x, columns);
    add_up<head, more>(columns, along_, along_rings_, take);
    if constexpr (more)
      for (int i = 0; i < rings_; ++i) along_rings_[i].move();
  }

  // take(r, sums) of `size` columns and lines that end with eight columns from x on and line r.
  template <int head, bool more, class Take>
  HWY_INLINE void add_group(int x, const Take& take) {
    V sums[lanes];
    add_along<head, more>(lines_, x, [&](auto i, V sum) VIDCONV_LAMBDA { sums[i] = sum; });
    Turn::turn(sums);
    add_up<head, more>(sums, kept_.of_block(x), across_rings_, take);
  }

  // take(i, sum) of the sums that end with each of eight values; `kept` from those before.
  template <int head, bool more, class Take>
  HWY_INLINE void add_up(const V (&values)[lanes], float* kept, const Ring* rings,
                         const Take& take) const {
    constexpr int steps = pairwise_steps(head);
    V made[steps + 1][lanes], sums[lanes];
    // Value by value, not step by step, or there would not be registers enough.
    unrolled<0, lanes>([&](auto i) VIDCONV_LAMBDA {
      made[0][i] = values[i];
      unrolled<0, steps>([&](auto k) VIDCONV_LAMBDA {
        constexpr PairwiseStep step = pairwise_step(head, k);
        constexpr int far = step.half + step.odd;
        static_assert(far <= lanes);
        float* const old = kept + (step.half - 1) * lanes;
        V first, second;
        if constexpr (i < far)
          first = hn::Load(d, old + i * lanes);
        else
          first = made[k][i - far];
        if constexpr (!step.odd)
          second = made[k][i];
        else if constexpr (i == 0)
          second = hn::Load(d, old + (far - 1) * lanes);
        else
          second = made[k][i - 1];
        if constexpr (i >= lanes - far) hn::Store(made[k][i], d, old + (i - (lanes - far)) * lanes);
        made[k + 1][i] = hn::Add(first, second);
        if constexpr (step.odd) made[k + 1][i] = hn::Add(made[k + 1][i], values[i]);
      });
      if constexpr (more)
        sums[i] = made[steps][i];
      else
        take(i, made[steps][i]);
    });
    if constexpr (more) {
      add_rings(values, kept, rings, sums);
      unrolled<0, lanes>([&](auto i) VIDCONV_LAMBDA { take(i, sums[i]); });
    }
  }

  // The steps after the first ones: each takes `sums` to larger ones.
  HWY_INLINE void add_rings(const V (&values)[lanes], float* kept, const Ring* rings,
                            V (&sums)[lanes]) const {
    for (const Ring* ring = rings; ring != rings + rings_; ++ring) {
      float* const at = kept + ring->first;
      if (ring->next != 0)
        unrolled<0, lanes / 2>([&](auto i) VIDCONV_LAMBDA {
          hwy::Prefetch(at + ring->slots[2 * i + 1] + ring->next);
        });
      const V before = hn::Load(d, at + ring->last);
      const auto add = [&](auto odd, auto straight) VIDCONV_LAMBDA {
        float* const begin = at + ring->slots[0];
        unrolled<0, lanes>([&](auto up) VIDCONV_LAMBDA {
          constexpr int i = lanes - 1 - up;
          float* const slot = straight ? begin + i * lanes : at + ring->slots[i];
          const V first = hn::Load(d, slot);
          hn::Store(sums[i], d, slot);
          if constexpr (!odd)
            sums[i] = hn::Add(first, sums[i]);
          else if constexpr (i == 0)
            sums[i] = hn::Add(hn::Add(first, before), values[0]);
          else
            sums[i] = hn::Add(hn::Add(first, sums[i - 1]), values[i]);
        });
      };
      const auto add_where = [&](auto odd) VIDCONV_LAMBDA {
        if (ring->is_straight())
          add(odd, std::true_type());
        else
          add(odd, std::false_type());
      };
      if (ring->odd)
        add_where(std::true_type());
      else
        add_where(std::false_type());
    }
  }

  const TurnedBoxPlan& plan_;
  const bool stream_;
  KeptSums<Lane> kept_;   // across lines, of all steps
  bool at_left_ = false;  // what is selected begins with column 0
  int groups_ = 0;        // of rows
  int rings_ = 0;
  Ring along_rings_[most_rings], across_rings_[most_rings];
  const float* lines_[rows];  // of the group of rows, from the last sample under the first column
  HWY_ALIGN float along_[(Kernel::max_size - 1) * lanes];  // sums along lines that are kept
};

#endif

void run_turned_box([[maybe_unused]] const Plan& plan,
                    [[maybe_unused]] const TurnedBoxPlan& box_plan,
                    [[maybe_unused]] const Band& band, [[maybe_unused]] const WindowLayout& layout,
                    [[maybe_unused]] const Windows<float>& windows) {
  note_used_simd(HWY_TARGET);
#if VIDCONV_HAVE_TURNED_BOX
  TurnedBoxEngine engine(box_plan, layout, windows, goes_past_caches(band.pairs.front().dst));
  run_band<float>(engine, plan, reach_of(plan), band, layout, windows);
#endif
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/banded.h"
#include "kernels/cpu/cpu.h"

namespace vidconv {
HWY_EXPORT(have_turned_box);
HWY_EXPORT(run_turned_box);

std::optional<TurnedBoxPlan> make_turned_box_plan(const Plan& plan) {
  const Taps& taps = plan.terms.front();
  if (!taps.pairwise || taps.width != taps.height || taps.width < TurnedBoxPlan::least)
    return std::nullopt;
  if (plan.finish.absolute) return std::nullopt;
  return TurnedBoxPlan{.size = taps.width,
                       .left = taps.anchor_x,
                       .tap = static_cast<float>(taps.column.front()),
                       .offset = static_cast<float>(plan.finish.real_offset),
                       .scratch = taps.width - 1};
}

Prepared prepare_cpu_turned_box(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS) || !HWY_DYNAMIC_DISPATCH(have_turned_box)()) return nullptr;
  return prepare_banded<float>(plan, make_turned_box_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_turned_box)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
