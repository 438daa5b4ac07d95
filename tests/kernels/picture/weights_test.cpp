// Weights: the smallest slopes above what is asked for, and samples of several pixels.
#include "kernels/picture/weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace vidconv {
namespace {

Weights noise(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  Weights weights(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      weights.row(y)[x] = static_cast<std::uint8_t>(random() % 4 == 0 ? random() % 256 : 0);
  return weights;
}

// Computes the definition, pixel by pixel.
int feathered(const Weights& weights, int x, int y, int reach) {
  double most = 0;
  for (int j = 0; j < weights.height(); ++j)
    for (int i = 0; i < weights.width(); ++i)
      most = std::max(
          most, weights.row(j)[i] - 255.0 * (std::abs(i - x) + std::abs(j - y)) / (reach + 1));
  return static_cast<int>(std::floor(most + 0.5));
}

TEST(Weights, FeatherIsTheSmallestSlope) {
  for (const int reach : {0, 1, 2, 7, 100})
    for (unsigned seed = 0; seed < 5; ++seed) {
      const Weights sharp = noise(11, 7, seed);
      Weights soft = sharp;
      soft.feather(reach);
      for (int y = 0; y < 7; ++y)
        for (int x = 0; x < 11; ++x) ASSERT_EQ(soft.row(y)[x], feathered(sharp, x, y, reach));
    }
  Weights region(9, 1);
  region.fill({4, 0, 1, 1}, 255);
  region.feather(2);
  EXPECT_EQ(std::vector<int>(region.row(0), region.row(0) + 9),
            (std::vector<int>{0, 0, 85, 170, 255, 170, 85, 0, 0}));
}

// The levels that a value chooses, brought in one after the other, are the mixture of the two next
// to it; no tile that has one of them is left out.
TEST(Weights, ALevelIsWhereItsValuesAre) {
  const Weights values = noise(150, 70, 4);
  for (const int count : {4, 5, 16}) {
    for (int value = 0; value <= 255; ++value) {
      double mixed = 0;
      for (int k = 1; k <= count; ++k)
        mixed += (k - mixed) * MapLevel{k, count}.weight_at(value) / 255.0;
      EXPECT_NEAR(mixed, value * count / 255.0, 1e-9) << value << " of " << count;
    }
    const auto levels = with_levels(values.plane(), count);
    ASSERT_EQ(levels.size(), static_cast<std::size_t>(count));
    for (int k = 1; k <= count; ++k) {
      Weights level(150, 70);
      for (int y = 0; y < 70; ++y)
        for (int x = 0; x < 150; ++x)
          level.row(y)[x] =
              static_cast<std::uint8_t>(MapLevel{k, count}.weight_at(values.row(y)[x]));
      EXPECT_EQ(levels[static_cast<std::size_t>(k - 1)], with_weight(level.plane())) << k;
    }
  }
  EXPECT_EQ(MapLevel().weight_at(77), 77);
}

TEST(Weights, SamplesHaveTheLargestOfTheirPixels) {
  const Weights pixels = noise(7, 9, 3);
  const Weights samples = touched(pixels, 2, 2, false, 4, 5);
  const Weights of_fields = touched(pixels, 2, 2, true, 4, 5);
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 4; ++x) {
      int most = 0, most_of_field = 0;
      for (int py = 0; py < 9; ++py)
        for (int px = 2 * x; px < std::min(2 * x + 2, 7); ++px) {
          if (py / 2 == y) most = std::max<int>(most, pixels.row(py)[px]);
          if (py % 2 == y % 2 && py / 4 == y / 2)
            most_of_field = std::max<int>(most_of_field, pixels.row(py)[px]);
        }
      EXPECT_EQ(samples.row(y)[x], most);
      EXPECT_EQ(of_fields.row(y)[x], most_of_field);
    }
}

TEST(Weights, RectanglesHoldThem) {
  Weights weights(200, 100);
  weights.fill({70, 40, 3, 2}, 1);
  weights.fill({190, 99, 10, 1}, 255);
  EXPECT_EQ(with_weight(weights.plane()), (std::vector<Rect>{{64, 32, 64, 16}, {128, 96, 72, 4}}));
  EXPECT_TRUE(with_weight(Weights(5, 5).plane()).empty());
}

}  // namespace
}  // namespace vidconv
