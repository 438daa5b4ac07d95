// The table of presets: walks every row, and checks what only one filter must do.
#include "kernels/filter/presets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/plan/plan.h"
#include "kernels/spec/parse.h"

namespace vidconv {
namespace {

Filter filter(const std::string& spec, Subsampling s = {}) {
  return FilterSpec::parse(spec).make(s);
}
Kernel kernel(const std::string& spec, Subsampling s = {}) { return filter(spec, s).kernels.at(0); }

std::vector<double> taps(const std::string& spec, Subsampling s = {}) {
  const Kernel k = kernel(spec, s);
  return {k.taps().begin(), k.taps().end()};
}

using TapList = std::vector<double>;

// Returns the sum of at(i, j) * x^p * y^q around the anchor.
double moment(const Kernel& k, int p, int q) {
  double sum = 0;
  for (int j = 0; j < k.height(); ++j)
    for (int i = 0; i < k.width(); ++i)
      sum += k.at(i, j) * std::pow(i - k.anchor_x(), p) * std::pow(j - k.anchor_y(), q);
  return sum;
}

void expect_symmetric(const std::string& spec, Subsampling s = {}) {
  const Kernel k = kernel(spec, s), turned = k.flipped();
  ASSERT_EQ(k.anchor_x(), turned.anchor_x()) << spec;
  ASSERT_EQ(k.anchor_y(), turned.anchor_y()) << spec;
  for (std::size_t i = 0; i < k.taps().size(); ++i)
    ASSERT_NEAR(k.taps()[i], turned.taps()[i], 1e-15) << spec;
}

TEST(Presets, BlursKeepAFlatPictureAtEverySubsampling) {
  for (const char* spec :
       {"box", "box:size=1", "box:size=2", "box:size=7", "box:w=3:h=513", "gaussian",
        "gaussian:sigma=0", "gaussian:sigma=85", "gaussian:sigmax=0:sigmay=3", "gaussian:radius=1"})
    for (int s : {1, 2, 4}) {
      const auto t = taps(spec, {s, s});
      EXPECT_NEAR(std::accumulate(t.begin(), t.end(), 0.0), 1, 1e-12) << spec << " at 1/" << s;
    }
}

TEST(Presets, ParametricBlursShrinkWithTheChroma) {
  EXPECT_EQ(taps("box:size=3", {2, 1}).size(), 9u);  // 1/6 4/6 1/6 across, thirds down
  EXPECT_NEAR(taps("box:w=3:h=1", {2, 2})[0], 1 / 6., 1e-15);
  EXPECT_EQ(taps("gaussian:sigma=4", {2, 2}), taps("gaussian:sigma=2"));
}

// A row of the table is tested by being there: the ends of its ranges and values just inside them,
// its choices and its defaults each make a filter that can be planned.
TEST(Presets, EveryRowMakesAFilterAtTheEndsOfItsRanges) {
  for (const Preset& preset : presets()) {
    EXPECT_FALSE(preset.description.empty()) << preset.name;
    std::vector<std::string> specs{std::string(preset.name)};
    for (const Parameter& p : preset.parameters) {
      const auto add = [&](const std::string& value) {
        specs.push_back(std::string(preset.name) + ":" + std::string(p.name) + "=" + value);
      };
      for (std::string_view choice : p.choices) add(std::string(choice));
      if (!p.choices.empty()) continue;
      add(fmt::format("{}", p.min));
      add(fmt::format("{}", p.max));
      if (p.integer) continue;
      add(fmt::format("{}", std::nextafter(p.min, p.max)));
      add(fmt::format("{}", std::nextafter(p.max, p.min)));
      for (double step : {1e-200, 1e-20, 1e-6})
        if (p.min + step < p.max) add(fmt::format("{}", p.min + step));
    }
    for (const std::string& spec : specs)
      for (int s : {1, 2})
        EXPECT_NO_THROW(make_plan(FilterSpec::parse(spec).make({s, s}), {}, {}, Role::colour))
            << spec;
  }
}

TEST(Presets, KnowWhatTheyAreFor) {
  const auto purpose = [](const char* spec) { return FilterSpec::parse(spec).make().purpose; };
  EXPECT_EQ(purpose("gaussian"), Purpose::blur);
  EXPECT_EQ(purpose("sharpen"), Purpose::sharpen);
  EXPECT_EQ(purpose("sobel"), Purpose::edge);
  EXPECT_EQ(purpose("matrix:1 2 1:scale=auto"), Purpose::blur);
  EXPECT_EQ(purpose("row:.111 .111 .111 .111 .111 .111 .111 .111 .111"), Purpose::blur);
  EXPECT_EQ(purpose("matrix:-1 3 -1"), Purpose::sharpen);
  EXPECT_EQ(purpose("matrix:1 1"), Purpose::sharpen);
  EXPECT_EQ(purpose("matrix:-1 0 1"), Purpose::edge);
}

TEST(Presets, MatricesWithIntegerTapsAreExactAtEveryDepth) {
  for (const char* spec :
       {"binomial", "binomial:size=13", "sharpen", "emboss", "emboss:angle=10", "laplacian",
        "laplacian:neighbours=8", "laplacian:neighbours=5x5", "laplacian:neighbours=7x7", "sobel",
        "sobel:size=5", "sobel:size=7:norm=l1", "scharr", "prewitt", "roberts", "kirsch",
        "robinson", "motion", "motion:length=9:angle=90"})
    for (int depth : {8, 10, 16})
      EXPECT_TRUE(make_plan(filter(spec, {2, 2}),
                            {depth > 8 ? Storage::u16 : Storage::u8, depth, 0}, {}, Role::colour)
                      .exact)
          << spec << " at " << depth << " bits";
}

TEST(Presets, BinomialIsPascalsTriangle) {
  const Kernel k = kernel("binomial");
  const double row[] = {1, 4, 6, 4, 1};
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i) EXPECT_EQ(k.at(i, j), row[i] * row[j] / 256);
  EXPECT_EQ(taps("binomial:size=2"), (TapList{0.25, 0.25, 0.25, 0.25}));
  // The variance, (size - 1) / 4 luma pixels squared, is that of the plane's own pixels too.
  for (int size : {3, 4, 5, 9, 13})
    for (int s : {2, 4})
      EXPECT_NEAR(moment(kernel("binomial:size=" + std::to_string(size), {s, 1}), 2, 0),
                  (size - 1) / 4.0 / (s * s), 1e-12);
}

TEST(Presets, MotionIsALine) {
  EXPECT_EQ(kernel("motion:length=5"), Kernel(5, 1, TapList(5, 0.2)));
  EXPECT_EQ(kernel("motion:length=5:angle=-90"), Kernel(1, 5, TapList(5, 0.2)));
  for (int angle : {0, 17, 45, 90}) {
    const std::string at = ":angle=" + std::to_string(angle);
    EXPECT_EQ(kernel("motion:length=1" + at), Kernel(1, 1, {1}));
    expect_symmetric("motion:length=12.5" + at, {2, 1});
  }
  // It lies where it points: up to the right at 30 degrees.
  const Kernel k = kernel("motion:length=41:angle=30");
  EXPECT_NEAR(-moment(k, 1, 1) / moment(k, 2, 0), std::tan(std::numbers::pi / 6), 0.01);
  EXPECT_NEAR(moment(k, 2, 0) + moment(k, 0, 2), 41 * 41 / 12.0, 3);
}

TEST(Presets, DiskIsRoundAndCoversItsArea) {
  // By hand: the quarter of the unit disk in [0, 1/2]^2 is 1/4, so the centre pixel is full.
  const double side = std::numbers::pi / 12 + std::sqrt(3) / 8;  // area over [0, 1/2]
  const Kernel one = kernel("disk:radius=1");
  EXPECT_EQ(one.width(), 3);
  EXPECT_NEAR(one.at(1, 1), 1 / std::numbers::pi, 1e-15);
  EXPECT_NEAR(one.at(2, 1), (2 * side - 0.5) / std::numbers::pi, 1e-15);
  EXPECT_EQ(kernel("disk:radius=0.4"), Kernel(1, 1, {1}));
  for (double radius : {2.0, 3.3, 20.0}) {
    const Kernel k = kernel("disk:radius=" + std::to_string(radius));
    EXPECT_EQ(k.rotated90().width(), k.width());
    for (std::size_t i = 0; i < k.taps().size(); ++i)
      EXPECT_NEAR(k.taps()[i], k.rotated90().taps()[i], 1e-15);
    // Taps of pixels that the disk covers whole are 1 / area.
    EXPECT_NEAR(k.at(k.anchor_x(), k.anchor_y()), 1 / (std::numbers::pi * radius * radius), 1e-12);
    EXPECT_EQ(k.width(), 2 * std::ceil(radius - 0.5) + 1);
  }
  EXPECT_EQ(kernel("disk:radius=6", {2, 1}).width(), 7);
  EXPECT_EQ(kernel("disk:radius=6", {2, 1}).height(), 13);
}

TEST(Presets, CometHasItsTailWhereItPoints) {
  // The tail of a point at 0 reaches to the right: pixels there look to the left.
  const Kernel k = kernel("comet:sigma=2");
  EXPECT_EQ(k.height(), 1);
  EXPECT_EQ(k.width(), 7);
  EXPECT_EQ(k.anchor_x(), 6);
  for (int i = 0; i < 7; ++i)
    EXPECT_NEAR(k.at(i, 0) / k.at(6, 0), std::exp(-(6 - i) * (6 - i) / 8.0), 1e-12);
  const Kernel up = kernel("comet:sigma=2:angle=90");
  EXPECT_EQ(up, Kernel(1, 7, {up.taps().begin(), up.taps().end()}, 0, 0));
  EXPECT_EQ(kernel("comet:sigma=0:angle=30"), Kernel(1, 1, {1}));
}

TEST(Presets, UnsharpAddsWhatABlurTakes) {
  const Kernel blur = kernel("gaussian:sigma=1.5"), k = kernel("unsharp:sigma=1.5:amount=0.7");
  EXPECT_NEAR(k.sum(), 1, 1e-12);
  for (int j = 0; j < k.height(); ++j)
    for (int i = 0; i < k.width(); ++i)
      EXPECT_NEAR(k.at(i, j), (i == 5 && j == 5 ? 1.7 : 0) - 0.7 * blur.at(i, j), 1e-15);
  const Filter soft = filter("unsharp:sigma=1.5:amount=0.7:threshold=0.1:scale=1/2");
  EXPECT_EQ(soft.combine, Combine::unsharp);
  EXPECT_DOUBLE_EQ(soft.threshold, 0.7 * 0.1 / 2);
  EXPECT_EQ(soft.kernels[0].sum(), 0.5);
  EXPECT_NEAR(soft.kernels[1].sum(), 0, 1e-12);
}

TEST(Presets, HighPassIsTheRestOnGrey) {
  const Filter f = filter("high-pass:sigma=2");
  EXPECT_NEAR(f.kernels[0].sum(), 0, 1e-12);
  EXPECT_EQ(f.bias, 0.5);
  EXPECT_EQ(filter("high-pass:bias=0").bias, 0);
}

TEST(Presets, EmbossIsLitFromItsAngle) {
  EXPECT_EQ(taps("emboss"), (TapList{-2, -1, 0, -1, 1, 1, 0, 1, 2}));
  EXPECT_EQ(taps("emboss:angle=45"), (TapList{0, -1, -2, 1, 1, -1, 2, 1, 0}));
  EXPECT_EQ(taps("emboss:angle=225"), taps("emboss:rotate=180:angle=45"));
  EXPECT_EQ(taps("emboss:angle=-135"), taps("emboss:angle=225"));
  EXPECT_NEAR(kernel("emboss:angle=77.3").sum(), 1, 1e-12);
}

TEST(Presets, GradientsAreThePublishedOnes) {
  const auto pair = [](const char* spec) { return filter(spec).kernels; };
  EXPECT_EQ(pair("sobel"), (std::vector<Kernel>{Kernel(3, 3, {-1, 0, 1, -2, 0, 2, -1, 0, 1}),
                                                Kernel(3, 3, {-1, -2, -1, 0, 0, 0, 1, 2, 1})}));
  EXPECT_EQ(taps("scharr"), (TapList{-3, 0, 3, -10, 0, 10, -3, 0, 3}));
  EXPECT_EQ(taps("prewitt"), (TapList{-1, 0, 1, -1, 0, 1, -1, 0, 1}));
  EXPECT_EQ(taps("frei-chen")[5], std::numbers::sqrt2);
  EXPECT_EQ(pair("roberts"),
            (std::vector<Kernel>{Kernel(2, 2, {1, 0, 0, -1}), Kernel(2, 2, {0, 1, -1, 0})}));
  EXPECT_EQ(taps("sobel:size=5:scale=16"),
            (TapList{-1, -2, 0,  2,  1, -4, -8, 0,  8,  4, -6, -12, 0,
                     12, 6,  -4, -8, 0, 8,  4,  -1, -2, 0, 2,  1}));
}

TEST(Presets, SobelOfEverySizeGivesASlopeAlike) {
  for (const char* size : {"3", "5", "7"})
    for (const char* axis : {"x", "y"}) {
      const Kernel k = kernel(std::string("sobel:size=") + size + ":axis=" + axis);
      EXPECT_EQ(moment(k, 1, 0), *axis == 'x' ? 8 : 0);
      EXPECT_EQ(moment(k, 0, 1), *axis == 'y' ? 8 : 0);
      EXPECT_EQ(k.sum(), 0);
    }
}

TEST(Presets, CompassesTurnByEighths) {
  const Filter kirsch = filter("kirsch"), robinson = filter("robinson");
  EXPECT_EQ(kirsch.combine, Combine::signed_max);
  ASSERT_EQ(kirsch.kernels.size(), 8u);
  ASSERT_EQ(robinson.kernels.size(), 4u);  // and their negatives
  EXPECT_EQ(kirsch.kernels[0], Kernel(3, 3, {5, 5, 5, -3, 0, -3, -3, -3, -3}));
  EXPECT_EQ(kirsch.kernels[1], Kernel(3, 3, {-3, 5, 5, -3, 0, 5, -3, -3, -3}));
  EXPECT_EQ(robinson.kernels[0], Kernel(3, 3, {1, 2, 1, 0, 0, 0, -1, -2, -1}));
  EXPECT_EQ(robinson.kernels[2], Kernel(3, 3, {-1, 0, 1, -2, 0, 2, -1, 0, 1}));
  EXPECT_EQ(robinson.kernels[3], Kernel(3, 3, {-2, -1, 0, -1, 0, 1, 0, 1, 2}));
  TapList total(9);
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_EQ(kirsch.kernels[(k + 2) % 8], kirsch.kernels[k].rotated90());
    for (std::size_t i = 0; i < 9; ++i) total[i] += kirsch.kernels[k].taps()[i];
  }
  EXPECT_EQ(total, TapList(9));
}

TEST(Presets, SecondDerivativesMeasureCurvatureOnly) {
  for (const char* spec : {"laplacian", "laplacian:neighbours=5x5", "laplacian:neighbours=7x7",
                           "log", "log:sigma=0.3", "log:sigma=5"})
    for (Subsampling s : {Subsampling{1, 1}, {2, 1}, {4, 4}}) {
      const Kernel k = kernel(spec, s);
      EXPECT_NEAR(k.sum(), 0, 1e-12) << spec;
      EXPECT_NEAR(moment(k, 1, 0), 0, 1e-12) << spec;
      EXPECT_NEAR(moment(k, 1, 1), 0, 1e-12) << spec;
      expect_symmetric(spec, s);
    }
  for (const char* spec :
       {"laplacian", "laplacian:neighbours=5x5", "laplacian:neighbours=7x7", "log"}) {
    EXPECT_NEAR(moment(kernel(spec), 2, 0), 2, 1e-12) << spec;
    EXPECT_NEAR(moment(kernel(spec), 0, 2), 2, 1e-12) << spec;
  }
  EXPECT_NEAR(moment(kernel("log:sigma=5"), 2, 0), 2 * 25, 1e-9);
  EXPECT_EQ(taps("laplacian:neighbours=8"), (TapList{1, 1, 1, 1, -8, 1, 1, 1, 1}));
  const Kernel k5 = kernel("laplacian:neighbours=5x5:scale=35");
  const double rows[3][5] = {{4, 1, 0, 1, 4}, {1, -2, -3, -2, 1}, {0, -3, -4, -3, 0}};
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(k5.at(i, j), rows[std::min(j, 4 - j)][i], 1e-12);
}

TEST(Presets, LogIsTheMexicanHat) {
  const Kernel k = kernel("log:sigma=4");
  const double s2 = 16;
  for (int x : {0, 3, 6, 10}) {
    const double hat =
        (x * x - 2 * s2) / (s2 * s2) * std::exp(-x * x / (2 * s2)) / (2 * std::numbers::pi * s2);
    EXPECT_NEAR(k.at(16 + x, 16), s2 * hat, 2e-4) << x;  // 1% of the peak
  }
}

TEST(Presets, DogIsADifference) {
  const Kernel k = kernel("dog:sigma1=2:sigma2=1");
  EXPECT_NEAR(k.sum(), 0, 1e-12);
  EXPECT_NEAR(k.at(6, 6),
              taps("gaussian:sigma=2")[6 * 13 + 6] - taps("gaussian:sigma=1")[3 * 7 + 3], 1e-15);
  EXPECT_EQ(kernel("dog:sigma1=2:sigma2=2").abs_sum(), 0);
}

}  // namespace
}  // namespace vidconv
