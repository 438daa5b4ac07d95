// Blurs whose size a map says. The samples are judged by tests/judge/map_test.py.
#include <fstream>
#include <utility>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Map : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    std::ofstream map(path("map.pgm"), std::ios::binary);
    map << "P5\n70 54\n255\n";
    for (int y = 0; y < 54; ++y)
      for (int x = 0; x < 70; ++x)
        map.put(static_cast<char>(x < 10 ? 0 : y < 20 ? x * 3 : 255 - y));
  }
  static Result filter(const std::string& kernel, const Arguments& more = {},
                       const std::string& input = "pattern:70x54@25#3") {
    Arguments all{input, "-o", "md5:", "--kernel", kernel};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }
  std::string map() const { return path("map.pgm"); }
};

TEST_F(Map, SameBytesOnEveryPath) {
  for (const auto& [kernel, more] : std::vector<std::pair<std::string, Arguments>>{
           {"gaussian:sigma=map:" + map() + "*6", {}},
           {"disk:radius=map:" + map() + "*5:region=5,7,33,20", {"--border", "zero"}},
           {"motion:length=map:" + map() + "*9:angle=30", {"--scan", "interlaced"}},
           {"gaussian:sigma=map:" + map() + "*6:between=f1-f1", {"--kernel", "sharpen"}},
           {"tilt-shift:y=40%,height=20%,blur=7.5", {}},
           {"tilt-shift:y=10,height=9,blur=3:planes=luma", {"--kernel", "box"}},
           {"tilt-shift:y=0,height=30%,blur=4", {"--linear"}}})
    for (const char* format : {"yuv420p", "rgba", "gbrpf32le"}) {
      if (format == std::string("gbrpf32le") && more == Arguments{"--linear"}) continue;
      if (format != std::string("yuv420p") && kernel.find("planes") != std::string::npos) continue;
      SCOPED_TRACE(kernel + " " + format);
      const std::string input = std::string("pattern:70x54:") + format + "@25#3";
      Arguments one = more;
      one.insert(one.end(), {"--threads", "1", "--verify"});
      const Result result = filter(kernel, one, input);
      EXPECT_TRUE(succeeded(result));
      EXPECT_TRUE(has_line_with(result.err, {"3 verified"}));
      one = more;
      one.insert(one.end(), {"--threads", "3", "--slots", "1"});
      EXPECT_EQ(filter(kernel, one, input).out, result.out);
    }
}

TEST_F(Map, MayBeAVideo) {
  EXPECT_TRUE(succeeded(run_vidconv({"pattern:70x54:gray@25#3", "-o", path("map.mkv"), "--codec",
                                     "ffv1", "--kernel", "identity"})));
  const std::string kernel = "gaussian:sigma=map:" + path("map.mkv") + "*6";
  const Result result = filter(kernel, {"--verify"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_NE(result.out, filter("gaussian:sigma=map:" + map() + "*6").out);
}

// A white map is the filter itself, in places too.
TEST_F(Map, WhiteIsTheValue) {
  std::ofstream white(path("white.pgm"), std::ios::binary);
  white << "P5\n70 54\n255\n" << std::string(70 * 54, '\xff');
  white.close();
  for (const auto& [mapped, plain] : std::vector<std::pair<std::string, std::string>>{
           {"gaussian:sigma=map:" + path("white.pgm") + "*6.5", "gaussian:sigma=6.5"},
           {"gaussian:sigma=map:" + path("white.pgm") + "*2:region=3,3,20,20",
            "gaussian:sigma=2:region=3,3,20,20"}})
    EXPECT_EQ(filter(mapped).out, filter(plain).out);
}

TEST_F(Map, LevelsAreExplained) {
  const Result result = filter("tilt-shift:y=40%,height=20%,blur=6", {"--explain"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.out, {"level 1 of 6", "% of the pixels"}));
  EXPECT_TRUE(has_line_with(result.out, {"level 6 of 6"}));
}

TEST_F(Map, WhatCannotBeIsRefusedWithItsColumn) {
  std::ofstream(path("small.pgm"), std::ios::binary) << "P5\n2 2\n255\n" << std::string(4, '\x7f');
  std::ofstream(path("black.pgm"), std::ios::binary) << "P5\n70 54\n255\n"
                                                     << std::string(70 * 54, '\0');
  const std::string good = "gaussian:sigma=map:" + map() + "*6";
  for (const auto& [kernel, words] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"gaussian:sigma=map:", {"column 20", "factor"}},
           {"gaussian:sigma=map:" + map(), {"column", "factor", "map:depth.png*12"}},
           {"gaussian:sigma=map:*6", {"column 20", "grey picture"}},
           {"gaussian:sigma=map:" + map() + "*", {"column"}},
           {"gaussian:sigma=map:" + map() + "*1001", {"column", "1000"}},
           {"gaussian:sigma=map:" + path("none.png") + "*6", {"column 20", "none.png"}},
           {"gaussian:sigma=map:" + path("small.pgm") + "*6", {"column 20", "2x2", "70x54"}},
           {"gaussian:sigma=map:" + path("black.pgm") + "*6", {"black"}},
           {"gaussian:sigmax=map:" + map() + "*6", {"column 21", "sigmax", "no map"}},
           {"box:size=map:" + map() + "*6", {"column 14", "size", "no map"}},
           {"sharpen:amount=map:" + map() + "*1", {"column", "amount", "no map"}},
           {"gaussian:sigma=map:" + map() + "*1..6@f0-f2", {"column"}},
           {good + ":invert=1", {"column", "invert"}},
           {good + ":feather=3", {"column", "feather"}},
           {good + ":mask=" + map(), {"column 20", "mask"}},
           {"tilt-shift", {"column 11", "':'"}},
           {"tilt-shift:", {"column 12", "y="}},
           {"tilt-shift:y=40%", {"column 17", "','"}},
           {"tilt-shift:y=40%,blur=12", {"column 18", "height="}},
           {"tilt-shift:y=40%,height=0%,blur=12", {"column 25", "0%"}},
           {"tilt-shift:y=90%,height=20%,blur=12", {"column 12", "beyond"}},
           {"tilt-shift:y=40%,height=20%", {"column", "','"}},
           {"tilt-shift:y=40%,height=20%,blur=-1", {"column"}},
           {"tilt-shift:y=50,height=20,blur=2", {"column 12", "70x54"}},
           {"tilt-shift:y=0,height=100%,blur=2", {"column 12", "all of it is sharp"}},
           {"tilt-shift:y=40%,height=20%,blur=2:mask=" + map(), {"column 12", "mask"}}})
    EXPECT_TRUE(refused(filter(kernel), exit_command_line, words)) << kernel;
}

}  // namespace
}  // namespace vidconv::test
