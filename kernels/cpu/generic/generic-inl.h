// The variant for every plan: each lane computes one output sample in the plan's own arithmetic, in
// the reference's order. Compiled once for each instruction set.
#if defined(VIDCONV_CPU_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_LANES_INL_H
#undef VIDCONV_CPU_LANES_INL_H
#else
#define VIDCONV_CPU_LANES_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/cpu/band/band-inl.h"
#include "kernels/cpu/generic/generic_pass-inl.h"
#include "kernels/cpu/generic/generic_plan.h"
#include "kernels/cpu/generic/generic_sums-inl.h"
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

template <class LaneType>
class GenericEngine {
 public:
  using Lane = LaneType;
  static constexpr int rows = GenericPlan<Lane>::rows;
  static constexpr int offset = 0;
  static constexpr int edge = 96;  // whole blocks of two vectors and of three

  // `stream`: whether results go past the caches.
  GenericEngine(const GenericPlan<Lane>& plan, const WindowLayout& layout, bool stream)
      : plan_(plan), layout_(layout), stream_(stream) {}

  void make_passes(const Lane* source, Lane* pass, int width) const {
    if (plan_.passes() == 0) return;
    for (const GenericTerm<Lane>& term : plan_.terms) {
      if (!term.two_passes()) continue;
      GenericPass<Lane>::make(term, source, pass, width);
      pass += layout_.line;
    }
  }

  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    const bool single = plan_.single();
    if constexpr (HWY_NATIVE_FMA && std::is_same_v<Lane, float> && sizeof(T) > 1) {
      if (single && !plan_.terms.front().two_passes()) {
        const GenericTerm<Lane>& term = plan_.terms.front();
        const int size = term.width == term.height ? term.width : 0;
        if (size == 3) return make_matrix<3>(window, out, width, next);
        if (size == 5) return make_matrix<5>(window, out, width, next);
        if (size == 7) return make_matrix<7>(window, out, width, next);
        if (size == 9) return make_matrix<9>(window, out, width, next);
        return make_matrix<0>(window, out, width, next);
      }
      if (plan_.size == 3 && plan_.pair())
        return make_rows<3, Terms::pair>(window, out, width, next);
      if (plan_.size == 3) return make_rows<3, Terms::any>(window, out, width, next);
      if (single) return make_rows<0, Terms::separable>(window, out, width, next);
    }
    make_rows<0, Terms::any>(window, out, width, next);
  }

 private:
  using D = hn::ScalableTag<Lane>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  // One term of two passes whose sums are the results, two terms as in GenericPlan::pair(), or any.
  enum class Terms : std::uint8_t { separable, pair, any };
  // Matrices of at most this many rows have all their taps unrolled; the code of larger ones would
  // be too long for a processor's cache of decoded instructions.
  static constexpr int most_unrolled = 5;
  // Vectors in a block. Where there are registers for three, a matrix's taps are loaded less often,
  // and multiply-adds alone take the time.
  template <int size>
  static constexpr int vectors_of = sizeof(V) == 64 && (size == 0 || size > most_unrolled) ? 3 : 2;
  static_assert(GenericPass<Lane>::block <= WindowLayout::block);
  // Output rows whose sums are made together: all on AVX2, because four chains of multiply-adds do
  // not keep it busy; there are not enough registers for sums of lines then.
  static constexpr int group = sizeof(V) == 64 || HWY_TARGET == HWY_AVX2 ? rows : rows / 2;
  using LineSums = GenericSums<Lane, group>;
  template <int vectors>
  using Sums = V[group][vectors];
  // The last step of results that need little: see store_lanes().
  template <class T>
  using Plain = std::conditional_t<std::is_same_v<T, float>, PlainFloats<D>, PlainCodes<D>>;

  // Computes one matrix. How results are stored takes a share of a small one's time, so it is asked
  // once a row. `size` is its width and height where there is code for that size, or 0.
  template <int size, class T>
  void make_matrix(const Lane* const* window, T* const* out, int width,
                   NextRows<rows>& next) const {
    constexpr int vectors = vectors_of<size>;
    for_blocks<vectors * lanes>(stream_, width, [&](StoreWay way, int begin, int end) HWY_ATTR {
      if (const Plain<T> plain(plan_.finish); plain.serves())
        return make_blocks<size, vectors>(way, plain, window, out, begin, end, next);
      // One loop for every size: this is rare.
      make_blocks<0, vectors>(way, plan_.finish, window, out, begin, end, next);
    });
  }

  // `last_step` is as store_lanes() takes it.
  template <int size, int vectors, class Last, class T>
  void make_blocks(StoreWay way, const Last& last_step, const Lane* const* window, T* const* out,
                   int begin, int end, NextRows<rows>& next) const {
    constexpr int block = vectors * lanes;
    const Last last = last_step;  // a copy of its own stays in registers
    const GenericTerm<Lane>& term = plan_.terms.front();
    for (int x = begin; x < end; x += block) {
      const auto asked = next.columns(x + block);
      for (int g = 0; g < rows; g += group) {
        Sums<vectors> results;
        const auto ask = [&](int r) VIDCONV_LAMBDA { asked.ask(g + r); };
        const Lane* const* const top = window + g + term.top;
        if constexpr (size > 0 && size <= most_unrolled) {
          LineSums::template add_small<size>(term.dense.data(), top, x - term.left, results, ask);
        } else {
          unrolled<0, group>(ask);
          add_matrix<size>(term, top, x - term.left, results);
        }
        unrolled<0, group>([&](int r) VIDCONV_LAMBDA {
          T* const to = out[g + r];
          if (to != nullptr) store_lanes(way, d, last, results[r], plan_.shift, to, x, end);
        });
      }
    }
  }

  template <int size, int vectors>
  static HWY_INLINE void add_matrix(const GenericTerm<Lane>& term, const Lane* const* top,
                                    std::ptrdiff_t at, V (&sums)[group][vectors]) {
    LineSums::template each<vectors>([&](int r, int u)
                                         VIDCONV_LAMBDA { sums[r][u] = hn::Zero(d); });
    const int width = size == 0 ? term.width : size, height = size == 0 ? term.height : size;
    LineSums::template add_lines<true>(term.dense.data(), width, height, top, at, sums);
  }

  // `size` is as in GenericPlan, or 0 where it is not known at compile time.
  template <int size, Terms terms, class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    constexpr int vectors = 2, block = vectors * lanes;
    const Finish finish = plan_.finish;  // a copy of its own stays in registers
    const Plain<T> plain(finish);
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
        unrolled<0, group>([&](int r) VIDCONV_LAMBDA {
          T* const to = out[g + r];
          if (to == nullptr) return;
          if constexpr (terms == Terms::separable) {
            if (plain.serves())
              return store_lanes(way, d, plain, results[r], plan_.shift, to, x, width);
          }
          store_lanes(way, d, finish, results[r], plan_.shift, to, x, width);
        });
      }
    }
  }

  // Kept apart from the sample type, for which compilers would make it again, and from what the
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
      LineSums::template each<vectors>([&](int r, int u)
                                           VIDCONV_LAMBDA { folded[r][u] = hn::Zero(d); });
      for (const GenericTerm<Lane>& term : plan_.terms) {
        Sums<vectors> sums;
        add_term<size, terms>(term, window, x, pass, sums);
        if (term.two_passes()) pass += layout_.line;
        LineSums::template each<vectors>([&](int r, int u) VIDCONV_LAMBDA {
          response[r][u] = term.joins ? hn::Add(response[r][u], sums[r][u]) : sums[r][u];
        });
        if (!term.last) continue;
        LineSums::template each<vectors>([&](int r, int u) VIDCONV_LAMBDA {
          folded[r][u] = fold(finish, d, !begun, folded[r][u], response[r][u]);
        });
        begun = true;
      }
    }
  }

  // Computes as make_group() does where GenericPlan::pair(): samples are loaded once for both
  // kernels.
  template <int size, int vectors>
  HWY_INLINE void make_pairs(const Finish& finish, const Lane* const* window, int x,
                             V (&folded)[group][vectors]) const {
    const GenericTerm<Lane>* terms = plan_.terms.data();
    const Lane* const* lines = window + terms[0].top;
    unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
      V sums[2][group];
      unrolled<0, group>([&](int r) VIDCONV_LAMBDA { sums[0][r] = sums[1][r] = hn::Zero(d); });
      unrolled<0, group + size - 1>([&](auto line) VIDCONV_LAMBDA {
        const Lane* from = lines[line] + x - terms[0].left + u * lanes;
        V samples[size];
        unrolled<0, size>([&](int i) VIDCONV_LAMBDA { samples[i] = hn::LoadU(d, from + i); });
        unrolled<std::max(0, line + 1 - size), std::min(group, line + 1)>(
            [&](int r) VIDCONV_LAMBDA {
              unrolled<0, 2>([&](int k) VIDCONV_LAMBDA {
                const Lane* row = terms[k].dense.data() + (line - r) * size;
                V products = hn::Zero(d);
                unrolled<0, size>([&](int i) VIDCONV_LAMBDA {
                  products = multiply_add(d, hn::Set(d, row[i]), samples[i], products);
                });
                sums[k][r] = hn::Add(sums[k][r], products);
              });
            });
      });
      unrolled<0, group>([&](int r) VIDCONV_LAMBDA {
        const V first = fold(finish, d, true, sums[0][r], sums[0][r]);
        folded[r][u] = fold(finish, d, false, first, sums[1][r]);
      });
    });
  }

  template <int size, Terms terms, int vectors>
  HWY_INLINE void add_term(const GenericTerm<Lane>& term, const Lane* const* window, int x,
                           std::ptrdiff_t pass, V (&sums)[group][vectors]) const {
    const Lane* const* top = window + term.top;
    if constexpr (terms != Terms::separable)
      if (!term.two_passes()) return add_matrix<size>(term, top, x - term.left, sums);
    LineSums::template each<vectors>([&](int r, int u)
                                         VIDCONV_LAMBDA { sums[r][u] = hn::Zero(d); });
    if constexpr (size > 0)
      LineSums::template add_both_passes<size>(term, top, x - term.left, sums);
    else if (plan_.size > 0)
      LineSums::add_both_passes(term, top, x - term.left, sums);
    else
      LineSums::add_columns(term, top, pass, sums);
  }

  const GenericPlan<Lane>& plan_;
  const WindowLayout& layout_;
  const bool stream_;
};

// T is the sample type.
template <class T, class Lane>
void run_lanes_of(const Plan& plan, const GenericPlan<Lane>& lanes_plan, const Band& band,
                  const WindowLayout& layout, const Windows<Lane>& windows) {
  note_used_simd(HWY_TARGET);
  const bool stream = goes_past_caches(band.pairs.front().dst);
  const GenericEngine<Lane> engine(lanes_plan, layout, stream);
  run_band<T>(engine, plan, reach_of(plan), band, layout, windows);
}

template <class Lane>
void run_lanes_of_codes(const Plan& plan, const GenericPlan<Lane>& lanes_plan, const Band& band,
                        const WindowLayout& layout, const Windows<Lane>& windows) {
  if (plan.sample.storage == Storage::u8)
    run_lanes_of<std::uint8_t>(plan, lanes_plan, band, layout, windows);
  else
    run_lanes_of<std::uint16_t>(plan, lanes_plan, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
