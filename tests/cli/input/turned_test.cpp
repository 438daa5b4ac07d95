// For video that is stored rotated, as phones do, filters act on the picture as it is shown.
#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Turned : public CliTest {
 protected:
  Turned() {
    ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=0.2 -pix_fmt yuv444p -c:v libx264 -qp 0 " +
           path("plain.mp4"));
    EXPECT_TRUE(
        succeeded(shell("ffmpeg -v error -display_rotation -90 -i " + path("plain.mp4") +
                        " -c copy " + path("in.mp4") + " || ffmpeg -v error -y -i " +
                        path("plain.mp4") + " -c copy -metadata:s:v rotate=90 " + path("in.mp4"))));
  }

  Result convert(const std::string& in, const std::string& name, const Arguments& more) const {
    Arguments all{path(in), "-o", path(name), "-y"};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }
  // Returns the digest of each picture as a player shows it.
  std::string shown(const std::string& name) const {
    const Result result = shell("ffmpeg -v error -i " + path(name) +
                                " -fps_mode passthrough -f framemd5 - | grep -v '#' | "
                                "sed 's/.*,//'");
    EXPECT_TRUE(succeeded(result));
    return result.out;
  }
};

TEST_F(Turned, FiltersActOnWhatIsSeen) {
  // A second file has the same pictures upright.
  ffmpeg("-i " + path("in.mp4") + " -c:v libx264 -qp 0 " + path("upright.mp4"));
  for (const char* filter :
       {"row:1 2 3 4:scale=auto", "sobel:axis=x", "emboss", "motion:length=9:angle=30"}) {
    const Arguments more{"--kernel", filter, "--codec", "libx264", "--encoder-opt", "qp=0"};
    EXPECT_TRUE(succeeded(convert("in.mp4", "a.mp4", more)));
    EXPECT_TRUE(succeeded(convert("upright.mp4", "b.mp4", more)));
    EXPECT_EQ(shown("a.mp4"), shown("b.mp4")) << filter;
  }
  for (const char* compare : {"split", "side"}) {
    const Arguments more{"--kernel", "box:size=9", "--compare",     compare,
                         "--codec",  "libx264",    "--encoder-opt", "qp=0"};
    EXPECT_TRUE(succeeded(convert("in.mp4", "a.mp4", more)));
    EXPECT_TRUE(succeeded(convert("upright.mp4", "b.mp4", more)));
    EXPECT_EQ(shown("a.mp4"), shown("b.mp4")) << compare;
  }
}

TEST_F(Turned, WhatCannotHoldItIsTurned) {
  const Arguments more{"--kernel", "identity", "--strict"};
  for (const char* name : {"a.avi", "a.y4m", "a%d.png", "a.nut"}) {
    const Result result = convert("in.mp4", name, more);
    EXPECT_TRUE(succeeded(result)) << name;
    EXPECT_TRUE(has_line_with(result.err, {"sideways", "turned, 96x64 becomes 64x96"})) << name;
  }
  EXPECT_EQ(probe(path("a.nut"), "stream=width,height"),
            probe(path("a.avi"), "stream=width,height"));
  EXPECT_EQ(probe(path("a.nut"), "stream=width,height").at(0), "64,96");
  EXPECT_FALSE(has_line_with(convert("in.mp4", "a.mov", more).err, {"turned"}));
}

TEST_F(Turned, UnlessItIsToBeKept) {
  const Arguments more{"--kernel", "identity", "--orientation", "keep"};
  EXPECT_TRUE(has_line_with(convert("in.mp4", "a.avi", more).err,
                            {"avi cannot hold how the video is turned", "sideways", "[not-held]"}));
  EXPECT_TRUE(has_line_with(convert("in.mp4", "a.y4m", more).err,
                            {"y4m cannot hold", "sideways", "[not-held]"}));
  EXPECT_TRUE(has_line_with(convert("in.mp4", "a%d.png", more).err, {"images", "sideways"}));
  EXPECT_TRUE(has_line_with(convert("in.mp4", "a.yuv", more).err, {"raw", "sideways"}));
  EXPECT_TRUE(refused(
      convert("in.mp4", "b.y4m", {"--kernel", "identity", "--orientation", "keep", "--strict"}),
      exit_output, {"sideways", "[strict]"}));
}

// The result is the same whether the picture or the kernel is rotated.
TEST_F(Turned, FiltersAreThoseOfAnUprightVideo) {
  ffmpeg("-i " + path("in.mp4") + " -c:v libx264 -qp 0 " + path("upright.mp4"));
  for (const char* filter : {"sobel:axis=x", "gaussian:sigma=2", "box:region=0,0,20,10"}) {
    const Arguments more{"--kernel", filter, "--codec", "ffv1"};
    EXPECT_TRUE(succeeded(convert("in.mp4", "a.nut", more)));
    EXPECT_TRUE(succeeded(convert("upright.mp4", "b.nut", more)));
    EXPECT_EQ(shown("a.nut"), shown("b.nut")) << filter;
  }
}

}  // namespace
}  // namespace vidconv::test
