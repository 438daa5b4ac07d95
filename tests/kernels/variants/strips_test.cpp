// Float planes whose rows are whole aligned vectors, as frames have them: variants may bring such
// rows in a way of their own, in strips that begin and end in any column and any row.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kernels/variants/variants.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/runner.h"

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
  constexpr Arrangement arrangements[] = {{.row_padding = 4, .guard = 64},
                                          {.row_padding = 0, .guard = 64},
                                          {.row_padding = 8, .bottom_up = true, .guard = 64}};
  const int size = GetParam();
  // One size in so many; those of CUDA, for which all this is, meet more.
#ifdef VIDCONV_THIN_SWEEP
  constexpr std::size_t cuda_step = 11, cpu_step = 101;
#else
  constexpr std::size_t cuda_step = 3, cpu_step = 23;
#endif
  std::size_t turn = static_cast<std::size_t>(size);
  for (const BorderMode border : all_borders)
    for (const bool absolute : {false, true}) {
      const Plan plan = make_plan(uneven(size, absolute), f32, {border, 0.3}, Role::colour);
      Runner reference(*find_variant("reference"), plan);
      for (const Variant* variant : runnable_variants(776, 333)) {
        if (!supports(*variant, plan) || variant->name == "reference" ||
            variant->name.starts_with("study-"))
          continue;
        const std::size_t step = variant->device == Device::cuda ? cuda_step : cpu_step;
        Runner runner(*variant, plan, 3);
        for (std::size_t i = turn++ % step; i < std::size(widths) * std::size(heights); i += step) {
          const int width = widths[i % std::size(widths)];
          const int height = heights[(i / 3 + i / std::size(widths)) % std::size(heights)];
          const auto seed = static_cast<unsigned>(i);
          Picture src(f32, width, height, arrangements[i % 3], seed);
          src.draw(Content::noise, seed);
          Picture want(f32, width, height, arrangements[i / 2 % 3], seed + 1);
          Picture got = want;
          reference.run(src, want);
          runner.run(src, got);
          ASSERT_TRUE(got.bytes() == want.bytes())
              << variant->name << ", " << width << "x" << height << ", border " << name_of(border)
              << (absolute ? ", absolute" : "");
        }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Strips, testing::Values(3, 5, 7, 9, 11, 13, 15, 17));

}  // namespace
}  // namespace vidconv::test
