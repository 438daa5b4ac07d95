// Sums of products for several output rows: of two passes, of one, of matrices. Compiled once for
// each instruction set.
#if defined(VIDCONV_CPU_LANE_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_LANE_SUMS_INL_H
#undef VIDCONV_CPU_LANE_SUMS_INL_H
#else
#define VIDCONV_CPU_LANE_SUMS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/generic/generic_plan.h"
#include "kernels/cpu/simd/arithmetic-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// Adds the terms of a plan to the sums of `group` output rows, of one or more vectors each.
template <class Lane, int group>
class GenericSums {
  using D = hn::ScalableTag<Lane>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));

 public:
  template <int vectors>
  using Sums = V[group][vectors];

  // Calls f(row, vector) for each vector of each row.
  template <int vectors, int begin = 0, int end = group, class F>
  static HWY_INLINE void each(const F& f) {
    unrolled<begin, end>([&](auto r) VIDCONV_LAMBDA {  //
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA { f(r, u); });
    });
  }

  // Adds a column pass; there is code for common heights.
  template <int vectors>
  static HWY_INLINE void add_columns(const GenericTerm<Lane>& term, const Lane* const* lines,
                                     std::ptrdiff_t at, V (&sums)[group][vectors]) {
    const Lane* taps = term.column.data();
    if constexpr (HWY_NATIVE_FMA && std::is_same_v<Lane, float>) {
      if (term.height == 5) return add_columns<5>(taps, lines, at, sums);
      if (term.height == 9) return add_columns<9>(taps, lines, at, sums);
      if (term.height == 17) return add_columns<17>(taps, lines, at, sums);
    }
    add_lines<false>(taps, 1, term.height, lines, at, sums);
  }

  // Adds both passes at once, for so few taps that a line between them would cost more than the
  // output rows save by sharing it.
  template <int vectors>
  static void add_both_passes(const GenericTerm<Lane>& term, const Lane* const* lines,
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

  // Adds both passes for a size known at compile time; the sums begin here. The first product of a
  // sum is not added to 0: that changes nothing but the sign of a sum that is 0, which the last
  // step's addition of an offset does away with.
  template <int size, int vectors>
  static HWY_INLINE void add_both_passes(const GenericTerm<Lane>& term, const Lane* const* lines,
                                         std::ptrdiff_t at, V (&sums)[group][vectors]) {
    const Lane* row = term.row.data();
    const Lane* column = term.column.data();
    unrolled<0, group + size - 1>([&](auto line) VIDCONV_LAMBDA {
      V between[vectors];
      add_row<size, true>(row, lines[line] + at, between);
      constexpr int first = std::max(0, line + 1 - size), last = std::min(group, line + 1);
      unrolled<first, last>([&](auto r) VIDCONV_LAMBDA {
        const V tap = hn::Set(d, column[line - r]);
        unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
          if constexpr (line == r)
            sums[r][u] = hn::Mul(tap, between[u]);
          else
            sums[r][u] = multiply_add(d, tap, between[u], sums[r][u]);
        });
      });
    });
  }

  // Adds a matrix of a size known at compile time; the sums begin here as well. Calls `ask(r)` for
  // each row of the sums, between the loads of lines.
  template <int size, int vectors, class Ask>
  static HWY_INLINE void add_small(const Lane* taps, const Lane* const* lines, std::ptrdiff_t at,
                                   V (&sums)[group][vectors], const Ask& ask) {
    unrolled<0, group + size - 1>([&](auto line) VIDCONV_LAMBDA {
      if constexpr (line < group) ask(line);
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
          unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
            if constexpr (i == 0)
              products[r][u] = hn::Mul(tap, samples[u]);
            else
              products[r][u] = multiply_add(d, tap, samples[u], products[r][u]);
          });
        });
      });
      each<vectors, begin, end>([&](auto r, int u) VIDCONV_LAMBDA {
        if constexpr (line == r)
          sums[r][u] = products[r][u];
        else
          sums[r][u] = hn::Add(sums[r][u], products[r][u]);
      });
    });
  }

  // Adds `height` rows of `width` taps to the sums of the output rows. lines[0] is the window's row
  // under the first row of taps of the first output row. `apart`: a row's products are added up
  // before they are added to the sum.
  template <bool apart, int vectors>
  static HWY_INLINE void add_lines(const Lane* taps, int width, int height,
                                   const Lane* const* lines, std::ptrdiff_t at,
                                   V (&sums)[group][vectors]) {
    if (height < group - 1) {
      for (int line = 0; line < height + group - 1; ++line)
        unrolled<0, group>([&](auto r) VIDCONV_LAMBDA {
          if (line >= r && line - r < height)
            add_line<apart, r, r + 1>(taps, width, lines, line, at, sums);
        });
      return;
    }
    // First come lines that serve the first output rows only, then lines that serve all, then the
    // last ones.
    unrolled<1, group>(
        [&](auto r) VIDCONV_LAMBDA { add_line<apart, 0, r>(taps, width, lines, r - 1, at, sums); });
    for (int line = group - 1; line < height; ++line)
      add_line<apart, 0, group>(taps, width, lines, line, at, sums);
    unrolled<1, group>([&](auto r) VIDCONV_LAMBDA {
      add_line<apart, r, group>(taps, width, lines, height - 1 + r, at, sums);
    });
  }

 private:
  template <int height, int vectors>
  static HWY_INLINE void add_columns(const Lane* taps, const Lane* const* lines, std::ptrdiff_t at,
                                     V (&sums)[group][vectors]) {
    unrolled<0, group + height - 1>([&](auto line) VIDCONV_LAMBDA {
      V samples[vectors];
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {  //
        samples[u] = hn::LoadU(d, lines[line] + at + u * lanes);
      });
      unrolled<std::max(0, line + 1 - height), std::min(group, line + 1)>(
          [&](int r) VIDCONV_LAMBDA {
            const V tap = hn::Set(d, taps[line - r]);
            unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
              sums[r][u] = multiply_add(d, tap, samples[u], sums[r][u]);
            });
          });
    });
  }

  // Sets products[u] to the sum of `size` taps times the samples from `from` on.
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

  // Adds a line to the output rows from `begin` up to `end`.
  template <bool apart, int begin, int end, int vectors>
  static HWY_INLINE void add_line(const Lane* taps, int width, const Lane* const* lines, int line,
                                  std::ptrdiff_t at, V (&sums)[group][vectors]) {
    const Lane* row = taps + std::ptrdiff_t{line} * width;  // taps of the first output row
    const Lane* from = lines[line] + at;
    Sums<vectors> products;
    each<vectors, begin, end>([&](int r, int u) VIDCONV_LAMBDA {  //
      products[r][u] = apart ? hn::Zero(d) : sums[r][u];
    });
    const auto add_tap = [&](int i, const V(&samples)[vectors]) VIDCONV_LAMBDA {
      unrolled<begin, end>([&](int r) VIDCONV_LAMBDA {
        V tap = hn::Set(d, row[i - r * std::ptrdiff_t{width}]);
        settle(tap);
        unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {  //
          products[r][u] = multiply_add(d, tap, samples[u], products[r][u]);
        });
      });
    };
    V samples[vectors];
    using Samples = Moved<Lane, vectors>;
    const int most = Samples::in_registers ? lanes : width;
    for (int i = 0; i < width;) {
      Samples moved(from + i);
      for (const int stop = std::min(width, i + most); i < stop; ++i) {
        unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {  //
          samples[u] = moved.template at<u>(from + i);
          settle(samples[u]);
        });
        add_tap(i, samples);
        moved.next();
      }
    }
    each<vectors, begin, end>([&](int r, int u) VIDCONV_LAMBDA {  //
      sums[r][u] = apart ? hn::Add(sums[r][u], products[r][u]) : products[r][u];
    });
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
