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
#include <array>
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

// The columns from `begin` up to `end` that an engine reads where they lie, a whole number of
// blocks; none where its lines are something else than samples of a row.
struct Middle {
  static constexpr int edge = WindowLayout::block;
  static constexpr int beyond = 8;  // engines may load so many samples more than they need

  int begin = 0, end = 0;
  bool empty() const { return begin == end; }
};

// `offset`: Engine::offset.
template <class T, class Lane>
Middle middle_of(const Plan& plan, const Reach& reach, const Plane<const T>& src,
                 const WindowLayout& layout, int offset) {
  constexpr bool alike =
      std::is_integral_v<T> == std::is_integral_v<Lane> && sizeof(T) == sizeof(Lane);
  // Rows of fewer bytes: to call an engine for both ends costs more than to copy them.
  constexpr int least = 4096 / sizeof(T);
  const bool as_they_lie = alike && src.step == 1 && plan.sample.shift == 0 && offset == 0;
  if (!as_they_lie || layout.mixed() || reach.left > Middle::edge || src.width < least) return {};
  const int blocks = (src.width - Middle::edge - reach.right - Middle::beyond) / Middle::edge;
  return blocks > 0 ? Middle{Middle::edge, Middle::edge + blocks * Middle::edge} : Middle{};
}

// Row y of the picture, which may lie outside, with its continuation on both sides; but for what
// engines read from the middle's own place. Returns where that is.
template <class Lane, class T>
const Lane* load_line(const Plan& plan, const Reach& reach, const Plane<const T>& src, int y,
                      int offset, const Middle& middle, Lane* line) {
  const int width = src.width;
  const int row = border_index(plan.border, y, src.height);
  // 16-bit codes may wrap in a lane, which only whole numbers do.
  using Wide = std::conditional_t<std::is_same_v<Lane, float>, double, std::int32_t>;
  const Lane outside = static_cast<Lane>(static_cast<Wide>(plan.outside) - offset);
  if (row < 0) {
    std::fill(line - reach.left, line + width + reach.right, outside);
    return line;
  }
  const auto load = [&](int begin, int end) HWY_ATTR {
    load_samples(src.row(row) + std::ptrdiff_t{begin} * src.step, src.step, end - begin,
                 plan.sample.shift, offset, line + begin);
  };
  if (middle.empty()) {
    load(0, width);
  } else {
    load(0, middle.begin + reach.right + Middle::beyond);
    load(middle.end - reach.left, width);
  }
  const auto extend = [&](int x) HWY_ATTR {
    const int from = border_index(plan.border, x, width);
    line[x] = from < 0 ? outside : line[from];
  };
  for (int x = -reach.left; x < 0; ++x) extend(x);
  for (int x = width; x < width + reach.right; ++x) extend(x);
  return middle.empty() ? line : reinterpret_cast<const Lane*>(src.row(row));
}

// The source rows that are needed next. Engines ask for them bit by bit as they compute, so that
// memory works meanwhile: rows are loaded in bursts, and the processor would wait for each.
template <class T, int rows>
class NextRows {
 public:
  // The rows from y on; their column 0 is column `begin` of the picture.
  NextRows(const Plane<const T>& src, int y, int begin)
      : pixel_(src.step * static_cast<std::ptrdiff_t>(sizeof(T))) {
    for (const char*& row : rows_)
      row = reinterpret_cast<const char*>(src.row(std::clamp(y++, 0, src.height - 1))) +
            begin * pixel_;
  }
  // Asks for what is left of the columns up to `end`, which may lie beyond a row's end.
  HWY_INLINE void ask(int end) {
    constexpr std::ptrdiff_t cache_line = 64;
    for (; asked_ < end * pixel_; asked_ += cache_line)
      for (const char* row : rows_) hwy::Prefetch(row + asked_);
  }

 private:
  std::array<const char*, rows> rows_;
  std::ptrdiff_t pixel_;  // bytes from one pixel to the next
  std::ptrdiff_t asked_ = 0;
};

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
//   make_rows(window, out, dst, next)  computes output rows, dst.width samples of each; window[j]
//                      is the first line of the slot of source row j, counted from `above` rows
//                      over the first output row; out[r] is nullptr for a row below the band;
//                      `next` is to be asked for what the next call needs
template <class T, class Engine>
class BandRun {
 public:
  using Lane = typename Engine::Lane;

  BandRun(Engine& engine, const Plan& plan, const Reach& reach, const Band& band,
          const WindowLayout& layout, Window<Lane>& window)
      : engine_(engine),
        plan_(plan),
        reach_(reach),
        band_(band),
        layout_(layout),
        window_(window),
        src_(band.pair.src.as<const T>()),
        dst_(band.pair.dst.as<T>()),
        middle_(middle_of<T, Lane>(plan, reach, src_, layout, engine.offset)) {}

  void run() {
    int y = band_.first - reach_.above;  // the next source row to load
    for (int out_y = band_.first; out_y < band_.last; out_y += Engine::rows) {
      for (; y < out_y + Engine::rows + reach_.below; ++y) load(y);
      if (middle_.empty() || !layout_.only_sources()) {
        make_rows(out_y, y, 0, dst_.width, false);
      } else {
        make_rows(out_y, y, 0, middle_.begin, false);
        make_rows(out_y, y, middle_.begin, middle_.end, true);
        make_rows(out_y, y, middle_.end, dst_.width, false);
      }
    }
  }

 private:
  int slot_of(int y) const { return (y - band_.first + reach_.above) % layout_.slots; }

  void load(int y) {
    const int slot = slot_of(y);
    Lane* source = window_.lanes() + layout_.source(slot);
    const Lane* in_place = load_line(plan_, reach_, src_, y, engine_.offset, middle_, source);
    window_.in_place()[slot] = in_place;
    Lane* passes = window_.lanes() + layout_.passes(slot);
    const auto make = [&](const Lane* from, int begin, int end) {
      engine_.make_passes(from + begin, passes + begin, end - begin);
    };
    if (middle_.empty()) return make(source, 0, src_.width);
    make(source, 0, middle_.begin);
    make(in_place, middle_.begin, middle_.end);
    make(source, middle_.end, src_.width);
  }

  // The columns from `begin` up to `end` of the output rows from `out_y` on; `next_y`: the next
  // source row to load.
  void make_rows(int out_y, int next_y, int begin, int end, bool in_place) {
    for (int j = 0; j < layout_.slots; ++j) {
      const int slot = slot_of(out_y - reach_.above + j);
      window_.rows()[j] =
          begin + (in_place ? window_.in_place()[slot] : window_.lanes() + layout_.first(slot));
    }
    Plane<T> dst = dst_;
    dst.width = end - begin;
    T* out[Engine::rows];
    for (int r = 0; r < Engine::rows; ++r)
      out[r] = out_y + r < band_.last ? dst_.row(out_y + r) + begin * std::ptrdiff_t{dst_.step}
                                      : nullptr;
    NextRows<T, Engine::rows> next(src_, next_y, begin);
    engine_.make_rows(window_.rows(), out, dst, next);
  }

  Engine& engine_;
  const Plan& plan_;
  const Reach& reach_;
  const Band& band_;
  const WindowLayout& layout_;
  Window<Lane>& window_;
  const Plane<const T> src_;
  const Plane<T> dst_;
  const Middle middle_;
};

template <class T, class Engine>
void run_band(Engine& engine, const Plan& plan, const Reach& reach, const Band& band,
              const WindowLayout& layout, Window<typename Engine::Lane>& window) {
  BandRun<T, Engine>(engine, plan, reach, band, layout, window).run();
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
