// Worked examples from a course's text (ECE569, modules 45 and 46), and others by hand.
#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

// Returns the result of every variant for `codes`, row by row; the variants must agree.
std::vector<double> filtered(const Filter& filter, SampleType sample, Border border, int width,
                             const std::vector<double>& codes) {
  const int height = static_cast<int>(codes.size()) / width;
  Picture src(sample, width, height, {}, 1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) src.set(x, y, codes[static_cast<std::size_t>(y * width + x)]);
  const Plan plan = make_plan(filter, sample, border, Role::colour);
  std::vector<double> result;
  for (const Variant* variant : runnable_variants()) {
    if (!supports(*variant, plan)) continue;
    Picture dst(sample, width, height, {}, 2);
    Runner(*variant, plan).run(src, dst);
    std::vector<double> codes_out;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) codes_out.push_back(dst.get(x, y));
    if (result.empty()) result = codes_out;
    EXPECT_EQ(codes_out, result) << variant->name;
  }
  return result;
}

TEST(Published, OneDimensionWithGhostCells) {
  const Filter mask{.kernels = {Kernel(5, 1, {3, 4, 5, 4, 3})}};
  const std::vector<double> expected = {22, 38, 57, 76, 95, 90, 74};
  for (SampleType sample : {u8, u16, f32})
    EXPECT_EQ(filtered(mask, sample, {BorderMode::constant, 0}, 7, {1, 2, 3, 4, 5, 6, 7}),
              expected);
}

TEST(Published, TwoDimensions) {
  const Filter mask{.kernels = {Kernel(5, 5, {1, 2, 3, 2, 1, 2, 3, 4, 3, 2, 3, 4, 5,
                                              4, 3, 2, 3, 4, 3, 2, 1, 2, 3, 2, 1})}};
  const std::vector<double> pixels = {1, 2, 3, 4, 5, 2, 3, 4, 5, 6, 3, 4, 5,
                                      6, 7, 4, 5, 6, 7, 8, 5, 6, 7, 8, 5};
  for (SampleType sample : {u16, f32})
    EXPECT_EQ(filtered(mask, sample, {BorderMode::constant, 0}, 5, pixels)[12], 321);
}

TEST(Examples, CorrelationNotConvolution) {
  const Kernel k(3, 1, {1, 0, 0});
  EXPECT_EQ(filtered({.kernels = {k}}, u8, {BorderMode::replicate}, 4, {10, 20, 30, 40}),
            (std::vector<double>{10, 10, 20, 30}));
  EXPECT_EQ(filtered({.kernels = {k.flipped()}}, u8, {BorderMode::replicate}, 4, {10, 20, 30, 40}),
            (std::vector<double>{20, 30, 40, 40}));
}

TEST(Examples, SobelOfAStep) {
  Filter sobel{.kernels = {Kernel(3, 3, {-1, 0, 1, -2, 0, 2, -1, 0, 1}),
                           Kernel(3, 3, {-1, -2, -1, 0, 0, 0, 1, 2, 1})}};
  const std::vector<double> step = {0, 0, 10, 10, 0, 0, 10, 10, 0, 0, 10, 10};
  const std::vector<double> edges = {0, 40, 40, 0, 0, 40, 40, 0, 0, 40, 40, 0};
  for (Combine combine : {Combine::l2, Combine::l1, Combine::max}) {
    sobel.combine = combine;
    EXPECT_EQ(filtered(sobel, u8, {}, 4, step), edges);
  }
}

TEST(Examples, LengthOfAGradient) {
  Filter gradient{.kernels = {Kernel(1, 1, {3}), Kernel(1, 1, {4})}};
  gradient.combine = Combine::l2;
  EXPECT_EQ(filtered(gradient, u8, {}, 3, {0, 7, 50}), (std::vector<double>{0, 35, 250}));
}

}  // namespace
}  // namespace vidconv::test
