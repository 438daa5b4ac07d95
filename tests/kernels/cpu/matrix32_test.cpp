// Matrices of 3x3 by multiply-adds of neighbours: the bytes of the definition at all sizes, up to
// the largest sums that 32 bits hold.
#include <gtest/gtest.h>

#include "kernels/cpu/matrix32_plan.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/wherever_taken.h"

namespace vidconv::test {
namespace {

constexpr SampleType high_twelves{Storage::u16, 12, 4};

class Matrix32 : public WhereverTaken {
 protected:
  static void check(const Plan& plan, int width, int height, int step) {
    WhereverTaken::check(*find_variant("cpu-matrix32"), make_matrix32_plan(plan).has_value(), plan,
                         width, height, step);
  }
};

TEST_F(Matrix32, AreTheMatrices) {
  for (const SampleType& sample : {tens, twelves, high_twelves, sixteens})
    for (const BorderMode border : {BorderMode::reflect101, BorderMode::constant})
      for (const char* spec : {"sharpen", "emboss", "matrix:1 2 3;4 5 6;7 8 -10:scale=1/32",
                               "matrix:-1 2 3;4 -5 6;7 8 -9:scale=1/7:bias=0.3"})
        for (int size = 1; size <= 40 && !IsSkipped() && !HasFailure(); ++size) {
          SCOPED_TRACE(spec);
          check(plan_from(spec, sample, {border}), size, 41 - size, 1 + size % 3);
        }
}

// Black and white are drawn where the width is a multiple of 3. The last ones are beyond 31 bits
// less half of the codes, so that they are divided.
TEST_F(Matrix32, ClampsWhatIsWanted) {
  for (const char* spec : {"sharpen", "matrix:9 -7 5;-3 1 -15;-17 4 3:bias=0.5",
                           "matrix:-9 -7 -5;-3 -1 -15;-17 -4 -3:scale=1/64:bias=1",
                           "matrix:9 7 5;3 1 15;17 4 32000:scale=1/512",
                           "matrix:9 7 5;3 1 15;17 4 16000:scale=1/16384"})
    for (const SampleType& sample : {tens, twelves, sixteens})
      for (const Codes range : {Codes::all, Codes::limited})
        for (const int size : {3, 33, 66, 129}) {
          const Plan plan = plan_from(spec, sample, {}, range);
          if (make_matrix32_plan(plan) && !IsSkipped() && !HasFailure()) check(plan, size, 40, 1);
        }
}

TEST_F(Matrix32, RowsAreReadWhereTheyLie) {
  for (const SampleType& sample : {twelves, sixteens})
    for (const int width : {2100, 2127, 2160})
      if (!IsSkipped() && !HasFailure()) check(plan_from("sharpen", sample), width, 19, 1);
}

TEST(Matrix32Plan, IsOf3x3OfCodesOf16Bits) {
  const auto shifts = [](const char* spec, SampleType sample) {
    const auto plan = make_matrix32_plan(plan_from(spec, sample));
    return plan && plan->int16.shifts;
  };
  EXPECT_TRUE(shifts("sharpen", sixteens));
  EXPECT_TRUE(shifts("matrix:9 7 5;3 1 15;17 4 3:scale=1/64", sixteens));
  EXPECT_TRUE(make_matrix32_plan(plan_from("matrix:9 7 5;3 1 15;17 4 3:scale=1/65", sixteens)));
  EXPECT_FALSE(shifts("matrix:9 7 5;3 1 15;17 4 3:scale=1/65", sixteens));
  EXPECT_TRUE(
      make_matrix32_plan(plan_from("matrix:9 7 5;3 1 15;17 4 32000:scale=1/16384", sixteens)));
  EXPECT_FALSE(shifts("matrix:9 7 5;3 1 15;17 4 32000:scale=1/16384", sixteens)) << "2^31";
  EXPECT_FALSE(make_matrix32_plan(plan_from("sharpen", eights)));
  EXPECT_FALSE(make_matrix32_plan(plan_from("sobel", sixteens))) << "two kernels";
  EXPECT_FALSE(make_matrix32_plan(plan_from("matrix:1 2;3 4", sixteens)));
  EXPECT_FALSE(make_matrix32_plan(plan_from("sharpen", {Storage::f32, 32, 0})));
  Plan other = plan_from("sharpen", sixteens);
  other.terms[0].anchor_y = 0;
  EXPECT_FALSE(make_matrix32_plan(other));
}

}  // namespace
}  // namespace vidconv::test
