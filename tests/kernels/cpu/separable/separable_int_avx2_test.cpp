// Two passes and a share of the sample itself, as unsharp masks are: the bytes of the definition.
#include <gtest/gtest.h>

#include "kernels/cpu/separable/separable_int_avx2_plan.h"
#include "kernels/spec/parse.h"
#include "tests/kernels/support/on_avx2.h"

namespace vidconv::test {
namespace {

constexpr SampleType byte_samples{Storage::u8, 8, 0};

Plan mask_plan(const char* spec, SampleType sample, Codes codes = Codes::all) {
  return make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour, codes);
}

class Masks : public OnAvx2 {
 protected:
  static void check(const Plan& plan, int step) {
    expect_bytes_at_all_sizes("cpu-separable-int-avx2", plan, step);
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
