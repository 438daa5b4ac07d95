// The plans that cpu-box-binomial-int takes. simd_test.cpp and the sweep compare its bytes with the
// reference's.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/cpu/box/box_binomial_int_plan.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"

namespace vidconv::test {
namespace {

bool is_taken(const char* spec, int depth, Codes codes = Codes::all) {
  const SampleType sample{depth == 8 ? Storage::u8 : Storage::u16, depth, 0};
  const Plan plan = make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour, codes);
  return static_cast<bool>(find_variant("cpu-box-binomial-int")->prepare(plan, {}));
}

TEST(Smooth, TakesSmallSquares) {
  for (int depth : {8, 10, 12, 16})
    for (const char* spec : {"binomial:size=3", "box:size=3", "box:size=5", "binomial:size=5"})
      EXPECT_TRUE(is_taken(spec, depth)) << spec << ", " << depth;
}

TEST(Smooth, TakesLargerOnesOfBytes) {
  EXPECT_TRUE(is_taken("box:size=7", 8));
  for (int depth : {10, 12, 16}) EXPECT_FALSE(is_taken("box:size=7", depth)) << depth;
}

TEST(Smooth, LeavesOthersAlone) {
  EXPECT_FALSE(is_taken("sharpen", 8));
  EXPECT_FALSE(is_taken("binomial:size=7", 8));
  EXPECT_FALSE(is_taken("box:size=4", 8));
  EXPECT_FALSE(is_taken("row:1 1 1 1 1:scale=auto", 8));
  EXPECT_FALSE(is_taken("box:size=9", 8));
  EXPECT_FALSE(is_taken("matrix:1 1 1;1 1 1;1 1 1:scale=1/8", 8)) << "sums beyond the largest code";
  EXPECT_FALSE(is_taken("box:size=3:bias=-0.1", 8)) << "sums below 0";
  EXPECT_FALSE(is_taken("box:size=3", 8, Codes::limited));
}

// Compares the lower 16 bits of the multiply-add of every possible sum.
TEST(Smooth, RoundsEverySumByFloats) {
  for (const char* spec : {"box:size=3", "box:size=5"}) {
    const Plan plan = make_plan(FilterSpec::parse(spec).make(), SampleType{Storage::u16, 16, 0}, {},
                                Role::colour, Codes::all);
    const BoxBinomialPlan smooth = make_smooth_plan(plan).value();
    const RoundedQuotient& rounded = smooth.rounded;
    ASSERT_NE(rounded.inverse, 0) << spec;
    const int divisor = smooth.size * smooth.size;
    int wrong = 0;
    for (std::int32_t sum = 0; sum <= divisor * 65535; ++sum) {
      const auto started = std::bit_cast<float>(sum + rounded.start);
      const float code = std::fma(started, rounded.inverse, rounded.added);
      wrong += static_cast<int>((std::bit_cast<std::uint32_t>(code) & 0xFFFF) !=
                                static_cast<std::uint32_t>((sum + divisor / 2) / divisor));
    }
    EXPECT_EQ(wrong, 0) << spec;
  }
}

TEST(Smooth, RoundsNothingHalfwayByFloats) {
  const Plan plan = make_plan(FilterSpec::parse("matrix:1 1 1;1 1 1;1 1 1:scale=1/10").make(),
                              SampleType{Storage::u16, 16, 0}, {}, Role::colour, Codes::all);
  EXPECT_EQ(make_smooth_plan(plan).value().rounded.inverse, 0);
}

}  // namespace
}  // namespace vidconv::test
