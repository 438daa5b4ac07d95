// Large matrices: transforms give the bytes of the definition.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/fft/fft_plan.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/runner.h"
#include "tests/kernels/support/used_simd.h"

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

// Pictures are smaller than the kernel, or longer than the results of a tile.
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

// Runs as one of several variants, with several planes at once.
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

// Returns a matrix of integers whose sums need more than 31 bits, or do not.
Filter random_matrix(int width, int height, bool many_bits) {
  std::mt19937 random(11);
  std::vector<double> taps;
  for (int i = width * height; i > 0; --i)
    taps.push_back((static_cast<int>(random() % 8192) - 3000) / (many_bits ? 0x1p22 : 0x1p15));
  Filter filter;
  filter.kernels = {Kernel(width, height, std::move(taps)).with_anchor(width / 2, height - 1)};
  filter.absolute = width % 2 == 0;
  return filter;
}

TEST(FftPlan, IsForManyTapsInOnePass) {
  const SampleType bytes{Storage::u8, 8, 0};
  Filter box;
  box.kernels = {Kernel(5, 3, std::vector<double>(15, 1.0 / 16))};
  EXPECT_FALSE(make_fft_plan(make_plan(box, bytes, {}, Role::colour)));
  const SampleType floats{Storage::f32, 32, 0};
  EXPECT_TRUE(make_fft_plan(make_plan(filter_of(cases[0]), floats, {}, Role::colour)));
  EXPECT_FALSE(make_fft_plan(make_plan(random_matrix(20, 22, true), floats, {}, Role::colour)));
}

class FftOnEveryLevel : public testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override { force_simd(GetParam()); }
  void TearDown() override { force_simd(0); }

  static void check(const Filter& filter, SampleType sample, int step, int width, int height) {
    const Plan plan = make_plan(filter, sample, {BorderMode::constant, 0.7}, Role::colour);
    const Variant& fft = *find_variant("cpu-fft");
    ASSERT_TRUE(supports(fft, plan));
    Picture src(sample, width, height, {.step = step}, 1);
    src.draw(Content::noise, static_cast<unsigned>(width * height));
    Picture result(sample, width, height, {.step = step}, 3);
    const Picture truth = expected(plan, src, result);
    take_used_simd();
    Runner(fft, plan).run(src, result);
    ASSERT_PRED2(is_code_for, GetParam(), take_used_simd());
    ASSERT_EQ(result.bytes(), truth.bytes()) << width << 'x' << height << ", step " << step;
  }
};

// There is more than one tile, the last with just some columns and rows, and there are pictures
// with fewer samples than a vector has lanes.
TEST_P(FftOnEveryLevel, SumsOf31BitsAreTheDefinitions) {
  for (const auto& [width, height] : {std::pair{223, 260}, {40, 1}, {1, 40}, {13, 7}}) {
    check(random_matrix(36, 36, false), {Storage::u8, 8, 0}, 1, width, height);
    check(random_matrix(37, 35, false), {Storage::u16, 10, 6}, 2, width, height);
  }
}

TEST_P(FftOnEveryLevel, SumsOf52BitsAreTheDefinitions) {
  for (int size = 1; size <= 40; ++size)
    check(random_matrix(8, 9, true), {Storage::u16, 16, 0}, 1 + size % 2, size, 41 - size);
  check(random_matrix(9, 8, true), {Storage::u16, 16, 0}, 1, 300, 130);
}

// The variant for other matrices depends on the instruction set; a large one is always transformed.
TEST_P(FftOnEveryLevel, LargeMatricesArePicked) {
  for (const SampleType sample : {SampleType{Storage::u8, 8, 0}, SampleType{Storage::u16, 12, 0}}) {
    const auto variant = [&](int side) {
      return pick(make_plan(random_matrix(side, side, false), sample, {}, Role::colour),
                  Device::cpu)
          .variant->name;
    };
    EXPECT_NE(variant(11), "cpu-fft");
    EXPECT_EQ(variant(25), "cpu-fft");
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, FftOnEveryLevel, testing::ValuesIn(simd_levels()),
                         [](const auto& test) { return std::string(simd_name(test.param)); });

}  // namespace
}  // namespace vidconv::test
