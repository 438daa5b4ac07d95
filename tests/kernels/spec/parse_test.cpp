// Filter specifications: what they mean, and what is said of a wrong one.
#include "kernels/spec/parse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/filter/presets.h"

namespace vidconv {
namespace {

std::vector<double> parsed_taps(const std::string& spec, Subsampling s = {}) {
  const Filter filter = FilterSpec::parse(spec).make(s);
  const auto view = filter.kernels.at(0).taps();
  return {view.begin(), view.end()};
}

using TapList = std::vector<double>;

TEST(Parse, ReadsMatricesInEveryNotation) {
  EXPECT_EQ(parsed_taps("matrix:1 2;3 4"), (TapList{1, 2, 3, 4}));
  EXPECT_EQ(parsed_taps("matrix:1,2;3, 4"), (TapList{1, 2, 3, 4}));
  EXPECT_EQ(parsed_taps("matrix: 1  2 ; +3 -4e-1 "), (TapList{1, 2, 3, -0.4}));
  EXPECT_EQ(parsed_taps("matrix:1/4 -1/8"), (TapList{0.25, -0.125}));
  EXPECT_EQ(parsed_taps("row:1 2 3"), (TapList{1, 2, 3}));
  const Filter column = FilterSpec::parse("column:1 2 3").make();
  EXPECT_EQ(column.kernels[0], Kernel(1, 3, {1, 2, 3}));
}

TEST(Parse, AppliesModifiers) {
  EXPECT_EQ(parsed_taps("matrix:1 2;3 2:scale=auto"), (TapList{0.125, 0.25, 0.375, 0.25}));
  EXPECT_EQ(parsed_taps("matrix:1 2;3 4:scale=1/2"), (TapList{0.5, 1, 1.5, 2}));
  EXPECT_EQ(parsed_taps("matrix:1 2;3 4:flip=1"), (TapList{4, 3, 2, 1}));
  EXPECT_EQ(parsed_taps("matrix:1 2;3 4:rotate=90"), (TapList{3, 1, 4, 2}));
  EXPECT_EQ(parsed_taps("matrix:1 2;3 4:rotate=180"), (TapList{4, 3, 2, 1}));
  const Filter f = FilterSpec::parse("row:1 2 3:anchor=0,0:bias=0.5:abs=1").make();
  EXPECT_EQ(f.kernels[0].anchor_x(), 0);
  EXPECT_EQ(f.bias, 0.5);
  EXPECT_TRUE(f.absolute);
  EXPECT_FALSE(FilterSpec::parse("laplacian:abs=0").make().absolute);
}

TEST(Parse, AnchorsFollowTurns) {
  const Filter f = FilterSpec::parse("row:1 2 3:anchor=0,0:rotate=90").make();
  EXPECT_EQ(f.kernels[0], Kernel(1, 3, {1, 2, 3}, 0, 0));
  const Filter g = FilterSpec::parse("row:1 2 3:anchor=0,0:flip=1").make();
  EXPECT_EQ(g.kernels[0], Kernel(3, 1, {3, 2, 1}, 2, 0));
}

TEST(Parse, AnchorsOfPresetsKeepTheirPlaceOnSmallerPlanes) {
  const FilterSpec spec = FilterSpec::parse("gaussian:sigma=4:anchor=4,20");  // 8 left, 8 below
  EXPECT_EQ(spec.make().kernels[0].anchor_x(), 4);
  const Kernel chroma = spec.make({2, 1}).kernels[0];
  EXPECT_EQ(chroma.anchor_x(), chroma.width() / 2 - 4);
  EXPECT_EQ(chroma.anchor_y(), 20);
  const Filter gradient = FilterSpec::parse("sobel:anchor=2,0").make({2, 2});
  for (const Kernel& k : gradient.kernels) EXPECT_EQ(k, k.with_anchor(2, 0));
  // A matrix is the same on every plane.
  EXPECT_EQ(FilterSpec::parse("row:1 2 3:anchor=0,0").make({2, 2}).kernels[0].anchor_x(), 0);
}

TEST(Parse, LeavesOutZerosAtTheEdges) {
  EXPECT_EQ(FilterSpec::parse("matrix:0 0 0;0 1 0;0 0 0").make().kernels[0], Kernel(1, 1, {1}));
  EXPECT_EQ(FilterSpec::parse("unsharp:threshold=0.1").make().kernels[0], Kernel(1, 1, {1}));
  EXPECT_LT(FilterSpec::parse("gaussian:radius=256").make().kernels[0].width(), 100);
}

TEST(Parse, MultipliesTwoVectors) {
  const Kernel k = FilterSpec::parse("separable:1 2;-1 0 1:scale=1/2").make().kernels[0];
  EXPECT_EQ(k, Kernel(2, 3, {-0.5, -1, 0, 0, 0.5, 1}));
}

TEST(Parse, RandomIsTheSameEverywhere) {
  const Kernel k = FilterSpec::parse("random:7,4x3").make().kernels[0];
  EXPECT_EQ(k.width(), 4);
  EXPECT_EQ(k.height(), 3);
  EXPECT_NEAR(k.abs_sum(), 1, 1e-12);
  // mt19937's first number for seed 7 is 327741615 by its definition.
  EXPECT_NEAR(k.at(0, 0) / k.at(1, 0), (327741615 / 0x1p32 - 0.25) / (976413892 / 0x1p32 - 0.25),
              1e-9);
  EXPECT_EQ(parsed_taps("random:7,5").size(), 25u);
  EXPECT_NE(parsed_taps("random:8,5"), parsed_taps("random:7,5"));
}

TEST(Parse, KernelsCanBeForSomePlanes) {
  EXPECT_FALSE(FilterSpec::parse("box").planes());
  EXPECT_EQ(FilterSpec::parse("box:planes=luma:size=5").planes()->mode, PlaneSelection::Mode::luma);
  EXPECT_EQ(FilterSpec::parse("row:1 2:planes=u,v").planes()->names, "UV");
}

TEST(Parse, WarnsOfWhatWillClip) {
  const auto warning = [](const char* spec) { return FilterSpec::parse(spec).gain_warning(); };
  EXPECT_NE(warning("matrix:1 1 1;1 1 1;1 1 1").find(":scale=1/9"), std::string::npos);
  EXPECT_NE(warning("row:.5 .75").find(":scale=0.8"), std::string::npos);
  EXPECT_NE(warning("matrix:-1 -1").find(":bias=1"), std::string::npos);
  for (const char* fine :
       {"matrix:1 1 1;1 1 1;1 1 1:scale=1/9", "row:1 2 1:scale=auto", "row:1 1:scale=1",
        "matrix:0 -1 0;-1 5 -1;0 -1 0", "row:-1 0 1", "row:.5 .501", "row:.3 .3", "row:-1:abs=1",
        "row:-1:bias=1", "row:1:bias=0.25", "sobel", "laplacian:neighbours=8"})
    EXPECT_EQ(warning(fine), "") << fine;
  for (const Preset& preset : presets()) EXPECT_EQ(warning(preset.name.data()), "") << preset.name;
}

TEST(Parse, WarnsOfASquareInOneRow) {
  const auto warning = [](const std::string& spec) {
    return FilterSpec::parse(spec).shape_warning();
  };
  EXPECT_NE(warning("matrix:0 -1 0 -1 5 -1 0 -1 0").find(" matrix:0 -1 0;-1 5 -1;0 -1 0,"),
            std::string::npos);
  EXPECT_NE(warning("matrix:1/9, 1/9, 0 0 -.5 0 0 0  1:bias=1")
                .find(" matrix:1/9 1/9 0;0 -.5 0;0 0 1:bias=1,"),
            std::string::npos);
  EXPECT_NE(warning("matrix:1;2;3;4;5;6;7;8;9").find("one column; a 3x3 matrix is matrix:1 2 3;4"),
            std::string::npos);
  std::string five = "matrix:1";
  for (int i = 1; i < 25; ++i) five += " 0";
  EXPECT_NE(warning(five).find("matrix:1 0 0 0 0;0"), std::string::npos);
  const auto of_file = [](const char* text) {
    return FilterSpec::parse_file("k.txt", text).shape_warning();
  };
  EXPECT_NE(of_file("0 -1 0 -1 5 -1 0 -1 0\n").find("3 lines of 3"), std::string::npos);
  EXPECT_EQ(of_file("0 -1 0\n-1 5 -1\n0 -1 0\n"), "");
  for (const char* fine : {"row:0 -1 0 -1 5 -1 0 -1 0", "column:0 -1 0 -1 5 -1 0 -1 0", "matrix:1",
                           "matrix:1 2 3", "matrix:1 2 3 4", "matrix:1 0 0;0 0 0;0 0 1",
                           "matrix:1 0 0 0 0 0 0 0 0;0 0 0 0 0 0 0 0 1", "random:1,9x1"})
    EXPECT_EQ(warning(fine), "") << fine;
}

TEST(Parse, NamesInAnyCase) {
  for (const auto& [spec, name] : {std::pair{"GAUSSIAN:Sigma=2:Planes=LUMA", "gaussian"},
                                   {"Sobel:NORM=L1:Axis=X", "sobel"},
                                   {"Matrix:1 2 1:Scale=AUTO", "matrix"}})
    EXPECT_EQ(FilterSpec::parse(spec).name(), name);
  EXPECT_EQ(FilterSpec::parse("Gaussian:SIGMA=2").make().kernels,
            FilterSpec::parse("gaussian:sigma=2").make().kernels);
  EXPECT_EQ(FilterSpec::parse("row:1 2:SCALE=2").make().kernels[0].sum(), 6);
}

struct Bad {
  const char* spec;
  std::size_t column;  // from 1
  const char* says;
};

class ParseErrors : public testing::TestWithParam<Bad> {};

TEST_P(ParseErrors, PointAtTheColumn) {
  const Bad& bad = GetParam();
  try {
    FilterSpec::parse(bad.spec);
    FAIL() << bad.spec << " was accepted";
  } catch (const SpecError& error) {
    EXPECT_EQ(error.text(), bad.spec);
    EXPECT_EQ(error.column(), bad.column) << error.what();
    EXPECT_NE(std::string(error.what()).find(bad.says), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseErrors,
    testing::Values(
        Bad{"", 1, "unknown filter ''; there are identity"},
        Bad{"qqq", 1, "unknown filter 'qqq'; there are identity"},
        Bad{"matrix:0,0 -1,0 0,0;1 2 3", 8, "some of them are decimal commas"},
        Bad{"row:1 2,5 1", 5, "some of them are decimal commas"},
        Bad{"sobell", 1, "unknown filter 'sobell' (did you mean 'sobel'?)"},
        Bad{"blur:sigma=2", 1, "(did you mean 'gaussian' or 'box'?)"},
        Bad{"gauss", 1, "(did you mean 'gaussian'?)"},
        Bad{"HighPass", 1, "(did you mean 'high-pass'?)"},
        Bad{"laplacian:neighbors=8", 11, "(did you mean 'neighbours'?)"},
        Bad{"sobel:norm=maxx", 12, "(did you mean 'max'?)"},
        Bad{"box:Size=3:size=5", 12, "'size' was given already"},
        Bad{"box:planes=lume", 12, "(did you mean 'luma'?)"},
        Bad{"matrix", 7, "':' after 'matrix'"}, Bad{"matrix:", 8, "no numbers"},
        Bad{"matrix:1 2;;1 2", 12, "row 2 has no numbers"},
        Bad{"matrix:1 2;3", 12, "row 2 has 1 numbers"},
        Bad{"matrix:1 x", 10, "a number, found 'x'"}, Bad{"matrix:1 2x", 11, "found 'x'"},
        Bad{"matrix:1/0", 10, "divide by 0"}, Bad{"matrix:1e999", 8, "out of range"},
        Bad{"matrix:nan", 8, "not finite"}, Bad{"matrix:1e10", 1, "outside"},
        Bad{"row:1 2;3 4", 5, "one list"}, Bad{"gaussian:sgma=2", 10, "unknown key 'sgma'"},
        Bad{"gaussian:sigma", 15, "'=' after 'sigma'"}, Bad{"gaussian:sigma=", 16, "the text ends"},
        Bad{"gaussian:sigma=-1", 16, "outside 0 to"},
        Bad{"gaussian:sigma=1001", 16, "outside 0 to"},
        Bad{"gaussian:sigma=2;", 17, "':' or the end"}, Bad{"box:size=2.5", 10, "whole number"},
        Bad{"box:size=514", 10, "outside"}, Bad{"sobel:norm=l3", 12, "not one of l2, l1, max"},
        Bad{"sobel:scale=auto", 1, "one kernel"}, Bad{"sobel:scale=-1", 1, "positive"},
        Bad{"sobel:anchor=3,0", 1, "outside a kernel of 3x3"},
        Bad{"matrix:1 -1:scale=auto", 1, "which is 0"},
        Bad{"matrix:1 2:anchor=2,0", 1, "outside a kernel of 2x1"},
        Bad{"matrix:1 2:anchor=1", 20, "',' between"},
        Bad{"matrix:1:rotate=45", 17, "0, 90, 180 or 270"}, Bad{"matrix:1:abs=2", 14, "0 or 1"},
        Bad{"box:scale=1e7", 11, "outside -1000000 to 1000000"},
        Bad{"matrix:1:bias=17", 15, "outside -16 to 16"},
        Bad{"matrix:1 +-2", 11, "a number after '+', found '-'"},
        Bad{"matrix:1,,2", 10, "a number, found ','"}, Bad{"matrix:1,2,", 12, "a number after ','"},
        Bad{"matrix:,1", 8, "a number, found ','"}, Bad{"row:1\x01", 6, "found byte 0x01"},
        Bad{"separable:1 2", 14, "';' and the column"}, Bad{"separable:1 2;", 15, "no numbers"},
        Bad{"separable:1;2;3", 14, "':' or the end"}, Bad{"random:1", 9, "',' and the size"},
        Bad{"random:-1,3", 8, "outside 0 to"}, Bad{"random:1,3x", 12, "a number"},
        Bad{"random:1,514", 10, "outside 1 to 513"}, Bad{"random:1.5,3", 8, "whole number"},
        Bad{"box:size=3:size=5", 12, "'size' was given already"},
        Bad{"row:1:bias=0:bias=0", 14, "'bias' was given already"},
        Bad{"row:1:planes=x", 14, "names no planes"}, Bad{"row:1:planes=", 14, "no plane is named"},
        Bad{"unsharp:threshold=0.1:scale=auto", 1, "one kernel"},
        Bad{"file:/no/such/file", 6, "cannot read the kernel file '/no/such/file': No such file"},
        Bad{"file:/", 6, "directory"}));

INSTANTIATE_TEST_SUITE_P(
    OverTime, ParseErrors,
    testing::Values(Bad{"time", 5, "':' after 'time'"}, Bad{"time:", 6, "no numbers"},
                    Bad{"time:1 2;3 4", 6, "one list"},
                    Bad{"time:1 2 1:anchor=3", 1, "outside a kernel of 3x1"},
                    Bad{"time:1 2 1:anchor=1,0", 20, "':' or the end"},
                    Bad{"time:1 2 1:rotate=90", 12, "this one is over frames"},
                    Bad{"time:1 -1:scale=auto", 1, "which is 0"},
                    Bad{"time-box:size=256", 15, "outside 1 to 255"},
                    Bad{"time-box:border=wrap", 17, "no border in time"},
                    Bad{"time-box:border=constant:0", 17, "no border in time"},
                    Bad{"time:-1 2 -1:border=shrink", 1, "none may be below 0"},
                    Bad{"time-box:every=0", 16, "outside 1 to 1000"},
                    Bad{"time-box:every=4:phase=4", 24, "below every=4"},
                    Bad{"time-box:phase=1", 16, "below every=1"},
                    Bad{"time-box:every=2:region=0,0,9,9", 1, "whole frames"},
                    Bad{"time-box:cut=1.5", 14, "outside 0 to 1"},
                    Bad{"time-box:threshold=-1", 20, "outside 0 to 1"},
                    Bad{"time-exp:decay=1", 16, "outside 0 to 0.99"},
                    Bad{"box:cut=0.1", 5, "is of filters over time, and box is none"},
                    Bad{"sobel:every=2", 7, "is of filters over time"}));

INSTANTIATE_TEST_SUITE_P(
    Volumes, ParseErrors,
    testing::Values(Bad{"volume", 7, "':' after 'volume'"}, Bad{"volume:", 8, "no numbers"},
                    Bad{"volume:1 2|", 12, "no numbers"},
                    Bad{"volume:1 2;3 4|5 6", 16, "plane 2 has 1 rows"},
                    Bad{"volume:1 2|3", 12, "has 1 numbers, the rows before it have 2"},
                    Bad{"volume:1|2:anchor=0,0", 22, "the anchor's frame"},
                    Bad{"volume:1|2:anchor=0,0,2", 1, "outside a volume of 1x1x2"},
                    Bad{"volume:1;2|3;4:anchor=0,2,0", 1, "outside a volume of 1x2x2"},
                    Bad{"volume:1|2:rotate=90", 12, "over frames"},
                    Bad{"volume:1|-1:scale=auto", 1, "which is 0"},
                    Bad{"volume:1|-1:border=shrink", 1, "none may be below 0"},
                    Bad{"volume:1|2:border=wrap", 19, "no border in time"},
                    Bad{"volume:1|2:units=luma", 12, "picture as a kernel"},
                    Bad{"volume:1|2:every=2:phase=2", 26, "below every=2"},
                    Bad{"matrix:1 2|3 4", 11, "':' or the end"},
                    Bad{"row:1 2|3", 8, "':' or the end"}));

INSTANTIATE_TEST_SUITE_P(
    Places, ParseErrors,
    testing::Values(Bad{"box:region=", 12, "a number, but the text ends"},
                    Bad{"box:region=1,2,3", 17, "',' between the region's width and height"},
                    Bad{"box:region=1.5,0,9,9", 12, "the region's x must be a whole number"},
                    Bad{"box:region=0,0,0,9", 16, "outside 1 to"},
                    Bad{"box:region=-1,0,9,9", 12, "outside 0 to"},
                    Bad{"box:region=0,0,101%,9", 16, "more than all of it"},
                    Bad{"box:region=0,0,9,0%", 18, "must be more than 0%"},
                    Bad{"box:region=60%,0,50%,9", 12, "beyond the picture's width"},
                    Bad{"box:region=0,0,9,9;1,60%,9,41%", 20, "beyond the picture's height"},
                    Bad{"box:region=0,0,9,9;", 20, "a number, but the text ends"},
                    Bad{"box:region=0,0,9x9", 17, "found 'x'"},
                    Bad{"box:region=0,0,9,9:region=1,1,2,2", 20, "given already"},
                    Bad{"box:invert=1", 12, "needs a region"},
                    Bad{"box:region=0,0,9,9:invert=yes", 27, "0 or 1"},
                    Bad{"box:feather=3", 13, "needs a region or a mask"},
                    Bad{"box:region=0,0,9,9:feather=-1", 28, "outside 0 to 1000"},
                    Bad{"box:region=0,0,9,9:feather=1001", 28, "outside 0 to 1000"},
                    Bad{"box:region=0,0,9,9:feather=1.5", 28, "whole number"},
                    Bad{"box:region=0,0,9,9:feather=", 28, "the text ends"},
                    Bad{"box:mask=", 10, "cannot read the mask ''"},
                    Bad{"box:mask=/no/such:size=3", 10, "the mask '/no/such': No such file"},
                    Bad{"box:mask=/:size=3", 10, "directory"},
                    Bad{"box:mask=edges:sobol", 16, "(did you mean 'sobel'?)"},
                    Bad{"box:mask=edges:", 16, "unknown filter ''"},
                    Bad{"box:mask=edges:(sobel", 22, "')' after the mask's filter"},
                    Bad{"box:mask=edges:(sobel:norm=l9)", 28, "not one of l2, l1, max"},
                    Bad{"box:mask=edges:(sobel)x", 23, "':' or the end"},
                    Bad{"box:mask=edges:(sobel:region=0,0,1,1)", 17, "takes no place"},
                    Bad{"box:mask=edges:(sobel:planes=luma)", 17, "no planes of its own"},
                    Bad{"box:mask=/a:mask=/b", 10, "No such file"},
                    Bad{"box:regoin=0,0,9,9", 5, "(did you mean 'region'?)"}));

TEST(Parse, PlacesOfPictures) {
  using Rects = std::vector<Rect>;
  const auto placed = [](const char* place, const Orientation& shown = {}) {
    return FilterSpec::parse(std::string("box:") + place).of_stored(shown).place_in(200, 100).rects;
  };
  EXPECT_EQ(placed("region=3,4,5,6"), (Rects{{3, 4, 5, 6}}));
  EXPECT_EQ(placed("region=10%,25%,30%,75%"), (Rects{{20, 25, 60, 75}}));
  EXPECT_EQ(placed("region=180,0,10%,1"), (Rects{{180, 0, 20, 1}}));
  // Neighbours in percent meet: 0.125 of 100 is no whole number.
  EXPECT_EQ(placed("region=0,0,9,12.5%;0,12.5%,9,12.5%"), (Rects{{0, 0, 9, 25}}));
  EXPECT_EQ(placed("region=0,0,200,40:invert=1"), (Rects{{0, 40, 200, 60}}));
  // Shown upside down, and by a quarter to the right: what is stored left is seen above.
  EXPECT_EQ(placed("region=3,4,5,6", {-1, 0, 0, -1}), (Rects{{192, 90, 5, 6}}));
  EXPECT_EQ(placed("region=3,4,5,6", {0, 1, -1, 0}), (Rects{{4, 92, 6, 5}}));
  EXPECT_TRUE(FilterSpec::parse("box:region=3,4,5,6").has_place());
  EXPECT_FALSE(FilterSpec::parse("box:size=3").has_place());
  // A mask file that is no picture may be a video, which is read elsewhere.
  const FilterSpec by_video = FilterSpec::parse("box:size=3:mask=/etc/passwd:invert=1");
  EXPECT_TRUE(by_video.has_place());
  EXPECT_EQ(by_video.place().mask_video(), "/etc/passwd");
  EXPECT_EQ(by_video.place().mask_at(), 16u);
  EXPECT_EQ(by_video.files(), std::vector<std::string>{"/etc/passwd"});
  EXPECT_TRUE(FilterSpec::parse("box:mask=edges:sobel").place().mask_video().empty());
  EXPECT_THROW(placed("region=3,4,100,6", {0, 1, -1, 0}), SpecError);  // it is seen 100 wide
}

TEST(Parse, RefusesHugeMatrices) {
  std::string wide = "row:";
  for (int i = 0; i < Kernel::max_size; ++i) wide += "1 ";
  EXPECT_NO_THROW(FilterSpec::parse(wide));
  EXPECT_THROW(FilterSpec::parse(wide + "1"), SpecError);
}

}  // namespace
}  // namespace vidconv
