// What cpu-smooth takes. Its bytes are those of the reference: simd_test.cpp and the sweep.
#include <gtest/gtest.h>

#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"

namespace vidconv::test {
namespace {

bool is_taken(const char* spec, int depth, Codes codes = Codes::all) {
  const SampleType sample{depth == 8 ? Storage::u8 : Storage::u16, depth, 0};
  const Plan plan = make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour, codes);
  return static_cast<bool>(find_variant("cpu-smooth")->prepare(plan, {}));
}

TEST(Smooth, TakesSumsThatFit16Bits) {
  for (int depth : {8, 10, 12}) {
    EXPECT_TRUE(is_taken("binomial:size=3", depth)) << depth;
    EXPECT_TRUE(is_taken("box:size=3", depth)) << depth;
  }
  EXPECT_TRUE(is_taken("box:size=5", 8));
  EXPECT_TRUE(is_taken("box:size=5", 10));
  EXPECT_TRUE(is_taken("box:size=7", 8));
  EXPECT_TRUE(is_taken("binomial:size=5", 8));
  EXPECT_FALSE(is_taken("binomial:size=5", 10));
  EXPECT_FALSE(is_taken("box:size=5", 12));
  EXPECT_FALSE(is_taken("binomial:size=3", 16));
  EXPECT_FALSE(is_taken("box:size=3", 16));
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

}  // namespace
}  // namespace vidconv::test
