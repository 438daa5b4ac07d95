// Filters over time: which frames stand for those that are not there, and what taps become.
#include "kernels/filter/over_time.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/plan/plan.h"
#include "kernels/spec/parse.h"

namespace vidconv {
namespace {

std::vector<std::int64_t> around(TimeBorder border, std::int64_t count) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t n = -3; n < count + 3; ++n)
    numbers.push_back(time_border_index(border, n, count));
  return numbers;
}

TEST(OverTime, BordersStandForFramesThatAreNotThere) {
  using Numbers = std::vector<std::int64_t>;
  EXPECT_EQ(around(TimeBorder::replicate, 3), (Numbers{0, 0, 0, 0, 1, 2, 2, 2, 2}));
  EXPECT_EQ(around(TimeBorder::reflect, 3), (Numbers{2, 1, 0, 0, 1, 2, 2, 1, 0}));
  EXPECT_EQ(around(TimeBorder::reflect101, 3), (Numbers{1, 2, 1, 0, 1, 2, 1, 0, 1}));
  EXPECT_EQ(around(TimeBorder::zero, 3), (Numbers{-1, -1, -1, 0, 1, 2, -1, -1, -1}));
  EXPECT_EQ(around(TimeBorder::shrink, 1), (Numbers{-1, -1, -1, 0, -1, -1, -1}));
  EXPECT_EQ(around(TimeBorder::reflect101, 1), (Numbers(7, 0)));
}

Plan plan_of(const std::string& spec) {
  return make_plan(FilterSpec::parse(spec).make(), {}, {}, Role::colour);
}

TEST(OverTime, TapsAreARowOverFrames) {
  const Plan plan = plan_of("time:1 2 1:scale=auto");
  EXPECT_EQ(plan.operation(), Operation::over_time);
  EXPECT_EQ(plan.terms.at(0).dense, (std::vector<double>{1, 2, 1}));
  EXPECT_EQ(plan.terms[0].anchor_x, 1);
  EXPECT_EQ(plan.finish.divisor, 4u);
  EXPECT_EQ(plan_of("time:1 1:scale=auto").terms[0].anchor_x, 1);
  EXPECT_EQ(plan_of("time:0 0 5 0 0:scale=auto").operation(), Operation::copy);
  EXPECT_EQ(plan_of("time:1 2 3:flip=1:anchor=0").terms[0].anchor_x, 2);
}

TEST(OverTime, PlanesOfChromaHaveTheSameTaps) {
  const FilterSpec spec = FilterSpec::parse("time-gaussian:sigma=2:anchor=3");
  EXPECT_EQ(spec.make({2, 2}).kernels, spec.make().kernels);
  EXPECT_EQ(spec.of_stored({.a = 0, .b = 1, .c = -1, .d = 0}).make({2, 1}).kernels,
            spec.make().kernels);
}

TEST(OverTime, ATrailWeighsEarlierFramesLess) {
  const Filter filter = FilterSpec::parse("time-exp:decay=0.5").make();
  const Kernel& kernel = filter.kernels[0];
  EXPECT_EQ(kernel.width(), 13);  // 2^-12 is a code of 12 bits
  EXPECT_EQ(kernel.anchor_x(), 12);
  for (int k = 1; k < kernel.width(); ++k)
    EXPECT_DOUBLE_EQ(kernel.at(k - 1, 0), kernel.at(k, 0) / 2);
  EXPECT_NEAR(kernel.sum(), 1, 1e-12);
  EXPECT_EQ(FilterSpec::parse("time-exp:decay=0.99").make().kernels[0].width(), max_time_taps);
}

TEST(OverTime, PlanesOfAVolumeLieOneBelowTheOther) {
  const Plan plan = make_plan(
      FilterSpec::parse("volume:1 2 3;4 5 6|7 8 9;10 11 12|1 1 1;1 1 1:scale=auto").make(), {},
      {.mode = BorderMode::wrap}, Role::colour);
  EXPECT_EQ(plan.operation(), Operation::over_time);
  EXPECT_EQ(plan.border, BorderMode::wrap);
  EXPECT_EQ(plan.terms.at(0).dense.size(), 18u);
  EXPECT_EQ(plan.plane_rows(), 2);
  EXPECT_EQ(plan.tap_frames().count, 3);
  EXPECT_EQ(plan.tap_frames().anchor, 1);
  EXPECT_EQ(plan.terms[0].anchor_y, 3);  // the second row of the second plane
  // Mathematical convolution turns time too.
  const Plan flipped = plan_of("volume:1 2;3 4|5 6;7 8:anchor=0,0,0:flip=1");
  EXPECT_EQ(flipped.terms[0].dense, (std::vector<double>{8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(flipped.terms[0].anchor_x, 1);
  EXPECT_EQ(flipped.terms[0].anchor_y, 3);
}

TEST(OverTime, AVolumeIsTurnedPlaneByPlane) {
  const FilterSpec spec = FilterSpec::parse("volume:1 2 3;4 5 6|7 8 9;10 11 12");
  const Filter turned = spec.of_stored({.a = 0, .b = 1, .c = -1, .d = 0}).make();
  EXPECT_EQ(turned.over_time->plane_rows, 3);
  const Kernel& kernel = turned.kernels[0];
  EXPECT_EQ(kernel.width(), 2);
  EXPECT_EQ(kernel.height(), 6);
  const char* const planes[] = {"matrix:1 2 3;4 5 6", "matrix:7 8 9;10 11 12"};
  for (int k = 0; k < 2; ++k) {
    const Filter plane =
        FilterSpec::parse(planes[k]).of_stored({.a = 0, .b = 1, .c = -1, .d = 0}).make();
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i)
        EXPECT_EQ(kernel.at(i, 3 * k + j), plane.kernels[0].at(i, j)) << k << i << j;
    EXPECT_EQ(kernel.anchor_x(), plane.kernels[0].anchor_x());
    EXPECT_EQ(kernel.anchor_y(), 3 + plane.kernels[0].anchor_y());
  }
}

TEST(OverTime, WithoutFramesTheSumStays) {
  const Plan plan = plan_of("time:1 2 3 4:scale=1/10:anchor=2:border=shrink");
  const Plan rest = without_frames(plan, 2, 0);
  EXPECT_EQ(rest.terms[0].width, 4);
  EXPECT_EQ(rest.terms[0].dense, (std::vector<double>{0, 0, 3, 4}));
  EXPECT_EQ(rest.finish.divisor, 7u);
  const Plan volume = without_frames(plan_of("volume:1 1|3 5|1 1:scale=1/12:border=shrink"), 1, 0);
  EXPECT_EQ(volume.terms[0].dense, (std::vector<double>{0, 0, 3, 5, 1, 1}));
  EXPECT_EQ(volume.finish.divisor, 10u);
  // Nothing is left but frames without weight.
  const Plan none = without_frames(plan_of("time:1 0 0 4:scale=1/5:anchor=1:border=shrink"), 1, 1);
  EXPECT_EQ(none.terms[0].dense, (std::vector<double>{0, 1, 0, 0}));
}

}  // namespace
}  // namespace vidconv
