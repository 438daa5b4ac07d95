#include "kernels/picture/weights.h"

#include <algorithm>
#include <array>

#include "kernels/picture/rects.h"

namespace vidconv {
namespace {

constexpr int patch_width = 64, patch_height = 16;  // samples

// Raises weights along a line of `count`, `step` apart, so that none is more than 255 below a
// neighbour.
void limit_slope(std::int32_t* line, std::ptrdiff_t step, int count) {
  for (int i = 1; i < count; ++i)
    line[i * step] = std::max(line[i * step], line[(i - 1) * step] - 255);
  for (int i = count - 1; i-- > 0;)
    line[i * step] = std::max(line[i * step], line[(i + 1) * step] - 255);
}

bool has_weight(const Plane<const std::uint8_t>& weights, const Rect& tile) {
  for (int y = tile.y; y < tile.bottom(); ++y) {
    const std::uint8_t* row = weights.row(y);
    if (std::any_of(row + tile.x, row + tile.right(), [](std::uint8_t w) { return w != 0; }))
      return true;
  }
  return false;
}

template <class Take>
void for_tiles(const Plane<const std::uint8_t>& weights, Take take) {
  for (int y = 0; y < weights.height; y += patch_height)
    for (int x = 0; x < weights.width; x += patch_width)
      take(cut({x, y, patch_width, patch_height}, weights.width, weights.height));
}

}  // namespace

void Weights::fill(const Rect& rect, std::uint8_t weight) {
  for (int y = rect.y; y < rect.bottom(); ++y)
    std::fill(row(y) + rect.x, row(y) + rect.right(), weight);
}

void Weights::invert() {
  for (std::uint8_t& weight : all_) weight = static_cast<std::uint8_t>(255 - weight);
}

void Weights::feather(int reach) {
  if (reach == 0) return;
  // Weights are in units of 1 / (reach + 1), so that they are rounded once, at the end.
  const int unit = reach + 1;
  std::vector<std::int32_t> scaled(all_.begin(), all_.end());
  for (std::int32_t& weight : scaled) weight *= unit;
  for (int y = 0; y < height_; ++y)
    limit_slope(&scaled[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_)], 1, width_);
  for (int x = 0; x < width_; ++x)
    limit_slope(&scaled[static_cast<std::size_t>(x)], width_, height_);
  for (std::size_t i = 0; i < all_.size(); ++i)
    all_[i] = static_cast<std::uint8_t>((scaled[i] + unit / 2) / unit);
}

Weights touched(const Weights& pixels, int x, int y, bool by_field, int width, int height) {
  Weights samples(width, height);
  for (int row = 0; row < height; ++row) {
    std::uint8_t* to = samples.row(row);
    for (int j = 0; j < y; ++j) {
      const int from_row = row_touched(row, j, y, by_field);
      if (from_row >= pixels.height()) continue;
      const std::uint8_t* from = pixels.row(from_row);
      if (x == 1)  // without divisions
        for (int i = 0; i < pixels.width(); ++i) to[i] = std::max(to[i], from[i]);
      else
        for (int i = 0; i < pixels.width(); ++i) to[i / x] = std::max(to[i / x], from[i]);
    }
  }
  return samples;
}

std::vector<Rect> with_weight(const Plane<const std::uint8_t>& weights) {
  std::vector<Rect> tiles;
  for_tiles(weights, [&](const Rect& tile) {
    if (has_weight(weights, tile)) tiles.push_back(tile);
  });
  return disjoint(tiles);
}

std::vector<std::vector<Rect>> with_levels(const Plane<const std::uint8_t>& values, int count) {
  std::array<std::uint64_t, 256> levels_of{};  // a bit for each level
  for (int value = 0; value <= 255; ++value)
    for (int k = 1; k <= count; ++k)
      if (MapLevel{k, count}.weight_at(value) > 0)
        levels_of[static_cast<std::size_t>(value)] |= std::uint64_t{1} << (k - 1);
  std::vector<std::vector<Rect>> levels(static_cast<std::size_t>(count));
  for_tiles(values, [&](const Rect& tile) {
    std::uint64_t here = 0;
    for (int y = tile.y; y < tile.bottom(); ++y) {
      const std::uint8_t* row = values.row(y);
      for (int x = tile.x; x < tile.right(); ++x) here |= levels_of[row[x]];
    }
    for (std::size_t k = 0; k < levels.size(); ++k)
      if ((here >> k & 1) != 0) levels[k].push_back(tile);
  });
  for (std::vector<Rect>& tiles : levels) tiles = disjoint(tiles);
  return levels;
}

}  // namespace vidconv
