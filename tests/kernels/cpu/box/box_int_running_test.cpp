// Running sums: the bytes of the definition with sums of any width, on every instruction set.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "kernels/cpu/box/box_int_running_plan.h"
#include "kernels/cpu/simd/division16.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

constexpr SampleType codes_of_8{Storage::u8, 8, 0};

Plan equal_from(const std::string& spec, SampleType sample = codes_of_8) {
  return make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour, Codes::all);
}

// A matrix of `width` x `height` equal taps.
std::string matrix_of_ones(int width, int height, const std::string& more = ":scale=auto") {
  std::string row = "1";
  for (int x = 1; x < width; ++x) row += " 1";
  std::string spec = "matrix:" + row;
  for (int y = 1; y < height; ++y) spec += ";" + row;
  return spec + more;
}

RunningBoxPlan running_of(const Plan& plan) { return make_running_plan(plan).value(); }

class Running : public testing::Test {
 protected:
  void TearDown() override { force_simd(0); }

  static void check(const Plan& plan, int width, int height, int step, Content content) {
    Picture src(plan.sample, width, height, {.step = step}, 1);
    src.draw(content, static_cast<unsigned>(width));
    const Picture before(plan.sample, width, height, {.step = step}, 3);
    const Picture truth = expected(plan, src, before);
    for (const SimdLevel level : simd_levels()) {
      force_simd(level);
      const Variant& variant = *find_variant("cpu-box-int-running");
      if (!supports(variant, plan)) {           // a processor from before SSE4
        ASSERT_GT(level, SimdLevel{HWY_SSE4});  // lesser levels have higher bits
        continue;
      }
      Picture result = before;
      Runner(variant, plan).run(src, result);
      ASSERT_EQ(result.bytes(), truth.bytes())
          << width << "x" << height << ", step " << step << ", " << simd_name(level);
    }
  }
  static void check_all_sizes(const Plan& plan) {
    for (int size = 1; size <= 40 && !HasFatalFailure(); ++size)
      check(plan, size, 41 - size, 1 + size % 3,
            size % 3 == 0 ? Content::black_and_white : Content::noise);
    for (const Content content : {Content::full, Content::black_and_white})
      if (!HasFatalFailure()) check(plan, 1100, 9, 1, content);  // several pieces
  }
};

TEST_F(Running, ResultsOf16Bits) {
  for (const auto& [width, height] : {std::pair{15, 15}, {16, 16}, {2, 128}, {128, 2}, {1, 256}}) {
    const Plan plan = equal_from(matrix_of_ones(width, height));
    ASSERT_TRUE(running_of(plan).division16) << width << "x" << height;
    check_all_sizes(plan);
  }
}

TEST_F(Running, ColumnsOf16Bits) {
  for (const auto& [width, height] : {std::pair{17, 16}, {101, 101}, {3, 128}, {40, 127}}) {
    const Plan plan = equal_from(matrix_of_ones(width, height));
    ASSERT_FALSE(running_of(plan).division16) << width << "x" << height;
    ASSERT_TRUE(running_of(plan).in_16_bits()) << width << "x" << height;
    check_all_sizes(plan);
  }
}

TEST_F(Running, ColumnsOfMore) {
  for (const auto& [width, height] : {std::pair{3, 129}, {20, 257}}) {
    const Plan plan = equal_from(matrix_of_ones(width, height));
    ASSERT_FALSE(running_of(plan).in_16_bits()) << width << "x" << height;
    check_all_sizes(plan);
  }
}

TEST_F(Running, LastStepsOfAllKinds) {
  for (const char* more : {":scale=1/400:bias=0.1", ":scale=1/300:bias=-0.2",
                           ":scale=-1/200:bias=1", ":scale=3/700", ":scale=1/256"}) {
    SCOPED_TRACE(more);
    const Plan plan = equal_from(matrix_of_ones(20, 18, more));
    ASSERT_TRUE(make_running_plan(plan));
    check_all_sizes(plan);
  }
}

// Every sum there may be, with a fused multiply-add and with two roundings.
TEST(RunningBoxPlan, DividesEverySumByFloats) {
  for (const auto& [spec, depth] : {std::pair{"box:size=17", 8},
                                    {"box:size=101", 8},
                                    {"box:size=127", 8},
                                    {"box:size=63", 10},
                                    {"box:size=31", 12}}) {
    const SampleType sample{depth == 8 ? Storage::u8 : Storage::u16, depth, 0};
    const RunningBoxPlan running = running_of(equal_from(spec, sample));
    ASSERT_NE(running.inverse, 0) << spec << ", " << depth;
    const auto divisor = static_cast<std::int32_t>(running.finish.divisor);
    const float half = running.inverse / 2;
    int wrong = 0;
    for (std::int32_t sum = 0; sum <= running.finish.limit; ++sum) {
      const auto value = static_cast<float>(sum);
      const volatile float product = value * running.inverse;
      const int code = sum / divisor;
      wrong += static_cast<int>(static_cast<int>(std::fma(value, running.inverse, half)) != code);
      wrong += static_cast<int>(static_cast<int>(product + half) != code);
    }
    EXPECT_EQ(wrong, 0) << spec << ", " << depth;
  }
}

TEST(RunningBoxPlan, LeavesLargeDivisorsToIntegers) {
  EXPECT_EQ(running_of(equal_from("box:size=129")).inverse, 0);
  EXPECT_EQ(running_of(equal_from("box:size=101", {Storage::u16, 16, 0})).inverse, 0);
}

}  // namespace
}  // namespace vidconv::test
