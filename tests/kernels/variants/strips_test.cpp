// Float planes whose rows are whole aligned vectors, as frames have them: variants may bring such
// rows in a way of their own, in strips that begin and end in any column and any row.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/places.h"

namespace vidconv::test {
namespace {

// No two taps alike, so that none is taken for another.
Filter uneven(int size, bool absolute) {
  std::minstd_rand random(static_cast<unsigned>(size));
  std::vector<double> row, column;
  for (std::vector<double>* taps : {&row, &column})
    for (int i = 0; i < size; ++i)
      taps->push_back(static_cast<double>(random() % 2000) / 1000 - 0.9);
  return {
      .kernels = {outer_product(column, row)}, .bias = absolute ? 0.25 : 0, .absolute = absolute};
}

class Strips : public testing::TestWithParam<int> {};

TEST_P(Strips, BeginAndEndAnywhere) {
  // Around multiples of 64 and 256 columns; narrower than the kernel, too.
  constexpr int widths[] = {4,   8,   12,  16,  20,  60,  64,  68,  72,  124, 128, 132,
                            136, 188, 192, 252, 256, 260, 264, 320, 324, 508, 520, 776};
  constexpr int heights[] = {1, 2, 3, 7, 8, 9, 16, 17, 33, 72, 150, 333};
  // Those of CUDA, for which all this is, meet more sizes.
  const Places places{.widths = widths,
                      .heights = heights,
                      .arrangements = {{{.row_padding = 4, .guard = 64},
                                        {.row_padding = 0, .guard = 64},
                                        {.row_padding = 8, .bottom_up = true, .guard = 64}}},
                      .whole = {.cuda = 3, .cpu = 23},
                      .thin = {.cuda = 11, .cpu = 101}};
  const int size = GetParam();
  expect_the_same_at(
      places, f32, [&](bool absolute) { return uneven(size, absolute); },
      static_cast<std::size_t>(size));
}

INSTANTIATE_TEST_SUITE_P(Sizes, Strips, testing::Values(3, 5, 7, 9, 11, 13, 15, 17));

}  // namespace
}  // namespace vidconv::test
