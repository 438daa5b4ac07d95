// Both passes at once over integers: the bytes of the definition at all sizes, wherever samples
// lie.
#include <gtest/gtest.h>

#include "kernels/cpu/fused16_plan.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/wherever_taken.h"

namespace vidconv::test {
namespace {

constexpr const char* soft = "gaussian:sigma=0.7:radius=1";

class Fused16 : public WhereverTaken {
 protected:
  static void check(const Plan& plan, int width, int height, int step) {
    WhereverTaken::check(*find_variant("cpu-fused16"), make_fused16_plan(plan).has_value(), plan,
                         width, height, step);
  }
};

TEST_F(Fused16, AreTheTwoPasses) {
  for (const SampleType& sample : {eights, tens, high_tens, twelves})
    for (const BorderMode border : {BorderMode::reflect101, BorderMode::constant})
      for (int size = 1; size <= 40 && !IsSkipped(); ++size)
        check(plan_from(soft, sample, {border}), size, 41 - size, 1 + size % 3);
}

TEST_F(Fused16, LastStepsOfAllKinds) {
  for (const char* spec : {"gaussian:sigma=0.7:radius=1:bias=0.1",
                           "gaussian:sigma=0.7:radius=1:bias=-0.2", "gaussian:sigma=5:radius=1"})
    for (const SampleType& sample : {eights, tens})
      for (const Codes range : {Codes::all, Codes::limited})
        for (int size = 1; size <= 40 && !IsSkipped(); ++size) {
          SCOPED_TRACE(spec);
          check(plan_from(spec, sample, {}, range), size, 41 - size, 1);
        }
}

TEST_F(Fused16, AnchorsMayBeAtACorner) {
  for (const SampleType& sample : {eights, tens})
    for (const int anchor : {0, 2}) {
      Plan plan = plan_from(soft, sample);
      plan.terms[0].anchor_x = plan.terms[0].anchor_y = anchor;
      for (int size = 1; size <= 40 && !IsSkipped(); ++size) check(plan, size, 41 - size, 1);
    }
}

TEST_F(Fused16, RowsAreReadWhereTheyLie) {
  for (const SampleType& sample : {eights, tens})
    for (const int width : {2100, 2127, 2160})
      if (!IsSkipped()) check(plan_from(soft, sample), width, 19, 1);
}

TEST(Fused16Plan, IsOfTwoPassesOf3TapsInIntegers) {
  EXPECT_TRUE(make_fused16_plan(plan_from(soft, eights)));
  EXPECT_FALSE(make_fused16_plan(plan_from(soft, sixteens))) << "floats";
  EXPECT_FALSE(make_fused16_plan(plan_from("gaussian:sigma=1.1:radius=2", eights))) << "five taps";
  EXPECT_FALSE(make_fused16_plan(plan_from("matrix:1 2 3;4 5 6;7 8 -10", eights))) << "a matrix";
  EXPECT_FALSE(make_fused16_plan(plan_from("sobel", eights))) << "two kernels";
  Plan other = plan_from(soft, eights);
  Taps& taps = other.terms[0];
  taps.height = 2;
  taps.column.pop_back();
  EXPECT_FALSE(make_fused16_plan(other)) << "two lines";
}

}  // namespace
}  // namespace vidconv::test
