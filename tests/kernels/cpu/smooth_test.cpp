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

}  // namespace
}  // namespace vidconv::test
