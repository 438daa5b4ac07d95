// Walks down a band of rows: loads lines, and has a variant make row passes of them and output rows
// of those. Compiled once for each instruction set.
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
#include <cstdint>
#include <type_traits>

#include "kernels/convolver/bands.h"
#include "kernels/convolver/packed.h"
#include "kernels/convolver/window.h"
#include "kernels/cpu/band/packed_rows.h"
#include "kernels/cpu/simd/streaming_stores.h"

HWY_BEFORE_NAMESPACE();
namespace vidconv {
namespace HWY_NAMESPACE {

// Whether samples lie in memory as lanes do.
template <class T, class Lane>
constexpr bool alike = std::is_integral_v<T> == std::is_integral_v<Lane> &&
                       sizeof(T) == sizeof(Lane);
template <class T, class Lane>
bool are_lanes(const Plan& plan, int offset) {
  return alike<T, Lane> && plan.sample.shift == 0 && offset == 0;
}

// Converts samples to lanes: codes less `offset`. The common case has a loop of its own, because
// compilers can vectorise it.
template <class Lane, class T>
void load_samples(const T* HWY_RESTRICT from, int width, int shift, int offset,
                  Lane* HWY_RESTRICT line) {
  if (shift == 0) {
    for (int x = 0; x < width; ++x) line[x] = static_cast<Lane>(from[x] - static_cast<T>(offset));
    return;
  }
  for (int x = 0; x < width; ++x) {
    const T sample = from[x];
    if constexpr (std::is_same_v<T, float>)
      line[x] = static_cast<Lane>(sample);
    else
      line[x] = static_cast<Lane>((sample >> shift) - offset);
  }
}

// The columns from `begin` up to `end` whose samples a variant reads where they lie, a whole number
// of blocks; empty where its lines are not just a row's samples.
struct Middle {
  static constexpr int edge = WindowLayout::block;
  static constexpr int beyond = 64;  // samples that variants may load beyond those they need

  static constexpr int parts = 3;
  // Returns the part of a row that begins at column `begin`: 0 before the middle, 1 the middle, 2
  // behind it.
  static int part_of(int begin) { return begin == 0 ? 0 : begin == edge ? 1 : 2; }

  int begin = 0, end = 0;
  bool empty() const { return begin == end; }
};

// Returns the middle of rows. `least`: rows of fewer samples are copied. `edge`: samples copied
// before the middle, whose length is a multiple of it. `offset`: Engine::offset.
template <class T, class Lane>
Middle middle_of(const Plan& plan, const Reach& reach, const ConstBytePlane& src,
                 const WindowLayout& layout, int least, int edge, int offset) {
  const bool as_they_lie = src.step == 1 && are_lanes<T, Lane>(plan, offset);
  if (!as_they_lie || layout.mixed() || reach.left > edge || src.width < least) return {};
  const int blocks = (src.width - edge - reach.right - Middle::beyond) / edge;
  return blocks > 0 ? Middle{edge, edge + blocks * edge} : Middle{};
}

// Extends a line of `width` samples beyond both ends, as the border mode says.
template <class Lane>
void extend_line(BorderMode border, const Reach& reach, int width, Lane outside, Lane* line) {
  const int left = reach.left, right = reach.right;
  const auto mirror = [&](int edge) HWY_ATTR {  // 1: the samples at the edges are not repeated
    for (int i = 0; i < left; ++i) line[-1 - i] = line[edge + i];
    for (int i = 0; i < right; ++i) line[width + i] = line[width - 1 - edge - i];
  };
  // The common case takes no division, and compilers can vectorise it.
  if (std::max(left, right) < width) {
    if (border == BorderMode::reflect101) return mirror(1);
    if (border == BorderMode::reflect) return mirror(0);
  }
  if (border == BorderMode::replicate || border == BorderMode::constant) {
    const bool constant = border == BorderMode::constant;
    std::fill(line - left, line, constant ? outside : line[0]);
    std::fill(line + width, line + width + right, constant ? outside : line[width - 1]);
    return;
  }
  for (int x = -left; x < 0; ++x) line[x] = line[border_index(border, x, width)];
  for (int x = width; x < width + right; ++x) line[x] = line[border_index(border, x, width)];
}

// Makes a line of the samples at `from`, unless they lie there already, and extends it on both
// sides; leaves out what variants read from the middle's own place. nullptr is a row outside the
// picture.
template <class Lane, class T>
void load_line(const Plan& plan, const Reach& reach, const T* from, int width, int offset,
               const Middle& middle, Lane* line) {
  // 16-bit codes may wrap in a lane, which only integers do.
  using Wide = std::conditional_t<std::is_floating_point_v<Lane>, double, std::int32_t>;
  const Lane outside = static_cast<Lane>(static_cast<Wide>(plan.outside) - offset);
  if (from == nullptr) {
    std::fill(line - reach.left, line + width + reach.right, outside);
    return;
  }
  const auto load = [&](int begin, int end) HWY_ATTR {
    load_samples(from + begin, end - begin, plan.sample.shift, offset, line + begin);
  };
  if (!middle.empty()) {
    load(0, middle.begin + reach.right + Middle::beyond);
    load(middle.end - reach.left, width);
  } else if (static_cast<const void*>(from) != line) {
    load(0, width);
  }
  extend_line(plan.border, reach, width, outside, line);
}

// Prefetches the source rows that are needed next. Variants ask for them bit by bit as they
// compute, so that memory works meanwhile: rows are loaded in bursts, and the processor would wait
// for each.
template <int rows>
class NextRows {
 public:
  static constexpr std::ptrdiff_t cache_line = 64;

  // Some columns, to be prefetched row by row between other loads, which would wait for prefetches
  // that were issued all at once.
  class Columns {
   public:
    HWY_INLINE void ask(int row) const {
      for (std::ptrdiff_t at = from_; at < to_; at += cache_line) hwy::Prefetch(rows_[row] + at);
    }
    // Prefetches the first cache line of the columns, whether or not it was asked for before:
    // without a branch, for loops that branches hold up. Only interleaved rows have more.
    HWY_INLINE void ask_first(int row) const { hwy::Prefetch(rows_[row] + from_); }

   private:
    friend NextRows;
    HWY_INLINE Columns(const std::byte* const* rows_of, std::ptrdiff_t from, std::ptrdiff_t to)
        : rows_(rows_of), from_(from), to_(to) {}

    const std::byte* const* rows_;
    std::ptrdiff_t from_, to_;
  };

  // `first`: where the rows begin. `column`: bytes to prefetch with each column.
  NextRows(const std::array<const std::byte*, rows>& first, std::ptrdiff_t column)
      : rows_(first), column_(column) {}
  // Returns the columns up to `end` that were not asked for yet; `end` may lie beyond a row's end.
  HWY_INLINE Columns columns(int end) {
    const std::ptrdiff_t from = asked_;
    asked_ = std::max(asked_, (end * column_ + cache_line - 1) / cache_line * cache_line);
    return {rows_.data(), from, asked_};
  }
  // Prefetches these columns in all rows.
  HWY_INLINE void ask(int end) {
    for (; asked_ < end * column_; asked_ += cache_line)
      for (const std::byte* row : rows_) hwy::Prefetch(row + asked_);
  }

 private:
  std::array<const std::byte*, rows> rows_;
  std::ptrdiff_t column_;
  std::ptrdiff_t asked_ = 0;
};

// `Engine` is the code of a variant for one band. It has
//   Lane, rows         the type of its lines, and how many output rows it computes together
//   offset             what is subtracted from each code to make a lane
//   make_passes(source, passes, width)  makes the lines of its row passes from a source line
//   make_rows(window, out, width, next)  computes output rows, `width` samples of each; window[j]
//                      is the first line of the slot of source row j, counted from `above` rows
//                      over the first output row; out[r] is nullptr for a row below the band;
//                      `next` is to be asked for what the next call needs
//   rows_together()    where `rows` is only the most that it may be, and a band's last rows are
//                      computed without the rows below them; make_passes() then takes a NextRows<1>
//                      too, to ask for what the row below needs
//   select(k, begin)   where it keeps anything from call to call: the next calls are for component
//                      k, from column `begin` on (0, Middle::edge or another one)
//   least_in_place     where its rows are copied unless they have more samples than others' need
//   edge               where its blocks do not fit into WindowLayout::block: the samples before the
//                      middle, so that its blocks are whole there
template <class T, class Engine>
class BandRun {
 public:
  using Lane = typename Engine::Lane;
  static constexpr bool has_own_rows = requires(const Engine& e) { e.rows_together(); };
  static constexpr bool keeps_state = requires(Engine & e) { e.select(0, 0); };
  // Rows of fewer samples are copied, because calling a variant for both ends costs more.
  static constexpr int least_in_place = [] {
    if constexpr (requires { Engine::least_in_place; }) return Engine::least_in_place;
    return std::min(4096 / int{sizeof(T)}, 1536);
  }();
  static constexpr int edge = [] {
    if constexpr (requires { Engine::edge; }) return Engine::edge;
    return Middle::edge;
  }();
  static_assert(!keeps_state || edge == Middle::edge);  // Middle::part_of() tells parts by it

  // Takes a window for each pair of the band.
  BandRun(Engine& engine, const Plan& plan, const Reach& reach, const Band& band,
          const WindowLayout& layout, const Windows<Lane>& windows)
      : engine_(engine),
        plan_(plan),
        reach_(reach),
        band_(band),
        layout_(layout),
        windows_(windows),
        rows_([&] {
          if constexpr (has_own_rows) return engine.rows_together();
          return Engine::rows;
        }()),
        count_(static_cast<int>(std::count_if(band.pairs.begin(), band.pairs.end(),
                                              [](const PlanePair& one) { return !one.copied; }))),
        copies_(band.pairs.back().copied),
        width_(band.pairs.front().src.width),
        src_(pixel_layout<T>(band.pairs, &PlanePair::src)),
        dst_(pixel_layout<T>(band.pairs, &PlanePair::dst)),
        ahead_((src_.step * std::ptrdiff_t{sizeof(T)} + count_ - 1) / std::max(1, count_)),
        split_into_lines_(are_lanes<T, Lane>(plan, engine.offset)),
        middle_(middle_of<T, Lane>(plan, reach, pair(0).src, layout, least_in_place, edge,
                                   engine.offset)) {}

  void run() {
    int y = band_.first - reach_.above;  // the next source row to load
    for (int out_y = band_.first; out_y < band_.last; out_y += rows_) {
      for (; y < out_y + rows_from(out_y) + reach_.below; ++y) load(y);
      for (int k = 0; k < count_; ++k) {
        if (middle_.empty() || !layout_.only_sources()) {
          make_rows(k, out_y, y, 0, width_, false);
        } else {
          make_rows(k, out_y, y, 0, middle_.begin, false);
          make_rows(k, out_y, y, middle_.begin, middle_.end, true);
          make_rows(k, out_y, y, middle_.end, width_, false);
        }
      }
      for (int r = 0; dst_.step > 1 && r < std::min(rows_, band_.last - out_y); ++r)
        join(out_y + r, r);
    }
  }

 private:
  const PlanePair& pair(int k) const { return band_.pairs[static_cast<std::size_t>(k)]; }
  Window<Lane>& window(int k) const { return windows_[static_cast<std::size_t>(k)]; }
  int height() const { return pair(0).src.height; }
  // Returns how many output rows are computed from `out_y` on.
  int rows_from(int out_y) const {
    if constexpr (has_own_rows) return std::min(rows_, band_.last - out_y);
    return rows_;
  }
  int slot_of(int y) const { return (y - band_.first + reach_.above) % layout_.slots; }
  // Return where a source row's samples are unpacked to, and where output row r is made.
  T* came(int k) const { return reinterpret_cast<T*>(window(k).samples()); }
  T* made(int k, int r) const { return came(k) + (1 + r) * layout_.line; }

  void load(int y) {
    const int slot = slot_of(y), row = border_index(plan_.border, y, height());
    T* samples[most_packed] = {};
    for (int k = 0; k < count_ && row >= 0; ++k) {
      if (src_.step == 1)
        samples[k] = reinterpret_cast<T*>(src_.row(row));
      else if (split_into_lines_)
        samples[k] = reinterpret_cast<T*>(source_line(k, slot));
      else
        samples[k] = came(k);
    }
    if (src_.step != 1 && row >= 0)
      split_row(src_, src_.row(row), width_, reinterpret_cast<std::byte**>(samples));
    for (int k = 0; k < count_; ++k) load(k, slot, samples[k], y + 1);
  }

  Lane* source_line(int k, int slot) const { return window(k).lanes() + layout_.source(slot); }

  // Loads the row of component k whose samples are at `samples`; `next_y` is the row below.
  void load(int k, int slot, const T* samples, int next_y) {
    Lane* const source = source_line(k, slot);
    load_line(plan_, reach_, samples, width_, engine_.offset, middle_, source);
    const Lane* const in_place =
        middle_.empty() || samples == nullptr ? source : reinterpret_cast<const Lane*>(samples);
    window(k).in_place()[slot] = in_place;
    Lane* const passes = window(k).lanes() + layout_.passes(slot);
    const auto make = [&](const Lane* from, int begin, int end) {
      if constexpr (has_own_rows) {
        NextRows<1> next = next_rows<1>(k, next_y, begin);
        engine_.make_passes(from + begin, passes + begin, end - begin, next);
      } else {
        engine_.make_passes(from + begin, passes + begin, end - begin);
      }
    };
    if (middle_.empty()) return make(source, 0, width_);
    make(source, 0, middle_.begin);
    make(in_place, middle_.begin, middle_.end);
    make(source, middle_.end, width_);
  }

  // Computes the columns from `begin` up to `end` of component k in the output rows from `out_y`
  // on; `next_y` is the next source row to load.
  void make_rows(int k, int out_y, int next_y, int begin, int end, bool in_place) {
    Window<Lane>& lines = window(k);
    const int used = layout_.slots - (rows_ - rows_from(out_y));
    int slot = slot_of(out_y - reach_.above);
    for (int j = 0; j < used; ++j) {
      lines.rows()[j] =
          begin + (in_place ? lines.in_place()[slot] : lines.lanes() + layout_.first(slot));
      if (++slot == layout_.slots) slot = 0;
    }
    T* out[Engine::rows];
    for (int r = 0; r < rows_; ++r) {
      T* const row = dst_.step > 1 ? made(k, r) : reinterpret_cast<T*>(dst_.row(out_y + r));
      out[r] = out_y + r < band_.last ? row + begin : nullptr;
    }
    if constexpr (keeps_state) engine_.select(k, begin);
    auto next = next_rows<Engine::rows>(k, next_y, begin);
    engine_.make_rows(lines.rows(), out, end - begin, next);
  }

  // In interleaved rows each component asks for its share.
  template <int count>
  NextRows<count> next_rows(int k, int y, int begin) const {
    std::array<const std::byte*, count> rows;
    for (const std::byte*& row : rows)
      row = src_.row(std::clamp(y++, 0, height() - 1)) +
            (k * std::ptrdiff_t{width_} + begin) * ahead_;
    return {rows, ahead_};
  }

  void join(int y, int r) const {
    const std::byte* lines[most_packed] = {};
    for (int k = 0; k < count_; ++k) lines[k] = reinterpret_cast<const std::byte*>(made(k, r));
    join_row(dst_, lines, copies_ ? src_.row(y) : dst_.row(y), width_, dst_.row(y));
  }

  Engine& engine_;
  const Plan& plan_;
  const Reach& reach_;
  const Band& band_;
  const WindowLayout& layout_;
  const Windows<Lane> windows_;
  const int rows_;     // rows computed together
  const int count_;    // components that are computed; copied ones come last
  const bool copies_;  // whether there are copied ones
  const int width_;
  const PixelLayout src_, dst_;
  const std::ptrdiff_t ahead_;  // bytes a component asks for with each column
  const bool split_into_lines_;
  const Middle middle_;
};

template <class T, class Engine>
void run_band(Engine& engine, const Plan& plan, const Reach& reach, const Band& band,
              const WindowLayout& layout, const Windows<typename Engine::Lane>& windows) {
  BandRun<T, Engine>(engine, plan, reach, band, layout, windows).run();
  hwy::FlushStream();
}

// Runs a band of integer samples, of the plan's storage.
template <class Engine>
void run_band_of_codes(Engine& engine, const Plan& plan, const Band& band,
                       const WindowLayout& layout, const Windows<typename Engine::Lane>& windows) {
  const Reach reach = reach_of(plan);
  if (plan.sample.storage == Storage::u8)
    run_band<std::uint8_t>(engine, plan, reach, band, layout, windows);
  else
    run_band<std::uint16_t>(engine, plan, reach, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
