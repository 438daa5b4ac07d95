// Boxes of floats whose sums are made along and across lines at once: the bytes of the definition
// at all sizes, wherever samples lie.
#include <gtest/gtest.h>

#include <string>

#include "kernels/cpu/box/box_f32_avx512_plan.h"
#include "kernels/spec/parse.h"
#include "tests/kernels/support/wherever_taken.h"

namespace vidconv::test {
namespace {

Plan plan_of_floats(const std::string& spec, Border border = {},
                    SampleType sample = {Storage::f32, 32, 0}) {
  return make_plan(FilterSpec::parse(spec).make(), sample, border, Role::colour);
}

std::string box_of(int size) { return "box:size=" + std::to_string(size); }

class FusedBox : public WhereverTaken {
 protected:
  static void check(const Plan& plan, int width, int height, int step = 1) {
    WhereverTaken::check(*find_variant("cpu-box-f32-avx512"), make_fused_box_plan(plan).has_value(),
                         plan, width, height, step);
  }
  // Checks each size of box.
  template <class Check>
  static void each_size(const Check& check_size) {
    for (int size = FloatBoxPlan::least; size <= FloatBoxPlan::most && !IsSkipped(); ++size) {
      SCOPED_TRACE(box_of(size));
      check_size(size);
    }
  }
};

TEST_F(FusedBox, AreTheDefinition) {
  each_size([](int size) {
    for (const BorderMode border : {BorderMode::reflect101, BorderMode::constant})
      for (int side = 1; side <= 40 && !IsSkipped(); ++side)
        check(plan_of_floats(box_of(size), {border}), side, 41 - side, 1 + side % 3);
  });
}

// Sums of lines are kept from eight rows to the next eight.
TEST_F(FusedBox, TallOnesAreTheDefinition) {
  each_size([](int size) {
    for (const int height : {7, 8, 9, 16, 17, 40, 63, 64})
      if (!IsSkipped()) check(plan_of_floats(box_of(size)), 70, height);
  });
}

TEST_F(FusedBox, AnOffsetIsAdded) {
  each_size([](int size) { check(plan_of_floats(box_of(size) + ":bias=-0.25"), 41, 39); });
}

TEST_F(FusedBox, AnchorsMayBeAtACorner) {
  each_size([](int size) {
    for (const int anchor : {0, size - 1}) {
      Plan plan = plan_of_floats(box_of(size));
      plan.terms[0].anchor_x = plan.terms[0].anchor_y = anchor;
      if (!IsSkipped()) check(plan, 75, 21);
    }
  });
}

// Each part of a row keeps its own sums.
TEST_F(FusedBox, RowsAreReadWhereTheyLie) {
  each_size([](int size) {
    for (const int width : {1151, 2100, 2127, 2160})
      if (!IsSkipped()) check(plan_of_floats(box_of(size)), width, 27);
  });
}

TEST(FloatBoxPlan, IsOfSquaresOfFewEqualTapsOfFloats) {
  const Plan plan = plan_of_floats(box_of(7));
  ASSERT_TRUE(make_fused_box_plan(plan));
  EXPECT_EQ(make_fused_box_plan(plan)->size, 7);
  EXPECT_FALSE(make_fused_box_plan(plan_of_floats(box_of(7), {}, {Storage::u16, 16, 0})))
      << "integers";
  EXPECT_FALSE(make_fused_box_plan(plan_of_floats(box_of(5)))) << "multiply-adds";
  EXPECT_FALSE(make_fused_box_plan(plan_of_floats(box_of(17)))) << "too wide";
  EXPECT_FALSE(make_fused_box_plan(plan_of_floats("gaussian:sigma=1"))) << "other taps";
  Plan other = plan;
  other.terms[0].height = 9;
  EXPECT_FALSE(make_fused_box_plan(other)) << "not square";
  other = plan;
  other.finish.absolute = true;
  EXPECT_FALSE(make_fused_box_plan(other)) << "absolute values";
}

}  // namespace
}  // namespace vidconv::test
