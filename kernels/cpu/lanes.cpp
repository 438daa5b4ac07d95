// The variant for every plan: each lane computes one output sample in the plan's own arithmetic, in
// the reference's order.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/lanes.cpp"
#include "kernels/cpu/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/finish-inl.h"
#include "kernels/cpu/lane-inl.h"
#include "kernels/cpu/lanes_plan.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/store-inl.h"
#include "kernels/cpu/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

template <class LaneType>
class LanesEngine {
 public:
  using Lane = LaneType;
  static constexpr int rows = LanesPlan<Lane>::rows;
  static constexpr int offset = 0;

  // `stream`: whether results go past the caches.
  LanesEngine(const LanesPlan<Lane>& plan, const WindowLayout& layout, bool stream)
      : plan_(plan), layout_(layout), stream_(stream) {}

  void make_passes(const Lane* source, Lane* pass, int width) const {
    if (plan_.passes() == 0) return;
    for (const LanesTerm<Lane>& term : plan_.terms) {
      if (!term.two_passes()) continue;
      make_pass(term, source, pass, width);
      pass += layout_.line;
    }
  }

  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    const bool single = plan_.single();
    if constexpr (HWY_NATIVE_FMA && std::is_same_v<Lane, float> && sizeof(T) > 1) {
      if (single && !plan_.terms.front().two_passes()) {
        const LanesTerm<Lane>& term = plan_.terms.front();
        const int size = term.width == term.height ? term.width : 0;
        if (size == 3) return make_rows<3, Terms::dense>(window, out, width, next);
        if (size == 5) return make_rows<5, Terms::dense>(window, out, width, next);
        if (size == 7) return make_rows<7, Terms::dense>(window, out, width, next);
        if (size == 9) return make_rows<9, Terms::dense>(window, out, width, next);
        if constexpr (sizeof(V) == 64) {  // only there has it been seen to be faster
          if (size == 11) return make_rows<11, Terms::dense>(window, out, width, next);
          if (size == 15) return make_rows<15, Terms::dense>(window, out, width, next);
          if (size == 17) return make_rows<17, Terms::dense>(window, out, width, next);
        }
        return make_rows<0, Terms::dense>(window, out, width, next);
      }
      if (plan_.size == 3 && single)
        return make_rows<3, Terms::separable>(window, out, width, next);
      if (plan_.size == 3 && plan_.pair())
        return make_rows<3, Terms::pair>(window, out, width, next);
      if (plan_.size == 3) return make_rows<3, Terms::any>(window, out, width, next);
      if (plan_.size == 5 && single)
        return make_rows<5, Terms::separable>(window, out, width, next);
      if (single) return make_rows<0, Terms::separable>(window, out, width, next);
    }
    make_rows<0, Terms::any>(window, out, width, next);
  }

 private:
  using D = hn::ScalableTag<Lane>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  // One term of one or of two passes whose sums are results, as LanesPlan::pair() says, or any.
  enum class Terms : std::uint8_t { dense, separable, pair, any };
  // Whether a matrix of that size is unrolled as a whole.
  static constexpr bool is_small(int size) { return size == 3 || size == 5; }
  // In a block. Where there are registers for three, a matrix's taps are loaded less often, and
  // multiply-adds alone take the time; small ones have few taps.
  template <int size, Terms terms>
  static constexpr int vectors_of = sizeof(V) == 64 && terms == Terms::dense && !is_small(size) ? 3
                                                                                                : 2;
  static constexpr int pass_vectors = 4;
  static_assert(pass_vectors * lanes <= WindowLayout::block);
  // Output rows whose sums are made together: of AVX2 all, because four chains of multiply-adds do
  // not keep it busy; what there are no registers for is sums of lines.
  static constexpr int group = sizeof(V) == 64 || HWY_TARGET == HWY_AVX2 ? rows : rows / 2;
  template <int vectors>
  using Sums = V[group][vectors];

  // `size`: as in LanesPlan, or 0 where it is not to be known when compiling.
  template <int size, Terms terms, class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    constexpr int vectors = vectors_of<size, terms>, block = vectors * lanes;
    const Finish finish = plan_.finish;  // here, it is in registers
    const PlainCodes<D> plain(finish);
    for (int x = 0; x < width; x += block) {
      next.ask(x + block);
      const StoreWay way = store_way(stream_, x + block <= width);
      for (int g = 0; g < rows; g += group) {
        Sums<vectors> results;
        if constexpr (terms == Terms::pair)
          make_pairs<size>(finish, window + g, x, results);
        else if constexpr (size == 0 && terms != Terms::separable)
          make_group_apart<size, terms>(finish, window + g, x, results);
        else
          make_group<size, terms>(finish, window + g, x, results);
        unrolled<0, group>([&](auto r) VIDCONV_LAMBDA {
          T* const to = out[g + r];
          if (to == nullptr) return;
          if constexpr (terms <= Terms::separable && sizeof(T) == 2) {
            if (plain.serves()) return store(way, plain, results[r], x, to, width);
          }
          store(way, finish, results[r], x, to, width);
        });
      }
    }
  }

  // Apart from the type of the samples, for which compilers would make it again, and from what the
  // last step keeps in registers.
  template <int size, Terms terms, int vectors>
  HWY_NOINLINE void make_group_apart(const Finish& finish, const Lane* const* window, int x,
                                     V (&folded)[group][vectors]) const {
    make_group<size, terms>(finish, window, x, folded);
  }

  template <int size, Terms terms, int vectors>
  HWY_INLINE void make_group(const Finish& finish, const Lane* const* window, int x,
                             V (&folded)[group][vectors]) const {
    std::ptrdiff_t pass = x + (plan_.any_dense() ? layout_.line : 0);
    if constexpr (terms != Terms::any) {
      add_term<size, terms>(plan_.terms.front(), window, x, pass, folded);
    } else {
      Sums<vectors> response;
      bool begun = false;
      for (const LanesTerm<Lane>& term : plan_.terms) {
        Sums<vectors> sums;
        add_term<size, terms>(term, window, x, pass, sums);
        if (term.two_passes()) pass += layout_.line;
        each<vectors>([&](auto r, auto u) VIDCONV_LAMBDA {
          response[r][u] = term.joins ? hn::Add(response[r][u], sums[r][u]) : sums[r][u];
        });
        if (!term.last) continue;
        each<vectors>([&](auto r, auto u) VIDCONV_LAMBDA {
          folded[r][u] = fold(finish, d, !begun, folded[r][u], response[r][u]);
        });
        begun = true;
      }
    }
  }

  // As make_group() where LanesPlan::pair(): samples are loaded once for both kernels.
  template <int size, int vectors>
  HWY_INLINE void make_pairs(const Finish& finish, const Lane* const* window, int x,
                             V (&folded)[group][vectors]) const {
    const LanesTerm<Lane>* terms = plan_.terms.data();
    const Lane* const* lines = window + terms[0].top;
    unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
      V sums[2][group];
      unrolled<0, group>([&](auto r) VIDCONV_LAMBDA { sums[0][r] = sums[1][r] = hn::Zero(d); });
      unrolled<0, group + size - 1>([&](auto line) VIDCONV_LAMBDA {
        const Lane* from = lines[line] + x - terms[0].left + u * lanes;
        V samples[size];
        unrolled<0, size>([&](auto i) VIDCONV_LAMBDA { samples[i] = hn::LoadU(d, from + i); });
        unrolled<std::max(0, line + 1 - size), std::min(group, line + 1)>(
            [&](auto r) VIDCONV_LAMBDA {
              unrolled<0, 2>([&](auto k) VIDCONV_LAMBDA {
                const Lane* row = terms[k].dense.data() + (line - r) * size;
                V products = hn::Zero(d);
                unrolled<0, size>([&](auto i) VIDCONV_LAMBDA {
                  products = multiply_add(d, hn::Set(d, row[i]), samples[i], products);
                });
                sums[k][r] = hn::Add(sums[k][r], products);
              });
            });
      });
      unrolled<0, group>([&](auto r) VIDCONV_LAMBDA {
        const V first = fold(finish, d, true, sums[0][r], sums[0][r]);
        folded[r][u] = fold(finish, d, false, first, sums[1][r]);
      });
    });
  }

  template <int size, Terms terms, int vectors>
  HWY_INLINE void add_term(const LanesTerm<Lane>& term, const Lane* const* window, int x,
                           std::ptrdiff_t pass, V (&sums)[group][vectors]) const {
    const Lane* const* top = window + term.top;
    constexpr bool all_dense = terms == Terms::dense;
    if constexpr (all_dense && is_small(size))
      return add_small<size>(term.dense.data(), top, x - term.left, sums);
    else if constexpr (terms == Terms::separable && size > 0)
      return add_both_passes<size>(term, top, x - term.left, sums);
    each<vectors>([&](auto r, auto u) VIDCONV_LAMBDA { sums[r][u] = hn::Zero(d); });
    const int width = size == 0 ? term.width : size, height = size == 0 ? term.height : size;
    if (all_dense || (terms != Terms::separable && !term.two_passes())) {
      add_lines<all_dense * size, true>(term.dense.data(), width, height, top, x - term.left, sums);
      return;
    }
    if constexpr (!all_dense) {
      if constexpr (size > 0)
        add_both_passes<size>(term, top, x - term.left, sums);
      else if (plan_.size > 0)
        add_both_passes(term, top, x - term.left, sums);
      else
        add_columns(term, top, pass, sums);
    }
  }

  // A column pass: there is code for heights that are common.
  template <int vectors>
  static HWY_INLINE void add_columns(const LanesTerm<Lane>& term, const Lane* const* lines,
                                     std::ptrdiff_t at, V (&sums)[group][vectors]) {
    const Lane* taps = term.column.data();
    if constexpr (HWY_NATIVE_FMA && std::is_same_v<Lane, float>) {
      if (term.height == 5) return add_columns<5>(taps, lines, at, sums);
      if (term.height == 9) return add_columns<9>(taps, lines, at, sums);
      if (term.height == 17) return add_columns<17>(taps, lines, at, sums);
    }
    add_lines<0, false>(taps, 1, term.height, lines, at, sums);
  }

  template <int height, int vectors>
  static HWY_INLINE void add_columns(const Lane* taps, const Lane* const* lines, std::ptrdiff_t at,
                                     V (&sums)[group][vectors]) {
    unrolled<0, group + height - 1>([&](auto line) VIDCONV_LAMBDA {
      V samples[vectors];
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {  //
        samples[u] = hn::LoadU(d, lines[line] + at + u * lanes);
      });
      unrolled<std::max(0, line + 1 - height), std::min(group, line + 1)>(
          [&](auto r) VIDCONV_LAMBDA {
            const V tap = hn::Set(d, taps[line - r]);
            unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
              sums[r][u] = multiply_add(d, tap, samples[u], sums[r][u]);
            });
          });
    });
  }

  // Both passes at once, for so few taps that a line between them would cost more than what
  // several output rows have in common.
  template <int vectors>
  static void add_both_passes(const LanesTerm<Lane>& term, const Lane* const* lines,
                              std::ptrdiff_t at, V (&sums)[group][vectors]) {
    for (int line = 0; line < group + term.height - 1; ++line) {
      V between[vectors];
      for (int u = 0; u < vectors; ++u) {
        between[u] = hn::Zero(d);
        const Lane* from = lines[line] + at + u * lanes;
        for (Lane tap : term.row)
          between[u] = multiply_add(d, hn::Set(d, tap), hn::LoadU(d, from++), between[u]);
      }
      for (int r = std::max(0, line + 1 - term.height); r < std::min(group, line + 1); ++r) {
        const V tap = hn::Set(d, term.column[static_cast<std::size_t>(line - r)]);
        for (int u = 0; u < vectors; ++u) sums[r][u] = multiply_add(d, tap, between[u], sums[r][u]);
      }
    }
  }

  // The same for a size that is known when compiling, whose sums begin here. The first product of
  // a sum is not added to 0: that changes nothing but the sign of a sum that is 0, which the last
  // step's addition of an offset does away with.
  template <int size, int vectors>
  static HWY_INLINE void add_both_passes(const LanesTerm<Lane>& term, const Lane* const* lines,
                                         std::ptrdiff_t at, V (&sums)[group][vectors]) {
    const Lane* row = term.row.data();
    const Lane* column = term.column.data();
    unrolled<0, group + size - 1>([&](auto line) VIDCONV_LAMBDA {
      V between[vectors];
      add_row<size, true>(row, lines[line] + at, between);
      constexpr int first = std::max(0, line + 1 - size), last = std::min(group, line + 1);
      unrolled<first, last>([&](auto r) VIDCONV_LAMBDA {
        const V tap = hn::Set(d, column[line - r]);
        unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
          if constexpr (line == r)
            sums[r][u] = hn::Mul(tap, between[u]);
          else
            sums[r][u] = multiply_add(d, tap, between[u], sums[r][u]);
        });
      });
    });
  }

  // products[u] = what `size` taps make of the samples from `from` on.
  template <int size, bool all_moved, int vectors>
  static HWY_INLINE void add_row(const Lane* taps, const Lane* from, V (&products)[vectors]) {
    const MovedBy<Lane, vectors, all_moved, size / 2> moved(from);
    unrolled<0, size>([&](auto i) VIDCONV_LAMBDA {
      const V tap = hn::Set(d, taps[i]);
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
        const V samples = moved.template at<u, i>(from);
        if constexpr (i == 0)
          products[u] = hn::Mul(tap, samples);
        else
          products[u] = multiply_add(d, tap, samples, products[u]);
      });
    });
  }

  // A matrix of a size that is known when compiling, whose sums begin here as well.
  template <int size, int vectors>
  static HWY_INLINE void add_small(const Lane* taps, const Lane* const* lines, std::ptrdiff_t at,
                                   V (&sums)[group][vectors]) {
    unrolled<0, group + size - 1>([&](auto line) VIDCONV_LAMBDA {
      constexpr int begin = std::max(0, line + 1 - size), end = std::min(group, line + 1);
      const Lane* from = lines[line] + at;
      const MovedBy<Lane, vectors, size == 3, size / 2> moved(from);
      Sums<vectors> products;
      unrolled<0, size>([&](auto i) VIDCONV_LAMBDA {
        V samples[vectors];
        unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {  //
          samples[u] = moved.template at<u, i>(from);
        });
        unrolled<begin, end>([&](auto r) VIDCONV_LAMBDA {
          const V tap = hn::Set(d, taps[(line - r) * size + i]);
          unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
            if constexpr (i == 0)
              products[r][u] = hn::Mul(tap, samples[u]);
            else
              products[r][u] = multiply_add(d, tap, samples[u], products[r][u]);
          });
        });
      });
      each<vectors, begin, end>([&](auto r, auto u) VIDCONV_LAMBDA {
        if constexpr (line == r)
          sums[r][u] = products[r][u];
        else
          sums[r][u] = hn::Add(sums[r][u], products[r][u]);
      });
    });
  }

  // Adds `height` rows of `width` taps to the sums of the output rows, the first of which has the
  // window's row lines[0] under the first row of taps. `apart`: a row's products are added up
  // before they are added to the sum. `size`: the width, or 0 where it is not to be known when
  // compiling.
  template <int size, bool apart, int vectors>
  static HWY_INLINE void add_lines(const Lane* taps, int width, int height,
                                   const Lane* const* lines, std::ptrdiff_t at,
                                   V (&sums)[group][vectors]) {
    if (height < group - 1) {
      for (int line = 0; line < height + group - 1; ++line)
        unrolled<0, group>([&](auto r) VIDCONV_LAMBDA {
          if (line >= r && line - r < height)
            add_line<size, apart, r, r + 1>(taps, width, lines, line, at, sums);
        });
      return;
    }
    // Lines that serve the first output rows only, lines that serve all, and the last ones.
    unrolled<1, group>([&](auto r) VIDCONV_LAMBDA {
      add_line<size, apart, 0, r>(taps, width, lines, r - 1, at, sums);
    });
    for (int line = group - 1; line < height; ++line)
      add_line<size, apart, 0, group>(taps, width, lines, line, at, sums);
    unrolled<1, group>([&](auto r) VIDCONV_LAMBDA {
      add_line<size, apart, r, group>(taps, width, lines, height - 1 + r, at, sums);
    });
  }

  // For the output rows from `begin` up to `end`.
  template <int size, bool apart, int begin, int end, int vectors>
  static HWY_INLINE void add_line(const Lane* taps, int width, const Lane* const* lines, int line,
                                  std::ptrdiff_t at, V (&sums)[group][vectors]) {
    const Lane* row = taps + std::ptrdiff_t{line} * width;  // of the first output row
    const Lane* from = lines[line] + at;
    Sums<vectors> products;
    each<vectors, begin, end>([&](auto r, auto u) VIDCONV_LAMBDA {  //
      products[r][u] = apart ? hn::Zero(d) : sums[r][u];
    });
    const auto add_tap = [&](int i, const V(&samples)[vectors]) VIDCONV_LAMBDA {
      unrolled<begin, end>([&](auto r) VIDCONV_LAMBDA {
        const V tap = hn::Set(d, row[i - r * std::ptrdiff_t{width}]);
        unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {  //
          products[r][u] = multiply_add(d, tap, samples[u], products[r][u]);
        });
      });
    };
    V samples[vectors];
    if constexpr (size > 0) {
      const MovedBy<Lane, vectors, false> moved(from);
      unrolled<0, size>([&](auto i) VIDCONV_LAMBDA {
        unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {  //
          samples[u] = moved.template at<u, i>(from);
        });
        add_tap(i, samples);
      });
    } else {
      using Samples = Moved<Lane, vectors>;
      const int most = Samples::in_registers ? lanes : width;
      for (int i = 0; i < width;) {
        Samples moved(from + i);
        for (const int stop = std::min(width, i + most); i < stop; ++i) {
          unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {  //
            samples[u] = moved.template at<u>(from + i);
          });
          add_tap(i, samples);
          moved.next();
        }
      }
    }
    each<vectors, begin, end>([&](auto r, auto u) VIDCONV_LAMBDA {  //
      sums[r][u] = apart ? hn::Add(sums[r][u], products[r][u]) : products[r][u];
    });
  }

  // Calls f(row, vector) for each of a group.
  template <int vectors, int begin = 0, int end = group, class F>
  static HWY_INLINE void each(const F& f) {
    unrolled<begin, end>([&](auto r) VIDCONV_LAMBDA {  //
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA { f(r, u); });
    });
  }

  // `finish`: a Finish, or what serves for it.
  template <class T, class F, int vectors>
  HWY_INLINE void store(StoreWay way, const F& finish, const V (&folded)[vectors], int x, T* out,
                        int width) const {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    if constexpr (std::is_same_v<F, PlainCodes<D>> && std::is_same_v<Lane, float> && vectors == 2) {
      constexpr hn::ScalableTag<std::uint16_t> d16;
      const auto both =
          clamped_halves(truncated(finish.of(folded[0])), truncated(finish.of(folded[1])));
      const hn::VFromD<decltype(d16)> samples[] = {hn::ShiftLeftSame(both, plan_.shift)};
      return store_block(way, d16, samples, out, x, width);
    }
#endif
    using Narrow = hn::Rebind<T, D>;
    hn::VFromD<Narrow> samples[vectors];
    unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
      if constexpr (std::is_same_v<F, Finish>)
        samples[u] = samples_of<T>(d, finish_lanes<T>(finish, d, folded[u]), plan_.shift);
      else
        samples[u] = samples_of_plain<T>(d, finish.of(folded[u]), plan_.shift);
    });
    store_block(way, Narrow(), samples, out, x, width);
  }

  // A row pass: there is code for widths that are common.
  static void make_pass(const LanesTerm<Lane>& term, const Lane* source, Lane* pass, int width) {
    constexpr bool halves = HWY_TARGET == HWY_AVX2 && std::is_same_v<Lane, float>;
    if constexpr (Moved<Lane, pass_vectors>::in_registers || halves) {
      if (term.width == 5) return make_pass<5>(term, source, pass, width);
      if (term.width == 9) return make_pass<9>(term, source, pass, width);
      if (term.width == 17) return make_pass<17>(term, source, pass, width);
    }
    if constexpr (halves) {
      if (term.width == 3) return make_pass<3>(term, source, pass, width);
      if (term.width == 7) return make_pass<7>(term, source, pass, width);
      if (term.width == 15) return make_pass<15>(term, source, pass, width);
      if (term.width == 31) return make_pass<31>(term, source, pass, width);
    }
    make_any_pass(term, source, pass, width);
  }

  template <int size>
  static void make_pass(const LanesTerm<Lane>& term, const Lane* source, Lane* pass, int width) {
    const Lane* row = term.row.data();
    for (int x = 0; x < width; x += pass_vectors * lanes) {
      const Lane* from = source + x - term.left;
      const MovedBy<Lane, pass_vectors, false, size / 2> moved(from);
      V sums[pass_vectors];
      unrolled<0, pass_vectors>([&](auto u) VIDCONV_LAMBDA { sums[u] = hn::Zero(d); });
      unrolled<0, size>([&](auto i) VIDCONV_LAMBDA {
        const V tap = hn::Set(d, row[i]);
        unrolled<0, pass_vectors>([&](auto u) VIDCONV_LAMBDA {
          sums[u] = multiply_add(d, tap, moved.template at<u, i>(from), sums[u]);
        });
      });
      unrolled<0, pass_vectors>(
          [&](auto u) VIDCONV_LAMBDA { hn::StoreU(sums[u], d, pass + x + u * lanes); });
    }
  }

  static void make_any_pass(const LanesTerm<Lane>& term, const Lane* source, Lane* pass,
                            int width) {
    const Lane* row = term.row.data();
    const int count = static_cast<int>(term.row.size());
    for (int x = 0; x < width; x += pass_vectors * lanes) {
      V sums[pass_vectors];
      unrolled<0, pass_vectors>([&](auto u) VIDCONV_LAMBDA { sums[u] = hn::Zero(d); });
      const Lane* from = source + x - term.left;
      // Loads that no line of the cache holds whole take two cycles, as long as two sums: every
      // other vector is made of two that are in registers.
      using Samples = Moved<Lane, pass_vectors>;
      const int most = Samples::in_registers ? lanes : count;
      for (int begin = 0; begin < count; begin += most) {
        Samples moved(from + begin);
        const int end = std::min(count, begin + most);
        for (int i = begin; i < end; ++i) {
          const V tap = hn::Set(d, row[i]);
          unrolled<0, pass_vectors>([&](auto u) VIDCONV_LAMBDA {
            sums[u] = multiply_add(d, tap, moved.template at<u>(from + i), sums[u]);
          });
          moved.next();
        }
      }
      unrolled<0, pass_vectors>([&](auto u) VIDCONV_LAMBDA {
        if constexpr (std::is_same_v<Lane, std::int32_t>) {
          const V half = hn::Set(d, 1 << term.row_shift >> 1);
          sums[u] = hn::ShiftRightSame(hn::Add(sums[u], half), term.row_shift);
        }
        hn::StoreU(sums[u], d, pass + x + u * lanes);
      });
    }
  }

  const LanesPlan<Lane>& plan_;
  const WindowLayout& layout_;
  const bool stream_;
};

// Whether two passes of five taps of floats are faster at once than with a line between, for which
// loads alone take too long with AVX2.
bool have_fives() { return HWY_TARGET != HWY_AVX2; }

template <class Lane>
void run_lanes(const Plan& plan, const LanesPlan<Lane>& lanes_plan, const Band& band,
               const WindowLayout& layout, const Windows<Lane>& windows) {
  note_used_simd(HWY_TARGET);
  const bool stream = goes_past_caches(band.pairs.front().dst);
  const LanesEngine<Lane> engine(lanes_plan, layout, stream);
  const Reach reach = reach_of(plan);
  switch (plan.sample.storage) {
    case Storage::u8:
      return run_band<std::uint8_t>(engine, plan, reach, band, layout, windows);
    case Storage::u16:
      return run_band<std::uint16_t>(engine, plan, reach, band, layout, windows);
    case Storage::f32:
      if constexpr (!std::is_same_v<Lane, std::int32_t>)
        run_band<float>(engine, plan, reach, band, layout, windows);
  }
}

void run_lanes_int32(const Plan& plan, const LanesPlan<std::int32_t>& lanes_plan, const Band& band,
                     const WindowLayout& layout, const Windows<std::int32_t>& windows) {
  run_lanes(plan, lanes_plan, band, layout, windows);
}
void run_lanes_float(const Plan& plan, const LanesPlan<float>& lanes_plan, const Band& band,
                     const WindowLayout& layout, const Windows<float>& windows) {
  run_lanes(plan, lanes_plan, band, layout, windows);
}
void run_lanes_double(const Plan& plan, const LanesPlan<double>& lanes_plan, const Band& band,
                      const WindowLayout& layout, const Windows<double>& windows) {
  run_lanes(plan, lanes_plan, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/banded.h"
#include "kernels/cpu/cpu.h"

namespace vidconv {
HWY_EXPORT(have_fives);
HWY_EXPORT(run_lanes_int32);
HWY_EXPORT(run_lanes_float);
HWY_EXPORT(run_lanes_double);

bool cpu_lanes_supports(const Plan& plan) {
  return std::ranges::none_of(plan.terms, &Taps::pairwise);
}

std::unique_ptr<Convolver> make_cpu_lanes(const Plan& plan, int threads) {
  const auto make = [&]<class Lane>(typename BandedConvolver<Lane, LanesPlan<Lane>>::RunBand run) {
    return std::make_unique<BandedConvolver<Lane, LanesPlan<Lane>>>(
        plan, LanesPlan<Lane>(plan, HWY_DYNAMIC_DISPATCH(have_fives)()), run, threads);
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
