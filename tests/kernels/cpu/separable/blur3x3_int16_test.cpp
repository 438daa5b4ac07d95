// Blurs of 3x3 by differences of neighbours: the bytes of the definition at all sizes, wherever
// samples lie.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/cpu/separable/blur3x3_int16_plan.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/wherever_taken.h"

namespace vidconv::test {
namespace {

constexpr SampleType nines{Storage::u16, 9, 0};
constexpr const char* soft_blur = "gaussian:sigma=0.7:radius=1";

// `across` and `down`: of either pass the tap at its sides.
Plan blur_of(double across, double down, SampleType sample) {
  const std::vector<double> row{across, 1 - 2 * across, across}, column{down, 1 - 2 * down, down};
  std::vector<double> taps;
  for (double y : column)
    for (double x : row) taps.push_back(y * x);
  return make_plan({.kernels = {Kernel(3, 3, taps)}}, sample, {}, Role::colour);
}

class Blur3 : public WhereverTaken {
 protected:
  static void check(const Plan& plan, int width, int height, int step) {
    WhereverTaken::check(*find_variant("cpu-blur3x3-int16"), make_blur3_plan(plan).has_value(),
                         plan, width, height, step);
  }
};

TEST_F(Blur3, AreTheTwoPasses) {
  for (const SampleType& sample : {eights, nines, tens, high_tens})
    for (const BorderMode border : {BorderMode::reflect101, BorderMode::constant})
      for (int size = 1; size <= 40 && !HasFailure(); ++size)
        check(plan_from(soft_blur, sample, {border}), size, 41 - size, 1 + size % 3);
}

// Black and white are drawn where the width is a multiple of 3: the largest differences. No taps
// are integers over a divisor.
TEST_F(Blur3, TapsOfAllSizes) {
  for (const SampleType& sample : {eights, tens})
    for (const double across :
         {1e-5 * std::sqrt(2.0), 0.1 * std::sqrt(2.0), 0.49998 - 1e-7 * std::sqrt(2.0)})
      for (const double down :
           {1e-5 * std::sqrt(3.0), 0.2 * std::sqrt(3.0), 0.49998 - 1e-7 * std::sqrt(3.0)})
        for (const int size : {3, 33, 66, 129})
          if (!HasFailure()) check(blur_of(across, down, sample), size, 40, 1);
}

TEST_F(Blur3, RowsAreReadWhereTheyLie) {
  for (const SampleType& sample : {eights, tens})
    for (const int width : {2100, 2127, 2160})
      if (!HasFailure()) check(plan_from(soft_blur, sample), width, 19, 1);
}

TEST(Blur3x3Plan, IsOfBlursOfThreeTapsAlone) {
  for (const SampleType& sample : {eights, nines, tens})
    EXPECT_TRUE(make_blur3_plan(plan_from(soft_blur, sample)));
  EXPECT_FALSE(make_blur3_plan(plan_from(soft_blur, twelves)));
  EXPECT_FALSE(make_blur3_plan(plan_from(soft_blur, sixteens)));
  EXPECT_FALSE(make_blur3_plan(plan_from(soft_blur, {Storage::f32, 32, 0})));
  EXPECT_FALSE(make_blur3_plan(plan_from("gaussian:sigma=1.1:radius=2", eights))) << "five taps";
  EXPECT_FALSE(make_blur3_plan(plan_from("gaussian:sigma=0.7:radius=1:bias=0.1", eights)));
  EXPECT_FALSE(make_blur3_plan(plan_from("gaussian:sigma=0.7:radius=1:abs=1", eights)));
  EXPECT_FALSE(make_blur3_plan(plan_from(soft_blur, eights, {}, Codes::limited)));
  EXPECT_FALSE(make_blur3_plan(plan_from("sharpen", eights)));
  EXPECT_FALSE(make_blur3_plan(plan_from("sobel", eights))) << "two kernels";
  EXPECT_FALSE(make_blur3_plan(blur_of(-0.1, 0.15, eights))) << "not between its neighbours";
  EXPECT_FALSE(make_blur3_plan(blur_of(0.1, 0.499999, eights))) << "nothing of its own";
  Plan other = plan_from(soft_blur, eights);
  other.terms[0].anchor_x = 0;
  EXPECT_FALSE(make_blur3_plan(other));
}

}  // namespace
}  // namespace vidconv::test
