// Very large kernels: transforms give the bytes of the definition.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/fft_plan.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

struct Case {
  const char* name;
  int width, height;
  bool exact;  // integers over 4096, else reals
  SampleType sample;
  int step;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const Case cases[] = {
    {"exact_8_bits", 97, 101, true, {Storage::u8, 8, 0}, 1},
    {"exact_16_bits", 131, 97, true, {Storage::u16, 16, 0}, 1},
    {"real_8_bits", 101, 97, false, {Storage::u8, 8, 0}, 3},
    {"real_10_bits_above", 113, 101, false, {Storage::u16, 10, 6}, 2},
    {"real_16_bits", 65, 97, false, {Storage::u16, 16, 0}, 1},
    {"largest_8_bits", 513, 513, false, {Storage::u8, 8, 0}, 1},
    {"largest_16_bits", 513, 513, false, {Storage::u16, 16, 0}, 1},
};

Filter filter_of(const Case& c) {
  std::mt19937 random(7);
  std::vector<double> taps;
  for (int i = c.width * c.height; i > 0; --i)
    taps.push_back(c.exact ? (static_cast<int>(random() % 15) - 6) / 4096.0
                           : (static_cast<double>(random()) * 0x1p-32 - 0.45) /
                                 (0.1 * c.width * c.height));
  Filter filter;
  filter.kernels = {Kernel(c.width, c.height, std::move(taps)).with_anchor(c.width / 3, 1)};
  filter.bias = 0.25;
  return filter;
}

class Fft : public testing::TestWithParam<Case> {};

// In pictures that are smaller than the kernel, and longer than the results of a tile.
TEST_P(Fft, GivesTheBytesOfTheDefinition) {
  const Case& c = GetParam();
  const Filter filter = filter_of(c);
  const bool largest = c.width == 513;  // takes a second a picture
  std::vector<std::pair<int, int>> sizes{{7, 5}};
  if (!largest) sizes.insert(sizes.end(), {{1, 1}, {33, 18}, {451, 3}, {2, 430}});
  int pictures = 0;  // an odd number of sizes: each meets both contents
  for (const auto& border : border_modes) {
    if (largest && border.mode != BorderMode::wrap) continue;
    const Plan plan = make_plan(filter, c.sample, {border.mode, 0.3}, Role::colour);
    ASSERT_TRUE(make_fft_plan(plan)) << c.name;
    ASSERT_EQ(pick(plan, Device::cpu).variant->name, "cpu-fft");
    Runner fft(*find_variant("cpu-fft"), plan, 3);
    for (const auto& [width, height] : sizes) {
      Picture src(c.sample, width, height, {.step = c.step}, 1);
      src.draw(++pictures % 2 == 0 ? Content::noise : Content::black_and_white, 2);
      Picture result(c.sample, width, height, {.step = c.step}, 3);
      const Picture truth = expected(plan, src, result);
      fft.run(src, result);
      ASSERT_EQ(result.bytes(), truth.bytes()) << border.name << ' ' << width << 'x' << height;
    }
  }
}

// As one of several variants, with several planes at once.
TEST_P(Fft, AgreesWithEveryVariant) {
  const Case& c = GetParam();
  const Plan plan = make_plan(filter_of(c), c.sample, {}, Role::colour);
  std::vector<Picture> sources, results, truths;
  for (unsigned i = 0; i < 3; ++i) {
    sources.emplace_back(c.sample, 9, 3, Arrangement{.step = c.step}, i);
    sources.back().draw(Content::noise, i);
    results.emplace_back(c.sample, 9, 3, Arrangement{.step = c.step}, 9);
    truths.push_back(expected(plan, sources.back(), results.back()));
  }
  for (const Variant* variant : runnable_variants(9, 3)) {
    if (!supports(*variant, plan)) continue;
    std::vector<Picture> own = results;
    Runner(*variant, plan).run(sources, own);
    for (std::size_t i = 0; i < own.size(); ++i)
      ASSERT_EQ(own[i].bytes(), truths[i].bytes()) << variant->name;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Fft, testing::ValuesIn(cases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(FftPlan, CutsTapsThatOneTransformCannotHold) {
  const Plan plan = make_plan(filter_of(cases[6]), cases[6].sample, {}, Role::colour);
  const auto fft = make_fft_plan(plan);
  ASSERT_TRUE(fft);
  EXPECT_GT(fft->pieces.size(), 1U);
  for (std::size_t i = 0; i < plan.terms[0].dense.size(); ++i) {
    double tap = 0;
    for (std::size_t p = 0; p < fft->pieces.size(); ++p)
      tap += std::ldexp(fft->pieces[p][i], fft->piece_bits * static_cast<int>(p));
    ASSERT_EQ(tap, plan.terms[0].dense[i]);
  }
}

TEST(FftPlan, IsForManyIntegers) {
  const SampleType bytes{Storage::u8, 8, 0};
  Filter small;
  small.kernels = {Kernel(5, 3, std::vector<double>(15, 1.0 / 16))};
  EXPECT_FALSE(make_fft_plan(make_plan(small, bytes, {}, Role::colour)));
  const SampleType floats{Storage::f32, 32, 0};
  EXPECT_FALSE(make_fft_plan(make_plan(filter_of(cases[0]), floats, {}, Role::colour)));
}

}  // namespace
}  // namespace vidconv::test
