// Weights: how much of a filter's result goes into each sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/picture/rect.h"

namespace vidconv {

// Of the pixels of a picture or the samples of a plane: 0 leaves what was, 255 takes what was made
// of it.
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
  // A view of them; they own it.
  Plane<const std::uint8_t> plane() const {
    return {.data = all_.data(), .stride = width_, .width = width_, .height = height_};
  }
  std::size_t bytes() const { return all_.size(); }

  void fill(const Rect& rect, std::uint8_t weight);  // which lies in the picture
  void invert();
  // The smallest weights, none below what they are, that fall by at most 255 / (reach + 1) from one
  // pixel to each of its four neighbours; rounded to the nearest.
  void feather(int reach);

 private:
  int width_, height_;
  std::vector<std::uint8_t> all_;
};

// The weight that a sample of a filter's response gives, as it is stored: the largest code 255.
template <class T>
constexpr std::uint8_t weight_of(T stored, const SampleType& sample) {
  if constexpr (std::is_same_v<T, float>)
    return static_cast<std::uint8_t>(stored >= 1  ? 255.0F
                                     : stored > 0 ? stored * 255.0F + 0.5F
                                                  : 0.0F);  // NaN: 0
  else
    return static_cast<std::uint8_t>(((stored >> sample.shift) * 255 + sample.max() / 2) /
                                     sample.max());
}

// Row `j` of the `rows` rows of pixels that a sample of row `y` stands for, in its field where
// `by_field`.
constexpr int row_touched(int y, int j, int rows, bool by_field) {
  return by_field ? 2 * (y / 2 * rows + j) + y % 2 : y * rows + j;
}

// Weights of the samples of a plane of which each stands for `x` by `y` pixels, of its field where
// `by_field`: the largest of theirs. The plane has `width` by `height` samples.
Weights touched(const Weights& pixels, int x, int y, bool by_field, int width, int height);

// Rectangles that hold all weights but zeros, and few zeros; disjoint.
std::vector<Rect> with_weight(const Plane<const std::uint8_t>& weights);

}  // namespace vidconv
