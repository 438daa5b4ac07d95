// The variant for matrices that are the same from all four sides, on machines where multiply-adds
// of 16-bit pairs are what takes the time: a quarter of them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/folded.cpp"
#include "kernels/cpu/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/folded_plan.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/store-inl.h"
#include "kernels/cpu/unroll-inl.h"
#include "kernels/cpu/woven-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// Whether this instruction set is what the variant is for.
bool have_folded() { return HWY_TARGET == HWY_AVX2; }

#if HWY_TARGET == HWY_AVX2
namespace folded {

using woven::d16;
using woven::lanes;
using woven::Sums;
using woven::V16;
constexpr int vectors = 4;  // in a block
constexpr int block = vectors * lanes;
static_assert(block <= WindowLayout::block);

class Engine {
 public:
  using Lane = std::int16_t;
  static constexpr int rows = FoldedPlan::rows;
  static constexpr int offset = 0;

  // `left`: columns from the first one under the matrix to the output sample's. `stream`: whether
  // results go past the caches.
  Engine(const FoldedPlan& plan, int left, bool stream)
      : plan_(plan), left_(left), stream_(stream) {
    for (const FoldedPlan::Step& step : plan.steps)
      steps_.push_back({at(step.first.left_line, step.first.left),
                        at(step.first.right_line, step.first.right),
                        at(step.second.left_line, step.second.left),
                        at(step.second.right_line, step.second.right), step.taps});
  }

  static void make_passes(const Lane*, Lane*, int) {}

  template <class T>
  void make_rows(const Lane* const* window, T* const* out, int width, NextRows<rows>& next) const {
    HWY_ALIGN Lane lines[most_lines * line];
    std::fill_n(lines + plan_.lines() * line, line, Lane{0});
    const woven::Codes<T> codes(plan_.log2, plan_.min, plan_.max, plan_.shift);
    for_blocks<block>(stream_, width, [&](auto way, int begin, int end) HWY_ATTR {
      for (int x = begin; x < end; x += strip)
        for (int r = 0; r < rows; ++r) {
          if (out[r] == nullptr) continue;
          const int columns = std::min(strip, end - x);
          add_lines(window + r, x - left_, columns, lines);
          for (int i = 0; i < columns; i += block) {
            next.ask(x + (r * columns + i) / rows + block);
            make_block(way, codes, lines + i, out[r], x + i, end);
          }
        }
    });
  }

 private:
  // So many columns are made of lines that are added for them: these stay in the first-level cache.
  static constexpr int strip = 256;
  static constexpr int line = strip + 48;  // a matrix reaches as far beyond, and a vector
  static constexpr int most_lines = (FoldedPlan::most + 1) / 2 + 1;
  static_assert(FoldedPlan::most - 1 + lanes <= line - strip);

  // A step whose samples are counted from a block's place in the first line.
  struct Step {
    std::ptrdiff_t first_left, first_right, second_left, second_right;
    FoldedPlan::TapPair taps;
  };

  static constexpr std::ptrdiff_t at(int line_index, int column) {
    return std::ptrdiff_t{line_index} * line + column;
  }

  // Each line and the one as far from the other end, from column `x` on, for whole blocks of
  // `columns`.
  void add_lines(const Lane* const* window, std::ptrdiff_t x, int columns, Lane* to) const {
    const int width = (columns + block - 1) / block * block + plan_.width - 1;
    for (int j = 0; j < plan_.lines(); ++j, to += line) {
      const int mirrored = plan_.height - 1 - j;
      const Lane* const upper = window[j] + x;
      const Lane* const lower = window[mirrored] + x;  // may be the same row, beyond an edge
      for (int i = 0; i < width; i += lanes) {
        const V16 one = hn::LoadU(d16, upper + i);
        hn::StoreU(j == mirrored ? one : hn::Add(one, hn::LoadU(d16, lower + i)), d16, to + i);
      }
    }
  }

  template <class T, class Way>
  HWY_INLINE void make_block(Way way, const woven::Codes<T>& codes, const Lane* from, T* out, int x,
                             int end) const {
    Sums sums[vectors];
    unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA { sums[u].start(plan_.start); });
    for (const Step& step : steps_) {
      const V16 taps = pair_of_taps(step.taps);
      unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA {
        const Lane* const at = from + u * lanes;
        sums[u].add(both(at + step.first_left, at + step.first_right),
                    both(at + step.second_left, at + step.second_right), taps);
      });
    }
    V16 made[vectors];
    unrolled<0, vectors>([&](auto u) VIDCONV_LAMBDA { made[u] = codes.of(sums[u]); });
    codes.store(way, made, out, x, end);
  }

  static HWY_INLINE V16 both(const Lane* a, const Lane* b) {
    return hn::Add(hn::LoadU(d16, a), hn::LoadU(d16, b));
  }

  const FoldedPlan& plan_;
  const int left_;
  const bool stream_;
  std::vector<Step> steps_;
};

}  // namespace folded
#endif

void run_folded([[maybe_unused]] const Plan& plan, [[maybe_unused]] const FoldedPlan& folded_plan,
                [[maybe_unused]] const Band& band, [[maybe_unused]] const WindowLayout& layout,
                [[maybe_unused]] const Windows<std::int16_t>& windows) {
  note_used_simd(HWY_TARGET);
#if HWY_TARGET == HWY_AVX2
  const folded::Engine engine(folded_plan, reach_of(plan).left,
                              goes_past_caches(band.pairs.front().dst));
  run_band_of_codes(engine, plan, band, layout, windows);
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
HWY_EXPORT(have_folded);
HWY_EXPORT(run_folded);

Prepared prepare_cpu_folded(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS) || !HWY_DYNAMIC_DISPATCH(have_folded)()) return nullptr;
  return prepare_banded<std::int16_t>(plan, make_folded_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_folded)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
