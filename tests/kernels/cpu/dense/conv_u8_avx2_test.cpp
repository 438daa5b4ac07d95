// The plans that cpu-conv-u8-avx2 and cpu-separable-int-avx2 take, where these are, and that sums
// at the limits of 16 bits are those of the definition.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/cpu/dense/conv_u8_avx2_plan.h"
#include "kernels/cpu/separable/separable_int_avx2_plan.h"
#include "kernels/spec/parse.h"
#include "tests/kernels/support/on_avx2.h"
#include "tests/kernels/support/picture.h"

namespace vidconv::test {
namespace {

constexpr SampleType bytes{Storage::u8, 8, 0};

using PairsOnAvx2 = OnAvx2;
using PassesOnAvx2 = OnAvx2;

Plan plan_of(const std::string& spec, SampleType sample = bytes) {
  return make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour);
}

void expect_bytes_of_the_definition(const char* variant, const Plan& plan,
                                    const std::string& what) {
  Runner runner(*find_variant(variant), plan);
  unsigned turn = 0;
  for (auto [width, height] : {std::pair{1, 1}, {5, 9}, {64, 3}, {333, 6}, {4500, 2}})
    for (Content content : {Content::black_and_white, Content::noise}) {
      Picture src(plan.sample, width, height, {}, ++turn);
      src.draw(content, turn);
      Picture got(plan.sample, width, height, {}, turn + 1);
      const Picture want = expected(plan, src, got);
      runner.run(src, got);
      ASSERT_TRUE(got.bytes() == want.bytes()) << what << ", " << width << "x" << height;
    }
}

// Makes `size` rows of as many taps, which repeat `taps`.
std::string matrix(int size, const std::vector<int>& taps, const std::string& scale) {
  std::string spec = "matrix:";
  for (std::size_t i = 0; i < static_cast<std::size_t>(size * size); ++i) {
    const bool begins = i % static_cast<std::size_t>(size) == 0;
    spec += (i == 0 ? "" : begins ? ";" : " ") + std::to_string(taps[i % taps.size()]);
  }
  return spec + ":scale=" + scale;
}

TEST(Pairs, KnowsHowFarSumsGo) {
  const auto narrow = make_pairs_plan(plan_of("sharpen"));
  ASSERT_TRUE(narrow);
  EXPECT_FALSE(narrow->wide);
  EXPECT_FALSE(narrow->saturates);
  const auto saturates = make_pairs_plan(plan_of(matrix(9, {1, 7, 3, 5, 2, 6, 4}, "1/256")));
  ASSERT_TRUE(saturates);
  EXPECT_TRUE(saturates->saturates);
  EXPECT_EQ(saturates->groups.size(), 1U);
  const auto fits = make_pairs_plan(plan_of(matrix(7, {1, 7, 3, 5, 2, 6, 4}, "1/256")));
  ASSERT_TRUE(fits);
  EXPECT_FALSE(fits->saturates || fits->wide);
  const auto wide = make_pairs_plan(plan_of(matrix(9, {1, -7, 3, 5, -2, 6, 4}, "1/128")));
  ASSERT_TRUE(wide);
  EXPECT_TRUE(wide->wide);
  EXPECT_GT(wide->groups.size(), 1U);
}

TEST(Pairs, LeavesWhatDoesNotFitAlone) {
  EXPECT_TRUE(make_pairs_plan(plan_of("matrix:1 2 3;64 64 1;1 9 -128:scale=1/256")));
  EXPECT_FALSE(make_pairs_plan(plan_of("matrix:1 2 3;64 65 1;1 9 4:scale=1/256")))
      << "side by side";
  EXPECT_FALSE(make_pairs_plan(plan_of("matrix:1 2 3;4 5 64;1 9 65:scale=1/256"))) << "below";
  EXPECT_FALSE(make_pairs_plan(plan_of("matrix:1 2 3;4 128 6;7 8 1:scale=1/256"))) << "no byte";
  EXPECT_FALSE(make_pairs_plan(plan_of("gaussian:sigma=1"))) << "two passes";
  EXPECT_FALSE(make_pairs_plan(plan_of("sharpen", {Storage::u16, 10, 0})));
}

TEST_F(PairsOnAvx2, GivesTheBytesOfTheDefinition) {
  const std::vector<int> sets[] = {
      {1, 7, 3, 5, 2, 6, 4},           // sums within 16 bits, or beyond them
      {64, 64, 3, 1, 60, 40, 64},      // pairs as large as they may be
      {-64, 64, 3, -1, 60, -40, -64},  // both signs
      {-128, 0, 127, 0, 1, 0, -3, 0},
  };
  for (int size : {1, 2, 3, 4, 5, 6, 7, 9, 11, 12})
    for (const std::vector<int>& taps : sets)
      for (const char* scale : {"1/256", "1/2048", "1/77", "auto"}) {
        const std::string spec = matrix(size, taps, scale);
        const Plan plan = plan_of(spec);
        if (plan.operation() == Operation::sums && make_pairs_plan(plan))
          expect_bytes_of_the_definition("cpu-conv-u8-avx2", plan, spec);
      }
  for (const char* spec : {"matrix:1 2 3 4;5 6 7 8:scale=1/256:bias=0.2", "sharpen:bias=-0.1",
                           "matrix:1 2 -3;4 -5 6;7 -8 1:scale=1/16:abs=1"})
    expect_bytes_of_the_definition("cpu-conv-u8-avx2", plan_of(spec), spec);
}

TEST(Passes, TakesRowsThatAreTheSameFromBothEnds) {
  for (SampleType sample : {bytes, SampleType{Storage::u16, 10, 0}, {Storage::u16, 10, 6}}) {
    EXPECT_TRUE(make_passes_plan(plan_of("gaussian:sigma=1", sample)));
    EXPECT_FALSE(make_passes_plan(plan_of("sharpen", sample)));
  }
  EXPECT_FALSE(make_passes_plan(plan_of("gaussian:sigma=1", {Storage::u16, 16, 0})));
}

TEST_F(PassesOnAvx2, GivesTheBytesOfTheDefinition) {
  for (SampleType sample : {bytes, SampleType{Storage::u16, 10, 0}, {Storage::u16, 10, 6}})
    for (int radius : {1, 2, 3, 4, 5, 8, 17}) {
      const std::string spec =
          "gaussian:sigma=" + std::to_string(radius / 2.5) + ":radius=" + std::to_string(radius);
      const Plan plan = plan_of(spec, sample);
      if (make_passes_plan(plan))
        expect_bytes_of_the_definition("cpu-separable-int-avx2", plan, spec);
    }
}

}  // namespace
}  // namespace vidconv::test
