// When filters act, in words.
#include "kernels/spec/time_spec.h"

#include <gtest/gtest.h>

#include <string>

#include "kernels/spec/parse.h"

namespace vidconv {
namespace {

constexpr std::int64_t second = 1'000'000;

When when(const std::string& between) {
  return FilterSpec::parse("box:between=" + between + ":size=5").when();
}
When times(std::vector<Stretch> stretches) { return {.times = std::move(stretches), .frames = {}}; }

TEST(TimeSpec, ReadsTimesAsStartDoes) {
  EXPECT_EQ(when("1:00-1:30"), times({{60 * second, 90 * second}}));
  EXPECT_EQ(when("0.5-12.25"), times({{second / 2, 12'250'000}}));
  EXPECT_EQ(when("1:02:03.5-2:00:00"), times({{3'723'500'000, 7200 * second}}));
  EXPECT_EQ(when("500ms-2s"), times({{second / 2, 2 * second}}));
  EXPECT_EQ(when("90-1:31"), times({{90 * second, 91 * second}}));
  EXPECT_EQ(when("7us-0:00:01"), times({{7, second}}));
}

TEST(TimeSpec, EndsMayBeOpen) {
  EXPECT_EQ(when("1:00-"), times({{60 * second, INT64_MAX}}));
  EXPECT_EQ(when("-1:00"), times({{INT64_MIN, 60 * second}}));
  EXPECT_EQ(when("f7-"), (When{.times = {}, .frames = {{7, INT64_MAX}}}));
  EXPECT_EQ(when("-f7"), (When{.times = {}, .frames = {{INT64_MIN, 8}}}));
}

TEST(TimeSpec, FramesAreCountedWithTheLast) {
  EXPECT_EQ(when("f100-f200"), (When{.times = {}, .frames = {{100, 201}}}));
  EXPECT_TRUE(when("f5-f5").holds(0, 5));
  EXPECT_FALSE(when("f5-f5").holds(5, 6));
}

TEST(TimeSpec, SeveralStretches) {
  const When several = when("0-1,f10-f12,1:00-");
  EXPECT_EQ(several,
            (When{.times = {{0, second}, {60 * second, INT64_MAX}}, .frames = {{10, 13}}}));
  EXPECT_TRUE(several.holds(0, 0));
  EXPECT_FALSE(several.holds(second, 9));  // a time's end is no part of it
  EXPECT_TRUE(several.holds(second, 12));
  EXPECT_TRUE(several.holds(100 * second, 99));
  EXPECT_TRUE(When().always());
}

TEST(TimeSpec, BelongsToEveryFilter) {
  EXPECT_EQ(FilterSpec::parse("matrix:0 1 0;1 1 1;0 1 0:between=1-2:scale=auto").when(),
            times({{second, 2 * second}}));
  const FilterSpec spec = FilterSpec::parse("sobel:between=1:00-1:30:norm=l1");
  EXPECT_FALSE(spec.when().always());
  EXPECT_TRUE(spec.for_all_frames().when().always());
  EXPECT_EQ(spec.for_all_frames().make().combine, Combine::l1);
}

struct BadStretch {
  std::string between;
  std::size_t column;  // in it
  std::string says;
};

TEST(TimeSpec, RefusesWhatMakesNoSense) {
  const std::string before = "box:between=";
  for (const BadStretch& bad : {
           BadStretch{"", 1, "such as 90, 1:30 or 500ms"},
           BadStretch{"-", 1, "a beginning or an end is needed"},
           BadStretch{"1:00", 5, "'-' and the end"},
           BadStretch{"1:30-1:00", 1, "has to end after it begins"},
           BadStretch{"5-5", 1, "nothing lies between"},
           BadStretch{"f9-f8", 1, "ends before it begins"},
           BadStretch{"f10-2:00", 5, "a number of a frame as its beginning is"},
           BadStretch{"10-f20", 4, "a time as its beginning is"},
           BadStretch{"1:60-2:00", 3, "up to 59"},
           BadStretch{"1:2:3:4-", 1, "hours, minutes and seconds at most"},
           BadStretch{"1.5:00-", 1, "only seconds have a fraction"},
           BadStretch{"1e3-", 1, "write a time as"},
           BadStretch{"2e9-", 1, "write a time as"},
           BadStretch{"2000000000-", 1, "up to 1e+09 seconds"},
           BadStretch{"1-2,", 5, "such as 90, 1:30 or 500ms"},
           BadStretch{"1-2;3-4", 4, "',' and another stretch"},
           BadStretch{"f-f3", 2, "digits after 'f'"},
           BadStretch{"f99999999999999999999-", 2, "no video has as many"},
           BadStretch{"+1-2", 1, "such as 90"},
           BadStretch{"1 - 2", 2, "'-'"},
           BadStretch{"-0", 1, "ends where the input begins"},
           BadStretch{"1-2:between=3-4", 5, "'between' was given already"},
           BadStretch{"-1-2", 3, "','"},
       }) {
    try {
      FilterSpec::parse(before + bad.between);
      ADD_FAILURE() << bad.between << " was accepted";
    } catch (const SpecError& error) {
      EXPECT_EQ(error.column(), before.size() + bad.column) << bad.between << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(bad.says), std::string::npos)
          << bad.between << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace vidconv
