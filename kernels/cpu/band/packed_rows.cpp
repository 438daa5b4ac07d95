#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/band/packed_rows.cpp"
#endif
#undef VIDCONV_SCALABLE_VECTORS
#define VIDCONV_SCALABLE_VECTORS
#define VIDCONV_ANY_CPU
#define VIDCONV_DOT_PRODUCTS
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band/packed_rows.h"

HWY_BEFORE_NAMESPACE();
namespace vidconv {
namespace HWY_NAMESPACE {
namespace packed {

namespace hn = hwy::HWY_NAMESPACE;

// Loads the first `step` of these vectors, each with the samples of one place.
template <int step, class D, class V>
HWY_INLINE void load_places(D d, const hn::TFromD<D>* from, V& a, V& b, V& c, V& e) {
  if constexpr (step == 2) hn::LoadInterleaved2(d, from, a, b);
  if constexpr (step == 3) hn::LoadInterleaved3(d, from, a, b, c);
  if constexpr (step == 4) hn::LoadInterleaved4(d, from, a, b, c, e);
}
template <int step, class D, class V>
HWY_INLINE void store_places(D d, V a, V b, V c, V e, hn::TFromD<D>* to) {
  if constexpr (step == 2) hn::StoreInterleaved2(a, b, d, to);
  if constexpr (step == 3) hn::StoreInterleaved3(a, b, c, d, to);
  if constexpr (step == 4) hn::StoreInterleaved4(a, b, c, e, d, to);
}

// The lines in the order of their places.
template <class Line>
struct ByPlace {
  Line line[most_packed] = {};
  ByPlace(const PixelLayout& layout, const auto* lines) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(layout.count); ++k)
      line[layout.place[k]] = reinterpret_cast<Line>(lines[k]);
  }
};

// Calls block(x) for blocks of columns, the last of which may overlap the one before. Returns the
// first column that is left. Some places of the last pixel may lie beyond the row.
template <class Block>
HWY_INLINE int for_blocks(const PixelLayout& layout, int width, int lanes, const Block& block) {
  const int whole = layout.span() == layout.step ? width : width - 1;
  if (whole < lanes) return 0;
  for (int x = 0; x < whole; x += lanes) block(std::min(x, whole - lanes));
  return whole;
}

template <class T>
void split_samples(const PixelLayout& layout, const T* from, int x, int width,
                   std::byte* const* lines) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(layout.count); ++k) {
    T* const line = reinterpret_cast<T*>(lines[k]);
    if (line == nullptr) continue;
    for (int i = x; i < width; ++i)
      line[i] = from[std::ptrdiff_t{i} * layout.step + layout.place[k]];
  }
}

template <class T, int step>
void split_pixels(const PixelLayout& layout, const T* from, int width, std::byte* const* lines) {
  const ByPlace<T*> to(layout, lines);
  constexpr hn::ScalableTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int rest = for_blocks(layout, width, lanes, [&](int x) HWY_ATTR {
    hn::VFromD<hn::ScalableTag<T>> a, b, c, e;
    load_places<step>(d, from + std::ptrdiff_t{x} * step, a, b, c, e);
    if (to.line[0] != nullptr) hn::StoreU(a, d, to.line[0] + x);
    if (to.line[1] != nullptr) hn::StoreU(b, d, to.line[1] + x);
    if constexpr (step > 2)
      if (to.line[2] != nullptr) hn::StoreU(c, d, to.line[2] + x);
    if constexpr (step > 3)
      if (to.line[3] != nullptr) hn::StoreU(e, d, to.line[3] + x);
  });
  split_samples(layout, from, rest, width, lines);
}

template <class T>
void join_samples(const PixelLayout& layout, const std::byte* const* lines, const T* others, int x,
                  int width, T* to) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(layout.count); ++k) {
    const T* const line = reinterpret_cast<const T*>(lines[k]);
    for (int i = x; i < width; ++i) {
      const std::ptrdiff_t at = std::ptrdiff_t{i} * layout.step + layout.place[k];
      to[at] = line != nullptr ? line[i] : others[at];
    }
  }
}

template <class T, int step>
void join_pixels(const PixelLayout& layout, const std::byte* const* lines, const T* others,
                 int width, T* to) {
  const ByPlace<const T*> from(layout, lines);
  const bool all = std::count(from.line, from.line + step, nullptr) == 0;
  constexpr hn::ScalableTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int rest = for_blocks(layout, width, lanes, [&](int x) HWY_ATTR {
    auto a = hn::Zero(d), b = a, c = a, e = a;
    if (!all) load_places<step>(d, others + std::ptrdiff_t{x} * step, a, b, c, e);
    if (from.line[0] != nullptr) a = hn::LoadU(d, from.line[0] + x);
    if (from.line[1] != nullptr) b = hn::LoadU(d, from.line[1] + x);
    if constexpr (step > 2)
      if (from.line[2] != nullptr) c = hn::LoadU(d, from.line[2] + x);
    if constexpr (step > 3)
      if (from.line[3] != nullptr) e = hn::LoadU(d, from.line[3] + x);
    store_places<step>(d, a, b, c, e, to + std::ptrdiff_t{x} * step);
  });
  join_samples(layout, lines, others, rest, width, to);
}

template <class T>
void split_row(const PixelLayout& layout, const std::byte* row, int width,
               std::byte* const* lines) {
  const T* const from = reinterpret_cast<const T*>(row);
  switch (layout.step) {
    case 2:
      return split_pixels<T, 2>(layout, from, width, lines);
    case 3:
      return split_pixels<T, 3>(layout, from, width, lines);
    case 4:
      return split_pixels<T, 4>(layout, from, width, lines);
    default:
      split_samples(layout, from, 0, width, lines);
  }
}

template <class T>
void join_row(const PixelLayout& layout, const std::byte* const* lines, const std::byte* others,
              int width, std::byte* row) {
  const T* const beside = reinterpret_cast<const T*>(others);
  T* const to = reinterpret_cast<T*>(row);
  switch (layout.step) {
    case 2:
      return join_pixels<T, 2>(layout, lines, beside, width, to);
    case 3:
      return join_pixels<T, 3>(layout, lines, beside, width, to);
    case 4:
      return join_pixels<T, 4>(layout, lines, beside, width, to);
    default:
      join_samples(layout, lines, beside, 0, width, to);
  }
}

}  // namespace packed

void split_any_row(const PixelLayout& layout, const std::byte* from, int width,
                   std::byte* const* lines) {
  if (layout.bytes == 1) return packed::split_row<std::uint8_t>(layout, from, width, lines);
  if (layout.bytes == 2) return packed::split_row<std::uint16_t>(layout, from, width, lines);
  packed::split_row<std::uint32_t>(layout, from, width, lines);
}

void join_any_row(const PixelLayout& layout, const std::byte* const* lines, const std::byte* others,
                  int width, std::byte* to) {
  if (layout.bytes == 1) return packed::join_row<std::uint8_t>(layout, lines, others, width, to);
  if (layout.bytes == 2) return packed::join_row<std::uint16_t>(layout, lines, others, width, to);
  packed::join_row<std::uint32_t>(layout, lines, others, width, to);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vidconv {
HWY_EXPORT(split_any_row);
HWY_EXPORT(join_any_row);

void split_row(const PixelLayout& layout, const std::byte* from, int width,
               std::byte* const* lines) {
  HWY_DYNAMIC_DISPATCH(split_any_row)(layout, from, width, lines);
}

void join_row(const PixelLayout& layout, const std::byte* const* lines, const std::byte* others,
              int width, std::byte* to) {
  HWY_DYNAMIC_DISPATCH(join_any_row)(layout, lines, others, width, to);
}

}  // namespace vidconv
#endif  // HWY_ONCE
