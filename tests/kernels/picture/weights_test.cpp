// Weights: the smallest slopes above what is asked for, and samples of several pixels.
#include "kernels/picture/weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/convolver/blend.h"

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

// The definition, pixel by pixel.
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

// Against real arithmetic, rounded to the nearest: there are no ties.
TEST(Weights, BlendsAreTheNearestCodes) {
  for (const unsigned max : {255U, 1023U, 65535U})
    for (unsigned weight = 0; weight <= 255; ++weight)
      for (unsigned was = 0; was <= max; was += 1 + max / 83)
        for (unsigned filtered = 0; filtered <= max; filtered += 1 + max / 71) {
          const double real =
              (was * (255.0 - weight) + filtered * static_cast<double>(weight)) / 255;
          ASSERT_EQ(blended(static_cast<std::uint16_t>(was), static_cast<std::uint16_t>(filtered),
                            weight),
                    std::floor(real + 0.5));
        }
  // Bytes side by side: all of them.
  ThreadPool pool(1);
  std::vector<std::uint8_t> filtered(256), picture(256), weights(256);
  std::iota(filtered.begin(), filtered.end(), std::uint8_t{0});
  const BytePlane to{.data = reinterpret_cast<std::byte*>(picture.data()),
                     .stride = 256,
                     .width = 256,
                     .height = 1};
  const ConstBytePlane from =
      to.at(reinterpret_cast<const std::byte*>(filtered.data())).as<const std::byte>();
  for (int weight = 0; weight <= 255; ++weight)
    for (int was = 0; was <= 255; ++was) {
      std::ranges::fill(picture, static_cast<std::uint8_t>(was));
      std::ranges::fill(weights, static_cast<std::uint8_t>(weight));
      blend(pool, from, to, to.at(static_cast<const std::uint8_t*>(weights.data())), {});
      for (int i = 0; i <= 255; ++i)
        ASSERT_EQ(picture[static_cast<std::size_t>(i)],
                  blended(static_cast<std::uint8_t>(was), static_cast<std::uint8_t>(i),
                          static_cast<unsigned>(weight)));
    }
  EXPECT_EQ(blended(0.1F, 0.3F, 255), 0.3F);
  EXPECT_EQ(blended(0.1F, 0.3F, 0), 0.1F);
}

}  // namespace
}  // namespace vidconv
