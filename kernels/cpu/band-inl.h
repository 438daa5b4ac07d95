// Walks down a band of rows: loads lines, lets an engine make row passes of them and output rows of
// those. Compiled once for each instruction set.
#if defined(VIDCONV_CPU_BAND_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_BAND_INL_H
#undef VIDCONV_CPU_BAND_INL_H
#else
#define VIDCONV_CPU_BAND_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "kernels/convolver/bands.h"
#include "kernels/convolver/window.h"

HWY_BEFORE_NAMESPACE();
namespace vidconv {
namespace HWY_NAMESPACE {

// Lanes of the samples at from[0], from[step], ...: codes less `offset`. The common cases have
// loops of their own, because compilers can make vectors of these.
template <class Lane, class T>
void load_samples(const T* HWY_RESTRICT from, std::ptrdiff_t step, int width, int shift, int offset,
                  Lane* HWY_RESTRICT line) {
  if (step == 1 && shift == 0) {
    for (int x = 0; x < width; ++x) line[x] = static_cast<Lane>(from[x] - static_cast<T>(offset));
    return;
  }
  for (int x = 0; x < width; ++x) {
    const T sample = from[x * step];
    if constexpr (std::is_same_v<T, float>)
      line[x] = static_cast<Lane>(sample);
    else
      line[x] = static_cast<Lane>((sample >> shift) - offset);
  }
}

// Row y of the picture, which may lie outside, with its continuation on both sides.
template <class Lane, class T>
void load_line(const Plan& plan, const Reach& reach, const Plane<const T>& src, int y, int offset,
               Lane* line) {
  const int width = src.width;
  const int row = border_index(plan.border, y, src.height);
  // 16-bit codes may wrap in a lane, which only whole numbers do.
  using Wide = std::conditional_t<std::is_same_v<Lane, float>, double, std::int32_t>;
  const Lane outside = static_cast<Lane>(static_cast<Wide>(plan.outside) - offset);
  if (row < 0) {
    std::fill(line - reach.left, line + width + reach.right, outside);
    return;
  }
  load_samples(src.row(row), src.step, width, plan.sample.shift, offset, line);
  const auto extend = [&](int x) HWY_ATTR {
    const int from = border_index(plan.border, x, width);
    line[x] = from < 0 ? outside : line[from];
  };
  for (int x = -reach.left; x < 0; ++x) extend(x);
  for (int x = width; x < width + reach.right; ++x) extend(x);
}

// Asks for the cache lines of row y. Rows are read in bursts, with computing between, and the
// processor's own prefetching starts anew at each: this hides a sixth of the time of small kernels.
template <class T>
void prefetch_row(const Plane<const T>& src, int y) {
  if (y < 0 || y >= src.height) return;
  const T* row = src.row(y);
  const std::ptrdiff_t samples = std::ptrdiff_t{src.width} * src.step;
  constexpr std::ptrdiff_t samples_a_line = 64 / sizeof(T);
  for (std::ptrdiff_t i = 0; i < samples; i += samples_a_line) hwy::Prefetch(row + i);
}

// Stores the first `count` of a block of codes in an output row.
template <class T, class Code>
void store_codes(const Code* HWY_RESTRICT codes, int count, int shift, int step,
                 T* HWY_RESTRICT to) {
  for (std::ptrdiff_t x = 0; x < count; ++x) {
    if constexpr (std::is_same_v<T, float>)
      to[x * step] = static_cast<T>(codes[x]);
    else
      to[x * step] = static_cast<T>(static_cast<unsigned>(codes[x]) << shift);
  }
}

// An engine has
//   Lane, rows         the type of its lines, and how many output rows it computes together
//   offset             what is taken from each code to make a lane
//   make_passes(source, passes, width)  from a source line the lines of its row passes
//   make_rows(window, out, dst)  computes whole output rows; window[j] is the first line of the
//                      slot of source row j, counted from `above` rows over the first output row;
//                      out[r] is nullptr for a row below the band
template <class T, class Engine>
void run_band(Engine& engine, const Plan& plan, const Reach& reach, const Band& band,
              const WindowLayout& layout, Window<typename Engine::Lane>& window) {
  const auto src = band.pair.src.as<const T>();
  const auto dst = band.pair.dst.as<T>();
  const int top = band.first - reach.above;
  int y = top;  // the next source row to load
  for (int out_y = band.first; out_y < band.last; out_y += Engine::rows) {
    for (; y < out_y + Engine::rows + reach.below; ++y) {
      const int slot = (y - top) % layout.slots;
      auto* source = window.lanes() + layout.source(slot);
      load_line(plan, reach, src, y, engine.offset, source);
      prefetch_row(src, y + Engine::rows);
      engine.make_passes(source, window.lanes() + layout.passes(slot), src.width);
    }
    for (int j = 0; j < layout.slots; ++j)
      window.rows()[j] = window.lanes() + layout.first((out_y - band.first + j) % layout.slots);
    T* out[Engine::rows];
    for (int r = 0; r < Engine::rows; ++r)
      out[r] = out_y + r < band.last ? dst.row(out_y + r) : nullptr;
    engine.make_rows(window.rows(), out, dst);
  }
}

// The same where samples are integers, of the plan's kind.
template <class Engine>
void run_band_of_codes(Engine& engine, const Plan& plan, const Band& band,
                       const WindowLayout& layout, Window<typename Engine::Lane>& window) {
  const Reach reach = reach_of(plan);
  if (plan.sample.storage == Storage::u8)
    run_band<std::uint8_t>(engine, plan, reach, band, layout, window);
  else
    run_band<std::uint16_t>(engine, plan, reach, band, layout, window);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
