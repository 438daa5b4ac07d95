// Square boxes of floats whose sums are made of eight lines at a time: the bytes of the definition
// at all sizes, wherever samples lie.
#include <gtest/gtest.h>

#include <string>

#include "kernels/cpu/turned_box_plan.h"
#include "kernels/spec/parse.h"
#include "tests/kernels/support/wherever_taken.h"

namespace vidconv::test {
namespace {

Plan square_plan(int size, const std::string& more = "", Border border = {},
                 SampleType sample = {Storage::f32, 32, 0}) {
  const std::string spec = "box:size=" + std::to_string(size) + more;
  return make_plan(FilterSpec::parse(spec).make(), sample, border, Role::colour);
}

class TurnedBox : public WhereverTaken {
 protected:
  static void check(const Plan& plan, int width, int height, int step = 1) {
    WhereverTaken::check(*find_variant("cpu-turned-box"), make_turned_box_plan(plan).has_value(),
                         plan, width, height, step);
  }
  // Steps that are unrolled, with and without one, two or three more; rings of whole groups and
  // others; even and odd ones in turns.
  template <class Check>
  static void each_size(const Check& check_size) {
    for (const int size : {6,  7,  8,  9,  10, 11, 12, 13, 14, 15,  16,  17,
                           19, 23, 24, 31, 32, 37, 50, 63, 81, 101, 127, 130}) {
      SCOPED_TRACE(size);
      check_size(size);
    }
  }
};

TEST_F(TurnedBox, AreTheDefinition) {
  each_size([](int size) {
    const BorderMode border = size % 3 == 0 ? BorderMode::constant : BorderMode::reflect101;
    const Plan plan = square_plan(size, "", {border});
    for (int side = 1; side <= 40 && !IsSkipped(); ++side)
      check(plan, side, 41 - side, 1 + size % 2);
  });
}

TEST_F(TurnedBox, TheLargestIsTheDefinition) { check(square_plan(Kernel::max_size), 30, 10); }

// Lines are kept from eight rows to the next eight, longer than any ring takes to turn.
TEST_F(TurnedBox, TallOnesAreTheDefinition) {
  each_size([](int size) {
    for (const int height : {7, 8, 9, 16, 17, 63, 64, 200}) check(square_plan(size), 11, height);
  });
}

TEST_F(TurnedBox, AnOffsetIsAdded) {
  each_size([](int size) { check(square_plan(size, ":bias=-0.25"), 41, 39); });
}

TEST_F(TurnedBox, AnchorsMayBeAtACorner) {
  each_size([](int size) {
    for (const int anchor : {0, size - 1}) {
      Plan plan = square_plan(size);
      plan.terms[0].anchor_x = plan.terms[0].anchor_y = anchor;
      check(plan, 75, 21);
    }
  });
}

// What is kept across lines is each part's own; what is kept along them goes on from part to part.
TEST_F(TurnedBox, RowsAreReadWhereTheyLie) {
  for (const int size : {6, 7, 15, 16, 31, 50})
    for (const int width : {1151, 2127}) check(square_plan(size), width, 17);
}

TEST(TurnedBoxPlan, IsOfSquaresOfEqualTapsOfFloats) {
  const Plan plan = square_plan(7);
  ASSERT_TRUE(make_turned_box_plan(plan));
  EXPECT_EQ(make_turned_box_plan(plan)->size, 7);
  EXPECT_TRUE(make_turned_box_plan(square_plan(Kernel::max_size)));
  EXPECT_FALSE(make_turned_box_plan(square_plan(7, "", {}, {Storage::u16, 16, 0}))) << "integers";
  EXPECT_FALSE(make_turned_box_plan(square_plan(5))) << "multiply-adds";
  Plan other = plan;
  other.terms[0].pairwise = false;
  EXPECT_FALSE(make_turned_box_plan(other)) << "other taps";
  other = plan;
  other.terms[0].height = 9;
  EXPECT_FALSE(make_turned_box_plan(other)) << "not square";
  other = plan;
  other.finish.absolute = true;
  EXPECT_FALSE(make_turned_box_plan(other)) << "absolute values";
}

}  // namespace
}  // namespace vidconv::test
