// Values over time, in words and in files.
#include "kernels/spec/curve_spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/spec/parse.h"

namespace vidconv {
namespace {

constexpr std::int64_t one_second = 1'000'000;

ValueCurve curve_of(const std::string& spec) { return FilterSpec::parse(spec).timed().at(0).curve; }
double value_at(const ValueCurve& curve, std::int64_t moment) {
  return curve.value(curve.at(moment));
}

TEST(CurveSpec, GoesFromOneValueToTheOther) {
  const ValueCurve curve = curve_of("gaussian:sigma=0..8@10-20");
  EXPECT_EQ(curve.count(), 257);
  EXPECT_EQ(value_at(curve, INT64_MIN), 0);
  EXPECT_EQ(value_at(curve, 10 * one_second), 0);
  EXPECT_EQ(value_at(curve, 15 * one_second), 4);
  EXPECT_EQ(value_at(curve, 20 * one_second), 8);
  EXPECT_EQ(value_at(curve, INT64_MAX), 8);
  // Half a step at most is between it and the line.
  for (std::int64_t at = 10 * one_second; at < 20 * one_second; at += 12'345)
    EXPECT_NEAR(value_at(curve, at),
                8 * static_cast<double>(at - 10 * one_second) / (10. * one_second),
                8. / 512 + 1e-12);
}

TEST(CurveSpec, GoesDownAndByFramesAndInWholeNumbers) {
  const ValueCurve down = curve_of("sharpen:amount=2..0.5@f100-f200");
  EXPECT_TRUE(down.of_frames());
  EXPECT_EQ(value_at(down, 99), 2);
  EXPECT_EQ(value_at(down, 200), 0.5);
  const ValueCurve whole = curve_of("box:size=1..9@0-1");
  EXPECT_EQ(whole.count(), 9);
  EXPECT_EQ(value_at(whole, one_second / 2), 5);
}

TEST(CurveSpec, Eases) {
  const auto quarter = [](const std::string& ease) {
    return value_at(curve_of("gaussian:sigma=0..8@0-4:ease=" + ease), one_second);
  };
  EXPECT_EQ(quarter("linear"), 2);
  EXPECT_EQ(quarter("in"), 0.5);
  EXPECT_EQ(quarter("out"), 3.5);
  EXPECT_EQ(quarter("in-out"), 1);
  EXPECT_EQ(quarter("hold"), 0);
}

// The list has a moment wherever the value changes, and others only at keys.
TEST(CurveSpec, KnowsWhenItChanges) {
  for (const std::string ease : {"linear", "in", "out", "in-out", "hold"}) {
    SCOPED_TRACE(ease);
    const ValueCurve curve = curve_of("gaussian:sigma=0..8@f10-f900:ease=" + ease);
    std::vector<std::int64_t> moments;
    curve.add_changes(moments);
    EXPECT_TRUE(std::ranges::is_sorted(moments));
    for (std::int64_t at = 0; at < 1000; ++at)
      EXPECT_EQ(std::ranges::count(moments, at),
                curve.at(at) != curve.at(at - 1) ? 1 : std::ranges::count(moments, at))
          << at;
    for (const std::int64_t at : moments)
      EXPECT_TRUE(curve.at(at) != curve.at(at - 1) || at == 10 || at == 900) << at;
  }
}

TEST(CurveSpec, ReadsKeysFromAFile) {
  const std::string path = testing::TempDir() + "vidconv-keys.txt";
  std::ofstream(path) << "# how blurred\n0:01  0\n\n2.5 8 # most\n10 3\n";
  const FilterSpec spec = FilterSpec::parse("gaussian:sigma=@" + path + ":radius=9:ease=hold");
  EXPECT_EQ(spec.files(), std::vector<std::string>{path});
  const ValueCurve& curve = spec.timed().at(0).curve;
  EXPECT_EQ(value_at(curve, 2 * one_second), 0);
  EXPECT_EQ(value_at(curve, 3 * one_second), 8);
  EXPECT_EQ(value_at(curve, 99 * one_second), 3);
}

TEST(CurveSpec, ValuesMakeFilters) {
  const FilterSpec spec = FilterSpec::parse("gaussian:sigma=0..8@10-20:between=5-");
  EXPECT_FALSE(spec.is_for_all_frames());
  const int half[] = {128};
  const FilterSpec at = spec.with_values(half);
  EXPECT_TRUE(at.is_for_all_frames());
  EXPECT_EQ(at.make().kernels[0], FilterSpec::parse("gaussian:sigma=4").make().kernels[0]);
  EXPECT_EQ(spec.for_all_frames().make().kernels[0],
            FilterSpec::parse("gaussian:sigma=8").make().kernels[0]);
}

struct BadCurve {
  std::string spec;
  std::size_t column;
  std::string says;
};

TEST(CurveSpec, RefusesWhatMakesNoSense) {
  for (const BadCurve& bad : {
           BadCurve{"gaussian:sigma=0..8", 20, "'@' and when"},
           BadCurve{"gaussian:sigma=0..@1-2", 19, "a number"},
           BadCurve{"gaussian:sigma=0..1001@1-2", 19, "outside 0 to"},
           BadCurve{"gaussian:sigma=0..8@20-10", 21, "ends before it begins"},
           BadCurve{"sobel:bias=@keys.txt:scale=1", 12, "'bias' does not change with time"},
           BadCurve{"gaussian:sigma=0..8@5", 22, "'-' and when the last value"},
           BadCurve{"gaussian:sigma=0..8@5-", 23, "such as 90"},
           BadCurve{"gaussian:sigma=0..8@f5-10", 24, "the number of a frame"},
           BadCurve{"gaussian:sigma=0..8@5-f10", 23, "a time as its beginning is"},
           BadCurve{"gaussian:sigma=0..8..9@5-10", 20, "'@' and when"},
           BadCurve{"gaussian:sigma=2:ease=in", 23, "ease= is for values that change"},
           BadCurve{"gaussian:sigma=0..8@1-2:ease=inn", 30, "(did you mean 'in'?)"},
           BadCurve{"gaussian:sigma=@", 17, "the path of a file"},
           BadCurve{"gaussian:sigma=@/no/such", 17, "cannot read the file of keys '/no/such'"},
           BadCurve{"box:size=1.5..3@1-2", 10, "whole number"},
           BadCurve{"sobel:norm=l1..l2@1-2", 12, "not one of l2, l1, max"},
           BadCurve{"box:scale=0..1@1-2", 12, "'scale' does not change with time"},
           BadCurve{"gaussian:sigma=0..8@10-20:anchor=24,0", 1, "outside a kernel"},
       }) {
    try {
      FilterSpec::parse(bad.spec);
      ADD_FAILURE() << bad.spec << " was accepted";
    } catch (const SpecError& error) {
      EXPECT_EQ(error.column(), bad.column) << bad.spec << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(bad.says), std::string::npos)
          << bad.spec << ": " << error.what();
    }
  }
}

TEST(CurveSpec, RefusesWrongKeysInTheirLine) {
  const std::string path = testing::TempDir() + "vidconv-wrong-keys.txt";
  for (const auto& [text, says] : {std::pair{"1 2\n1 3\n", "line 2: it is not after"},
                                   {"1 2\nf3 3\n", "line 2: expected a time"},
                                   {"1\n", "line 1: expected a blank and the value"},
                                   {"1 1001\n", "line 1: 1001 is outside"},
                                   {"1 2 3\n", "line 1: expected the end of the line"},
                                   {"# nothing\n", "has no keys"}}) {
    std::ofstream(path) << text;
    try {
      FilterSpec::parse("gaussian:sigma=@" + path);
      ADD_FAILURE() << text << " was accepted";
    } catch (const SpecError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace vidconv
