// Both passes at once: the bytes of the definition at all sizes, wherever samples lie.
#include <gtest/gtest.h>

#include "kernels/cpu/separable/separable_f32_plan.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/wherever_taken.h"

namespace vidconv::test {
namespace {

constexpr SampleType codes{Storage::u16, 16, 0}, floats{Storage::f32, 32, 0};

class Fused : public WhereverTaken {
 protected:
  static void check(const Plan& plan, int width, int height, int step) {
    WhereverTaken::check(*find_variant("cpu-separable-f32"), make_fused_plan(plan).has_value(),
                         plan, width, height, step);
  }
};

TEST_F(Fused, AreTheTwoPasses) {
  for (const char* spec : {"gaussian:sigma=0.7:radius=1", "gaussian:sigma=1.1:radius=2",
                           "gaussian:sigma=1.5:radius=3"})
    for (const SampleType& sample : {codes, floats})
      for (const BorderMode border : {BorderMode::reflect101, BorderMode::constant})
        for (int size = 1; size <= 40 && !IsSkipped(); ++size) {
          SCOPED_TRACE(spec);
          check(plan_from(spec, sample, {border}), size, 41 - size, 1 + size % 3);
        }
}

TEST_F(Fused, UnsharpMasksAreTheTwoPassesAndATap) {
  const char *const small = "unsharp:sigma=0.6", *const usual = "unsharp:amount=0.4:bias=0.1";
  for (const auto& [spec, sample] :
       {std::pair{small, floats}, std::pair{usual, floats}, std::pair{usual, codes}}) {
    SCOPED_TRACE(spec);
    ASSERT_TRUE(make_fused_plan(plan_from(spec, sample))->tap);
    for (const BorderMode border : {BorderMode::reflect101, BorderMode::constant})
      for (int size = 1; size <= 40 && !IsSkipped(); ++size)
        check(plan_from(spec, sample, {border}), size, 41 - size, 1 + size % 3);
    for (const int width : {2100, 2127})
      if (!IsSkipped()) check(plan_from(spec, sample), width, 27, 1);
  }
}

TEST_F(Fused, MatricesOf3x3FloatsAreTheDefinition) {
  for (const char* spec :
       {"sharpen", "matrix:1 2 3;4 5 6;7 8 -10", "matrix:1 2 3;4 5 6;7 8 -10:bias=-0.5"})
    for (const BorderMode border : {BorderMode::reflect101, BorderMode::constant})
      for (const bool absolute : {false, true})
        for (int size = 1; size <= 40 && !IsSkipped(); ++size) {
          SCOPED_TRACE(spec);
          Plan plan = plan_from(spec, floats, {border});
          plan.finish.absolute = absolute;
          check(plan, size, 41 - size, 1 + size % 3);
        }
  for (const int width : {1151, 2100})
    if (!IsSkipped()) check(plan_from("sharpen", floats), width, 27, 1);
}

// Tries codes that do not use all of 16 bits, and last steps that add more than the rounding.
TEST_F(Fused, LastStepsOfAllKinds) {
  for (const char* spec :
       {"gaussian:sigma=0.7:radius=1:bias=0.1", "gaussian:sigma=1.1:radius=2:bias=-0.2"})
    for (int size = 1; size <= 40 && !IsSkipped(); ++size) {
      check(plan_from(spec, codes), size, 41 - size, 1);
      check(plan_from(spec, codes, {}, Codes::limited), size, 41 - size, 1);
      Plan plan = plan_from(spec, floats);
      check(plan, size, 41 - size, 1);
      plan.finish.absolute = true;
      check(plan, size, 41 - size, 1);
    }
}

TEST_F(Fused, AnchorsMayBeAtACorner) {
  for (const char* spec : {"gaussian:sigma=0.7:radius=1", "gaussian:sigma=1.1:radius=2",
                           "gaussian:sigma=1.5:radius=3"})
    for (const SampleType& sample : {codes, floats})
      for (const bool last : {false, true}) {
        Plan plan = plan_from(spec, sample);
        Taps& taps = plan.terms[0];
        taps.anchor_x = taps.anchor_y = last ? taps.width - 1 : 0;
        for (int size = 1; size <= 40 && !IsSkipped(); ++size) check(plan, size, 41 - size, 1);
      }
}

TEST_F(Fused, CodesInTheUpperBitsOfAWord) {
  for (const char* spec : {"gaussian:sigma=0.7:radius=1", "gaussian:sigma=1.1:radius=2"})
    for (const int depth : {13, 14, 15})
      for (int size = 1; size <= 40 && !IsSkipped(); ++size)
        check(plan_from(spec, {Storage::u16, depth, 16 - depth}), size, 41 - size, 1);
}

TEST_F(Fused, RowsAreReadWhereTheyLie) {
  for (const char* spec : {"gaussian:sigma=0.7:radius=1", "gaussian:sigma=1.1:radius=2",
                           "gaussian:sigma=1.5:radius=3"})
    for (const SampleType& sample : {codes, floats})
      for (const int width : {2100, 2127, 2160})
        if (!IsSkipped()) check(plan_from(spec, sample), width, 19, 1);
}

// Pictures have more rows than are computed together, so sums are kept several times.
TEST_F(Fused, TallPictures) {
  for (const SampleType& sample : {codes, floats})
    for (const int height : {97, 131})
      if (!IsSkipped()) check(plan_from("gaussian:sigma=1.5:radius=3", sample), 45, height, 1);
}

TEST(SeparableF32Plan, IsOfShortOddPassesInFloatsAndMatricesOf3x3) {
  const Plan plan = plan_from("gaussian:sigma=1.1:radius=2", codes);
  ASSERT_TRUE(make_fused_plan(plan));
  EXPECT_FALSE(make_fused_plan(plan_from("gaussian:sigma=1.1:radius=2", {Storage::u16, 10, 0})))
      << "integers";
  EXPECT_FALSE(make_fused_plan(plan_from("gaussian:sigma=3:radius=4", codes))) << "nine taps";
  const char* const matrix = "matrix:1 2 3;4 5 6;7 8 -10";
  EXPECT_TRUE(make_fused_plan(plan_from(matrix, floats))->is_matrix);
  EXPECT_FALSE(make_fused_plan(plan_from(matrix, codes))) << "a matrix of codes";
  EXPECT_FALSE(make_fused_plan(
      plan_from("matrix:1 2 3 4 5;5 4 3 2 1;1 1 7 1 1;2 3 4 5 6;1 0 0 0 2", floats)))
      << "a matrix of 5x5";
  EXPECT_FALSE(make_fused_plan(plan_from("sobel", floats))) << "two kernels";
  const Plan unsharp = plan_from("unsharp:sigma=0.6", floats);
  ASSERT_EQ(unsharp.terms.size(), 2U);
  for (const auto change : std::initializer_list<void (*)(Taps&)>{
           [](Taps& tap) { tap.row[0] = 2; }, [](Taps& tap) { tap.joins = false; },
           [](Taps& tap) { tap.row.push_back(1), tap.width = 2; }}) {
    Plan other = unsharp;
    change(other.terms[1]);
    EXPECT_FALSE(make_fused_plan(other)) << "more than a tap at the centre";
  }
  Plan elsewhere = unsharp;
  elsewhere.terms[0].anchor_x = 0;
  EXPECT_FALSE(make_fused_plan(elsewhere)) << "the tap is not at the centre";
  Plan other = plan;
  other.terms[0].pairwise = true;
  EXPECT_FALSE(make_fused_plan(other)) << "another order of additions";
  other = plan;
  other.terms[0].width = 4;
  EXPECT_FALSE(make_fused_plan(other)) << "not square";
}

}  // namespace
}  // namespace vidconv::test
