// Colours that are weighted by their alpha. The samples are judged by tests/judge/alpha_test.py.
#include <fstream>
#include <utility>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Alpha : public CliTest {
 protected:
  static Result filter(const std::string& kernel, const Arguments& more = {},
                       const std::string& input = "pattern:70x54:yuva420p@25#6") {
    Arguments all{input, "-o", "md5:", "--device", "cpu", "--kernel", kernel};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }
};

TEST_F(Alpha, SameBytesOnEveryPath) {
  std::ofstream(path("boxes.jsonl")) << "{\"frame\": 0, \"id\": 1, \"box\": [3, 4, 30.5, 20]}\n"
                                        "{\"frame\": 5, \"id\": 1, \"box\": [30, 14, 20, 30]}\n";
  const std::string boxes = path("boxes.jsonl");
  for (const auto& [kernel, more] : std::vector<std::pair<std::string, Arguments>>{
           {"gaussian:sigma=3", {}},
           {"box:size=5", {"--kernel", "sharpen", "--kernel", "gaussian:sigma=1"}},
           {"gaussian:sigma=0..4@f0-f5", {"--border", "zero"}},
           {"box:size=9:region=5,7,33,20;50%,50%,50%,50%:feather=4", {}},
           {"gaussian:sigma=2:mask=edges:sobel", {}},
           {"disk:radius=4:between=f1-f3", {"--scan", "interlaced"}},
           {"gaussian:sigma=5", {"--regions", boxes}}})
    for (const char* format : {"yuva420p", "rgba", "yuva444p16le", "gbrapf32le"}) {
      SCOPED_TRACE(kernel + " " + format);
      const std::string input = std::string("pattern:70x54:") + format + "@25#6";
      Arguments one = more;
      one.insert(one.end(), {"--threads", "1", "--verify"});
      const Result result = filter(kernel, one, input);
      EXPECT_TRUE(succeeded(result));
      EXPECT_TRUE(has_line_with(result.err, {"6 verified"}));
      one = more;
      one.insert(one.end(), {"--threads", "3", "--slots", "1"});
      EXPECT_EQ(filter(kernel, one, input).out, result.out);
    }
}

TEST_F(Alpha, IsTheDefaultOfBlursOfAllPlanes) {
  const std::string weighted = filter("gaussian:sigma=2", {"--alpha", "weighted"}).out;
  const std::string separate = filter("gaussian:sigma=2", {"--alpha", "separate"}).out;
  EXPECT_NE(weighted, separate);
  EXPECT_EQ(filter("gaussian:sigma=2").out, weighted);
  EXPECT_EQ(filter("gaussian:sigma=2", {"--planes", "all"}).out, weighted);
  EXPECT_EQ(filter("gaussian:sigma=2:planes=YUVA").out, weighted);
  EXPECT_EQ(filter("gaussian:sigma=2:alpha=weighted", {"--alpha", "separate"}).out, weighted);
  EXPECT_EQ(filter("gaussian:sigma=2:alpha=separate").out, separate);
  // Filters that cannot count by alpha, or may not, give what they gave.
  for (const char* kernel : {"gaussian:sigma=2:planes=yuv", "gaussian:sigma=2:planes=luma", "sobel",
                             "sharpen", "identity", "mosaic:size=4", "box:bias=0.1"})
    EXPECT_EQ(filter(kernel).out, filter(kernel, {"--alpha", "separate"}).out) << kernel;
  const Result plain = filter("box", {"--alpha", "weighted"}, "pattern:70x54@25#2");
  EXPECT_TRUE(succeeded(plain));
  EXPECT_TRUE(has_line_with(plain.err, {"--alpha", "changes nothing", "no alpha"}));
  EXPECT_EQ(plain.out, filter("box", {}, "pattern:70x54@25#2").out);
}

TEST_F(Alpha, IsExplained) {
  const Result result = filter("gaussian:sigma=2", {"--explain"});
  EXPECT_TRUE(has_line_with(result.out, {"Y: filter by cpu-weighted-means"}));
  EXPECT_TRUE(has_line_with(result.out, {"weighted by alpha", "2x2"}));
  EXPECT_TRUE(has_line_with(result.out, {"A: filter by"}));
}

TEST_F(Alpha, WhatCannotBeIsRefusedWithItsColumn) {
  for (const auto& [kernel, words] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"box:alpha=", {"column 11", "weighted", "separate"}},
           {"box:alpha=yes", {"column 11", "'yes'"}},
           {"box:alpha", {"column 10", "'='"}},
           {"box:alpha=weighted:alpha=separate", {"column 20", "already"}},
           {"sharpen:alpha=weighted", {"column 9", "below 0"}},
           {"sobel:alpha=weighted", {"column 7", "several kernels"}},
           {"mosaic:size=4:alpha=weighted", {"column 15", "no kernel"}},
           {"fill:red:alpha=weighted", {"column 10", "no kernel"}},
           {"box:bias=0.1:alpha=weighted", {"column 14", "bias"}},
           {"box:alpha=weighted:abs=1", {"column 5", "absolute"}},
           {"box:alpha=weighted:scale=2", {"column 5", "add up to 1"}},
           {"time-box:size=3:alpha=weighted", {"column 17", "over time"}},
           {"box:planes=luma:alpha=weighted", {"column 17", "planes="}},
           {"matrix:1 -2 2:alpha=weighted", {"column 15", "below 0"}}})
    EXPECT_TRUE(refused(filter(kernel), exit_command_line, words)) << kernel;
  EXPECT_TRUE(refused(filter("box", {"--alpha", "premultiplied"}), exit_command_line,
                      {"--alpha", "weighted"}));
  EXPECT_TRUE(
      refused(filter("sobel", {"--alpha", "weighted"}), exit_command_line, {"sobel", "alpha"}));
  EXPECT_TRUE(refused(filter("box", {"--alpha", "weighted", "--planes", "luma"}), exit_command_line,
                      {"box", "plane U"}));
  EXPECT_TRUE(refused(filter("box", {"--alpha", "weighted", "--linear"}), exit_command_line,
                      {"--alpha", "--linear"}));
  EXPECT_TRUE(refused(filter("box:alpha=weighted", {"--linear"}), exit_command_line, {"--linear"}));
}

}  // namespace
}  // namespace vidconv::test
