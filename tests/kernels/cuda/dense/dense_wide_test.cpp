// Dense matrices of integer samples that are larger than most: tiles and windows of variants that
// work on many columns at once begin and end in any column and any row.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/places.h"

namespace vidconv::test {
namespace {

// There is no sample of 16 bits: whole matrices of such taps would need sums of more than 32 bits,
// which these variants do not take.
constexpr SampleType wide_samples[] = {
    {Storage::u8, 8, 0}, {Storage::u16, 10, 0}, {Storage::u16, 10, 6}, {Storage::u16, 12, 0}};

struct Shape {
  int width, height, anchor_x, anchor_y;
  int most;  // bound of taps, integers over a power of 2; above 128 they take two bytes
};

// Returns taps of both signs, of full rank, of which no two neighbours are alike.
Filter matrix(const Shape& shape, bool absolute) {
  std::minstd_rand random(static_cast<unsigned>(shape.width * 64 + shape.height));
  const double divisor = shape.most > 127 ? 1 << 20 : 1 << 12;
  std::vector<double> taps;
  for (int i = 0; i < shape.width * shape.height; ++i) {
    const double tap = static_cast<double>(random() % static_cast<unsigned>(shape.most));
    taps.push_back((random() % 3 == 0 ? -tap : tap) / divisor);
  }
  const Kernel kernel(shape.width, shape.height, std::move(taps));
  return {.kernels = {kernel.with_anchor(shape.anchor_x, shape.anchor_y)},
          .bias = absolute ? 0.25 : 0,
          .absolute = absolute};
}

class WideMatrices : public testing::TestWithParam<Shape> {};

TEST_P(WideMatrices, BeginAndEndAnywhere) {
  // Sizes lie around multiples of 8, 16, 64 and 128 columns, and of 8 and 64 rows; some are smaller
  // than the matrix.
  constexpr int widths[] = {1, 7, 15, 16, 17, 40, 63, 64, 65, 120, 127, 128, 129, 136, 272};
  constexpr int heights[] = {1, 2, 7, 8, 9, 63, 64, 65, 72};
  const Places places{.widths = widths,
                      .heights = heights,
                      .arrangements = {{{.row_padding = 0, .guard = 64},
                                        {.row_padding = 5, .guard = 64},
                                        {.row_padding = 16, .bottom_up = true, .guard = 64}}},
                      .whole = {.cuda = 7, .cpu = 67},
                      .thin = {.cuda = 29, .cpu = 211}};
  const Shape& shape = GetParam();
  for (const SampleType& sample : wide_samples)
    expect_the_same_at(
        places, sample, [&](bool absolute) { return matrix(shape, absolute); },
        static_cast<std::size_t>(shape.width));
}

// Taps take one and two bytes; reaches go up to the limits of windows of 32, 48 and 64 samples, and
// beyond.
INSTANTIATE_TEST_SUITE_P(Shapes, WideMatrices,
                         testing::Values(Shape{11, 11, 5, 5, 7}, Shape{17, 17, 8, 8, 4000},
                                         Shape{9, 31, 8, 30, 100}, Shape{19, 10, 9, 0, 900},
                                         Shape{33, 33, 16, 16, 3}, Shape{32, 49, 15, 24, 300},
                                         Shape{49, 49, 24, 24, 500}, Shape{26, 12, 24, 11, 50},
                                         Shape{51, 11, 25, 5, 20}));

}  // namespace
}  // namespace vidconv::test
