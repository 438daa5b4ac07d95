// Two passes and a share of the sample itself, as unsharp masks are: the bytes of the definition.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>

#include "kernels/cpu/passes_plan.h"
#include "kernels/cpu/simd.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

constexpr SampleType byte_samples{Storage::u8, 8, 0};

Plan mask_plan(const char* spec, SampleType sample, Codes codes = Codes::all) {
  return make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour, codes);
}

// The one instruction set that the variant is for, where this build and machine have it.
class Masks : public testing::Test {
 protected:
  void SetUp() override {
    if (std::ranges::count(simd_levels(), SimdLevel{HWY_AVX2}) == 0) GTEST_SKIP() << "no AVX2";
    force_simd(HWY_AVX2);
  }
  void TearDown() override { force_simd(0); }

  static void check(const Plan& plan, int step) {
    const Variant& passes = *find_variant("cpu-passes");
    ASSERT_TRUE(supports(passes, plan));
    Runner runner(passes, plan);
    for (int size = 1; size <= 40; ++size) {
      Picture src(plan.sample, size, 41 - size, {.step = step}, 1);
      src.draw(size % 3 == 0 ? Content::black_and_white : Content::noise,
               static_cast<unsigned>(size));
      Picture result(plan.sample, size, 41 - size, {.step = step}, 3);
      const Picture truth = expected(plan, src, result);
      runner.run(src, result);
      ASSERT_EQ(result.bytes(), truth.bytes()) << size << ", step " << step;
    }
  }
};

TEST_F(Masks, AreThePassesAndTheSample) {
  for (const char* spec : {"unsharp", "unsharp:sigma=0.7:amount=0.5"}) {
    SCOPED_TRACE(spec);
    check(mask_plan(spec, byte_samples), 1);
    check(mask_plan(spec, byte_samples, Codes::limited), 3);
    check(mask_plan(spec, {Storage::u16, 10, 0}), 1);
    check(mask_plan(spec, {Storage::u16, 10, 6}), 2);
  }
  check(mask_plan("unsharp:amount=3:bias=0.1", byte_samples), 1);
  check(mask_plan("high-pass", byte_samples), 1);
}

TEST(MaskPlan, IsOfOneTapOnTheSampleItself) {
  const Plan plan = mask_plan("unsharp", byte_samples);
  ASSERT_EQ(plan.terms.size(), 2U);
  const auto passes = make_passes_plan(plan);
  ASSERT_TRUE(passes);
  EXPECT_TRUE(passes->any_dense());
  EXPECT_FALSE(make_passes_plan(mask_plan("gaussian", byte_samples))->any_dense());

  Plan other = plan;
  other.terms[1].joins = false;
  EXPECT_FALSE(make_passes_plan(other)) << "a kernel of its own";
  other = plan;
  other.terms[1].row[0] *= 3;
  EXPECT_FALSE(make_passes_plan(other)) << "no shift";
  other = plan;
  other.terms[1].row[0] *= 2;
  EXPECT_FALSE(make_passes_plan(other)) << "beyond 16 bits";
  other = plan;
  other.terms[1].row = {0, plan.terms[1].row[0]};
  other.terms[1].width = 2;
  EXPECT_FALSE(make_passes_plan(other)) << "beside it";
}

}  // namespace
}  // namespace vidconv::test
