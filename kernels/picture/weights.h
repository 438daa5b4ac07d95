// Weights: how much of a filter's result goes into each sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/picture/rect.h"

namespace vidconv {

// Weights for the pixels of a picture or the samples of a plane: 0 keeps the source, 255 takes the
// filtered sample.
class Weights {
 public:
  Weights(int width, int height)
      : width_(width),
        height_(height),
        all_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  int width() const { return width_; }
  int height() const { return height_; }
  std::uint8_t* row(int y) { return all_.data() + std::ptrdiff_t{y} * width_; }
  const std::uint8_t* row(int y) const { return all_.data() + std::ptrdiff_t{y} * width_; }
  // Returns a view of the weights, which this object owns.
  Plane<const std::uint8_t> plane() const {
    return {.data = all_.data(), .stride = width_, .width = width_, .height = height_};
  }
  std::size_t bytes() const { return all_.size(); }

  // Sets the weights of a rectangle, which lies in the picture.
  void fill(const Rect& rect, std::uint8_t weight);
  void invert();
  // Raises weights as little as possible so that they fall by at most 255 / (reach + 1) from one
  // pixel to each of its four neighbours; rounded to the nearest.
  void feather(int reach);

 private:
  int width_, height_;
  std::vector<std::uint8_t> all_;
};

// Returns the weight that a stored sample of a filter's response stands for: 255 for the largest
// code.
template <class T>
constexpr std::uint8_t weight_of(T stored, const SampleType& sample) {
  if constexpr (std::is_same_v<T, float>)
    return static_cast<std::uint8_t>(stored >= 1  ? 255.0F
                                     : stored > 0 ? stored * 255.0F + 0.5F
                                                  : 0.0F);  // 0 for NaN
  else
    return static_cast<std::uint8_t>(((stored >> sample.shift) * 255 + sample.max() / 2) /
                                     sample.max());
}

// One of the blurs that a map chooses from: `number` of `count`, counted from 1; 0: all of them.
struct MapLevel {
  int number = 0, count = 0;
  bool operator==(const MapLevel&) const = default;

  // Returns the weight of this level where the map is `value`, 0 to 255; of all of them the value
  // itself. A pixel between two levels gets all of the lower one and then as much of the upper one
  // as lies between.
  VIDCONV_HD constexpr int weight_at(int value) const {
    if (number == 0) return value;
    const int above = value * count - 255 * (number - 1);  // beyond the level below
    if (above <= 0) return 0;
    if (above <= 255) return above;
    return above < 2 * 255 || number == count ? 255 : 0;  // further up other levels cover it
  }
};

// Returns the row of pixels that is row `j` of the `rows` rows that a sample of row `y` stands for;
// in its field where `by_field`.
constexpr int row_touched(int y, int j, int rows, bool by_field) {
  return by_field ? 2 * (y / 2 * rows + j) + y % 2 : y * rows + j;
}

// Returns the weights of a plane of `width` by `height` samples, of which each stands for `x` by
// `y` pixels (of its field where `by_field`): the largest of theirs.
Weights touched(const Weights& pixels, int x, int y, bool by_field, int width, int height);

// Returns disjoint rectangles that hold all weights but zeros, and few zeros.
std::vector<Rect> with_weight(const Plane<const std::uint8_t>& weights);

// Returns such rectangles for each level of a map with these values, weakest first.
std::vector<std::vector<Rect>> with_levels(const Plane<const std::uint8_t>& values, int count);

}  // namespace vidconv
