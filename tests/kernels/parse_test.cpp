// Filter specifications: what they mean, and what is said of a wrong one.
#include "kernels/parse.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace vidconv {
namespace {

std::vector<double> taps(const std::string& spec, Subsampling s = {}) {
  const Filter filter = FilterSpec::parse(spec).make(s);
  const auto view = filter.kernels.at(0).taps();
  return {view.begin(), view.end()};
}

using Taps = std::vector<double>;

// A file that is gone at the end of the test.
class TextFile {
 public:
  explicit TextFile(const std::string& text)
      : path_(testing::TempDir() + "vidconv_" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt") {
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::remove(path_.c_str()); }
  std::string spec() const { return "file:" + path_; }

 private:
  std::string path_;
};

TEST(Parse, ReadsMatricesInEveryNotation) {
  EXPECT_EQ(taps("matrix:1 2;3 4"), (Taps{1, 2, 3, 4}));
  EXPECT_EQ(taps("matrix:1,2;3, 4"), (Taps{1, 2, 3, 4}));
  EXPECT_EQ(taps("matrix: 1  2 ; +3 -4e-1 "), (Taps{1, 2, 3, -0.4}));
  EXPECT_EQ(taps("matrix:1/4 -1/8"), (Taps{0.25, -0.125}));
  EXPECT_EQ(taps("row:1 2 3"), (Taps{1, 2, 3}));
  const Filter column = FilterSpec::parse("column:1 2 3").make();
  EXPECT_EQ(column.kernels[0], Kernel(1, 3, {1, 2, 3}));
}

TEST(Parse, AppliesModifiers) {
  EXPECT_EQ(taps("matrix:1 2;3 2:scale=auto"), (Taps{0.125, 0.25, 0.375, 0.25}));
  EXPECT_EQ(taps("matrix:1 2;3 4:scale=1/2"), (Taps{0.5, 1, 1.5, 2}));
  EXPECT_EQ(taps("matrix:1 2;3 4:flip=1"), (Taps{4, 3, 2, 1}));
  EXPECT_EQ(taps("matrix:1 2;3 4:rotate=90"), (Taps{3, 1, 4, 2}));
  EXPECT_EQ(taps("matrix:1 2;3 4:rotate=180"), (Taps{4, 3, 2, 1}));
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

TEST(Parse, ReadsFiles) {
  const TextFile file("# a comment\nscale=1/16\n1 2 1   # the top\n\n2,4,2\n1 2 1\n");
  EXPECT_EQ(taps(file.spec()), (Taps{1 / 16., 2 / 16., 1 / 16., 2 / 16., 4 / 16., 2 / 16., 1 / 16.,
                                     2 / 16., 1 / 16.}));
  EXPECT_EQ(taps(file.spec() + ":scale=1")[0], 1);
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
        Bad{"", 1, "unknown filter ''"}, Bad{"sobbel", 1, "unknown filter 'sobbel'"},
        Bad{"matrix", 7, "':' after 'matrix'"}, Bad{"matrix:", 8, "no numbers"},
        Bad{"matrix:1 2;;1 2", 12, "row 2 has no numbers"},
        Bad{"matrix:1 2;3", 12, "row 2 has 1 numbers"},
        Bad{"matrix:1 x", 10, "a number, found 'x'"}, Bad{"matrix:1 2x", 11, "found 'x'"},
        Bad{"matrix:1/0", 10, "divide by 0"}, Bad{"matrix:1e999", 8, "out of range"},
        Bad{"matrix:nan", 8, "not finite"}, Bad{"matrix:1e10", 1, "outside"},
        Bad{"row:1 2;3 4", 5, "one list"}, Bad{"gaussian:sgma=2", 10, "unknown key 'sgma'"},
        Bad{"gaussian:sigma", 15, "'=' after 'sigma'"}, Bad{"gaussian:sigma=", 16, "the text ends"},
        Bad{"gaussian:sigma=-1", 16, "outside 0 to"}, Bad{"gaussian:sigma=86", 16, "outside 0 to"},
        Bad{"gaussian:sigma=2;", 17, "':' or the end"}, Bad{"box:size=2.5", 10, "whole number"},
        Bad{"box:size=514", 10, "outside"}, Bad{"sobel:norm=l3", 12, "not one of l2, l1, max"},
        Bad{"sobel:scale=auto", 1, "one kernel"}, Bad{"sobel:scale=-1", 1, "positive"},
        Bad{"sobel:anchor=0,0", 7, "only a matrix"}, Bad{"matrix:1 -1:scale=auto", 1, "which is 0"},
        Bad{"matrix:1 2:anchor=2,0", 1, "outside a kernel of 2x1"},
        Bad{"matrix:1 2:anchor=1", 20, "',' between"},
        Bad{"matrix:1:rotate=45", 17, "0, 90, 180 or 270"}, Bad{"matrix:1:abs=2", 14, "0 or 1"},
        Bad{"matrix:1:bias=17", 15, "outside -16 to 16"},
        Bad{"file:/no/such/file", 6, "cannot read the kernel file"}));

TEST(Parse, ErrorsInFilesNameTheLine) {
  const TextFile file("1 2 1\n2 4 y\n");
  try {
    FilterSpec::parse(file.spec());
    FAIL();
  } catch (const SpecError& error) {
    EXPECT_EQ(error.text(), "2 4 y");
    EXPECT_EQ(error.column(), 5u);
    EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos);
  }
}

TEST(Parse, RefusesHugeMatrices) {
  std::string wide = "row:";
  for (int i = 0; i < Kernel::max_size; ++i) wide += "1 ";
  EXPECT_NO_THROW(FilterSpec::parse(wide));
  EXPECT_THROW(FilterSpec::parse(wide + "1"), SpecError);
}

}  // namespace
}  // namespace vidconv
