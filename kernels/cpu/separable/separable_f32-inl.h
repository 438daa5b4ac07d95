// The variant for short passes over 16-bit or float samples, in floats, and for 3x3 matrices of
// floats: both passes at once, without a line between them, and 16-bit samples converted where they
// are multiplied. A line's sums are added to all output rows that want them while they are in
// registers; the sums of rows that also want lines below are kept. Compiled once for each
// instruction set.
#if defined(VIDCONV_CPU_FUSED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_FUSED_INL_H
#undef VIDCONV_CPU_FUSED_INL_H
#else
#define VIDCONV_CPU_FUSED_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/cpu/band/band-inl.h"
#include "kernels/cpu/band/column_sums-inl.h"
#include "kernels/cpu/separable/separable_f32_plan.h"
#include "kernels/cpu/separable/separable_samples-inl.h"
#include "kernels/cpu/simd/arithmetic-inl.h"
#include "kernels/cpu/simd/arithmetic_store-inl.h"
#include "kernels/cpu/simd/finish-inl.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// Other instruction sets have fewer or shorter registers and were not tried.
#undef VIDCONV_HAVE_FUSED
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define VIDCONV_HAVE_FUSED 1
#else
#define VIDCONV_HAVE_FUSED 0
#endif

inline bool have_fused() { return VIDCONV_HAVE_FUSED; }

#if VIDCONV_HAVE_FUSED

// LaneType is the sample type.
template <class LaneType>
class SeparableF32Engine {
 public:
  using Lane = LaneType;
  static constexpr int rows = SeparableF32Plan::rows;
  static constexpr int offset = 0;

  // Runs one band, with a window for each component. `stream`: whether results go past the caches.
  SeparableF32Engine(const SeparableF32Plan& plan, const WindowLayout& layout,
                     const Windows<Lane>& windows, bool stream)
      : plan_(plan), stream_(stream), kept_(layout, windows, plan.size - 1) {}

  void select(int k, int begin) { kept_.select(k, begin); }

  void make_passes(const Lane*, Lane*, int) const {}

  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    if constexpr (!is_codes) {
      if (plan_.is_matrix) return make_rows<Matrix>(window, out, width, next);
      if (plan_.size == 5 && plan_.tap)
        return make_rows<TwoPassesAndTap<5>>(window, out, width, next);
    }
    if (plan_.size == 3) return make_rows<TwoPasses<3>>(window, out, width, next);
    if (plan_.size == 5) return make_rows<TwoPasses<5>>(window, out, width, next);
    if (plan_.tap) return make_rows<TwoPassesAndTap<7>>(window, out, width, next);
    make_rows<TwoPasses<7>>(window, out, width, next);
  }

 private:
  using D = hn::ScalableTag<float>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  static constexpr bool is_codes = !std::is_same_v<Lane, float>;
  // AVX2 has 16 registers, not 32: lines are added to one vector of the sums after the other, and
  // the next rows are asked for while lines are read, without branches that would break up what is
  // in registers.
  static constexpr bool has_few_registers = HWY_TARGET == HWY_AVX2;

  // Each class below makes sums of a line and adds them to the output rows that want it:
  //   vectors      in a block
  //   together     lines that are read before any is added: results past the caches come in
  //                bursts, which memory takes faster, but there have to be registers
  //   read(from, line)     reads a line; `from` is the sample under the first tap of the block's
  //                first column
  //   add<i, u, end>(line, sums)  adds vectors u up to `end` to the sums of the row that has the
  //                line under its row i of taps
  //   complete(from, sums) adds to a row's sums at last; `from` is as for read(), on the line under
  //                the centre
  //
  // As in GenericSums, the first product is not added to 0.
  //
  // TwoPasses makes sums along the line, then by the taps of a column.
  template <int taps>
  class TwoPasses {
   public:
    static constexpr int size = taps;
    // With three taps there are registers for more, and one vector more is loaded.
    static constexpr int vectors = size == 3 && is_codes ? 4 : 2;
    // With few registers, lines' sums go by way of memory, except those of three taps of floats.
    static constexpr int together = has_few_registers ? (size > 3 || is_codes ? rows : 2)
                                    : size == 5       ? 4
                                                      : 2;
    struct Line {
      HWY_INLINE Line() {}  // GCC's own is not for this target

      V sums[vectors];
    };

    explicit HWY_INLINE TwoPasses(const SeparableF32Plan& plan) {
      unrolled<0, size>([&](auto i) VIDCONV_LAMBDA {
        row_[i] = hn::Set(d, plan.row[i]);
        column_[i] = hn::Set(d, plan.column[i]);
      });
    }
    HWY_INLINE void read(const Lane* from, Line& line) const {
      // With three taps of floats, vectors are loaded where blocks begin, so that none crosses a
      // cache line; with more there are no registers for one vector more.
      constexpr bool aligned = size == 3 && !is_codes;
      const SeparableSamples<Lane, size, vectors, aligned> samples(from);
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
        unrolled<0, size>([&](auto i) VIDCONV_LAMBDA {
          const V at = samples.template at<u, i>();
          line.sums[u] = i == 0 ? hn::Mul(row_[0], at) : multiply_add(d, row_[i], at, line.sums[u]);
        });
      });
    }
    template <int i, int begin, int end>
    HWY_INLINE void add(const Line& line, V (&sums)[vectors]) const {
      unrolled<begin, end>([&](int u) VIDCONV_LAMBDA {
        sums[u] = i == 0 ? hn::Mul(column_[0], line.sums[u])
                         : multiply_add(d, column_[i], line.sums[u], sums[u]);
      });
    }
    HWY_INLINE void complete(const Lane*, V (&)[vectors]) const {}

   private:
    V row_[size], column_[size];
  };

  // Two passes, and the product of the sample at the centre.
  template <int taps>
  class TwoPassesAndTap : public TwoPasses<taps> {
   public:
    using TwoPasses<taps>::size;
    using TwoPasses<taps>::vectors;

    explicit HWY_INLINE TwoPassesAndTap(const SeparableF32Plan& plan)
        : TwoPasses<taps>(plan), tap_(hn::Set(d, *plan.tap)) {}
    HWY_INLINE void complete(const Lane* from, V (&sums)[vectors]) const {
      const SeparableSamples<Lane, size, vectors, false> samples(from);
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
        sums[u] = hn::Add(sums[u], hn::Mul(tap_, samples.template at<u, size / 2>()));
      });
    }

   private:
    V tap_;
  };

  // A matrix of 3x3: the products of each row are added up before they are added to the sum.
  class Matrix {
   public:
    static constexpr int size = 3, vectors = 2, together = has_few_registers ? 1 : 2;
    struct Line {
      HWY_INLINE Line() {}  // GCC's own is not for this target

      V samples[size][vectors];
    };

    explicit HWY_INLINE Matrix(const SeparableF32Plan& plan) {
      unrolled<0, size * size>([&](auto i)
                                   VIDCONV_LAMBDA { taps_[i] = hn::Set(d, plan.matrix[i]); });
    }
    HWY_INLINE void read(const Lane* from, Line& line) const {
      const SeparableSamples<Lane, size, vectors, true> samples(from);
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
        unrolled<0, size>([&](auto i) VIDCONV_LAMBDA {  //
          line.samples[i][u] = samples.template at<u, i>();
        });
      });
    }
    template <int i, int begin, int end>
    HWY_INLINE void add(const Line& line, V (&sums)[vectors]) const {
      unrolled<begin, end>([&](int u) VIDCONV_LAMBDA {
        V products = hn::Mul(taps_[i * size], line.samples[0][u]);
        unrolled<1, size>([&](int x) VIDCONV_LAMBDA {
          products = multiply_add(d, taps_[i * size + x], line.samples[x][u], products);
        });
        sums[u] = i == 0 ? products : hn::Add(sums[u], products);
      });
    }
    HWY_INLINE void complete(const Lane*, V (&)[vectors]) const {}

   private:
    V taps_[size * size];
  };

  template <class Taps>
  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    constexpr int size = Taps::size, block = Taps::vectors * lanes;
    static_assert(block <= WindowLayout::block);
    const Lane* lines[rows + size - 1];
    for (int line = 0; line < rows + size - 1; ++line)
      lines[line] = window[plan_.top + line] - plan_.left;
    if (!kept_.begun())
      for (int x = 0; x < width; x += block) begin_sums<Taps>(lines, x);
    const Lane* const* const lowest = lines + size - 1;  // the lowest line of each output row
    using Plain = std::conditional_t<is_codes, PlainCodes<D>, PlainFloats<D>>;
    const Plain plain(plan_.finish);
    for_blocks<block>(stream_, width, [&](StoreWay way, int begin, int end) HWY_ATTR {
      if (plain.serves()) return make_blocks<Taps>(way, plain, lowest, out, begin, end, next);
      make_blocks<Taps>(way, plan_.finish, lowest, out, begin, end, next);
    });
  }

  // `last_step` is as store_lanes() takes it. lines[r] is the lowest line of output row r.
  template <class Taps, class Last>
  void make_blocks(StoreWay way, const Last& last_step, const Lane* const* lines, Lane* const* out,
                   int begin, int end, NextRows<rows>& next) const {
    constexpr int vectors = Taps::vectors, block = vectors * lanes;
    const Last last = last_step;  // a copy of its own stays in registers
    const int shift = plan_.shift;
    const Taps taps(plan_);
    for (int x = begin; x < end; x += block) {
      const auto asked = next.columns(x + block);
      add_lines<rows, false>(
          taps, lines, x,
          [&](int r) VIDCONV_LAMBDA {
            if constexpr (has_few_registers) asked.ask_first(r);
          },
          [&](int r, V(&sums)[vectors]) VIDCONV_LAMBDA {
            if constexpr (!has_few_registers) asked.ask(r);
            taps.complete(lines[r - Taps::size / 2] + x, sums);
            if (out[r] != nullptr) store_fused(way, d, last, sums, shift, out[r], x, end);
          });
    }
  }

  // Begins the sums with the lines above the first row's lowest one.
  template <class Taps>
  HWY_NOINLINE void begin_sums(const Lane* const* lines, int x) const {
    const Taps taps(plan_);
    add_lines<Taps::size - 1, true>(
        taps, lines, x, [](auto) VIDCONV_LAMBDA {}, [](auto, const auto&) VIDCONV_LAMBDA {});
  }

  // Adds `count` lines, one below the other, to the kept sums of the output rows that end with one
  // of the first size - 1 of them, or to none where they are `first`. Calls has_read(line), and
  // take(line, sums) for the row that ends with each line.
  template <int count, bool first, class Taps, class HasRead, class Take>
  HWY_INLINE void add_lines(const Taps& taps, const Lane* const* lines, int x,
                            const HasRead& has_read, const Take& take) const {
    constexpr int size = Taps::size, vectors = Taps::vectors, together = Taps::together;
    // How many lines are added to how many vectors of the sums at a time.
    constexpr int at_once = has_few_registers ? together : 1;
    constexpr int part = has_few_registers ? 1 : vectors;
    float* const kept = kept_.of_block(x);
    V sums[count + size - 1][vectors];  // [r]: sums of the output row that ends with line r
    const auto each_kept = [&](const auto& f) VIDCONV_LAMBDA {
      unrolled<0, (size - 1) * vectors>([&](auto i) VIDCONV_LAMBDA {
        f(std::integral_constant<int, i / vectors>(), std::integral_constant<int, i % vectors>(),
          kept + i * lanes);
      });
    };
    if constexpr (!first)
      each_kept([&](int r, auto u, const float* from)
                    VIDCONV_LAMBDA { sums[r][u] = hn::Load(d, from); });
    typename Taps::Line read[together];
    unrolled<0, count>([&](auto line) VIDCONV_LAMBDA {
      if constexpr (line % together == 0)
        unrolled<0, std::min(together, count - line)>([&](auto i) VIDCONV_LAMBDA {
          taps.read(lines[line + i] + x, read[i]);
          has_read(std::integral_constant<int, line + i>());
        });
      if constexpr (line % at_once == 0)
        unrolled<0, vectors / part>([&](auto u) VIDCONV_LAMBDA {
          unrolled<line, std::min(line + at_once, count)>([&](auto l) VIDCONV_LAMBDA {
            unrolled<0, first ? std::min(l + 1, size) : size>([&](auto i) VIDCONV_LAMBDA {
              taps.template add<i, u * part, (u + 1) * part>(read[l % together],
                                                             sums[l + size - 1 - i]);
            });
          });
        });
      if constexpr (!first) take(line, sums[line]);
    });
    each_kept([&](int r, auto u, float* to)
                  VIDCONV_LAMBDA { hn::Store(sums[count + r][u], d, to); });
  }

  const SeparableF32Plan& plan_;
  const bool stream_;
  ColumnSums<Lane> kept_;  // sums of the output rows below, one for each tap but one
};

#endif

template <class Lane>
void run_fused([[maybe_unused]] const Plan& plan,
               [[maybe_unused]] const SeparableF32Plan& fused_plan,
               [[maybe_unused]] const Band& band, [[maybe_unused]] const WindowLayout& layout,
               [[maybe_unused]] const Windows<Lane>& windows) {
  note_used_simd(HWY_TARGET);
#if VIDCONV_HAVE_FUSED
  SeparableF32Engine<Lane> engine(fused_plan, layout, windows,
                                  goes_past_caches(band.pairs.front().dst));
  run_band<Lane>(engine, plan, reach_of(plan), band, layout, windows);
#endif
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
