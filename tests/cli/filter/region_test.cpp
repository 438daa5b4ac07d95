// Filters in a region of the picture, from the command line.
#include <fstream>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Region : public CliTest {
 protected:
  static Result filter(const std::string& kernel, const Arguments& more = {}) {
    Arguments all{"pattern:64x48@25#3", "-o", "md5:", "--kernel", kernel};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }
};

// As the judge, ffmpeg puts a region of our filtered picture over the original.
TEST_F(Region, IsThePartOfTheFilteredPicture) {
  EXPECT_TRUE(succeeded(
      run_vidconv({"pattern:64x48@25#3", "-o", path("before.y4m"), "--kernel", "identity"})));
  EXPECT_TRUE(succeeded(
      run_vidconv({path("before.y4m"), "-o", path("all.y4m"), "--kernel", "gaussian:sigma=3"})));
  ffmpeg("-i " + path("before.y4m") + " -i " + path("all.y4m") +
         " -filter_complex '[1]crop=20:12:6:10[part];[0][part]overlay=6:10:format=yuv420' "
         "-pix_fmt yuv420p " +
         path("expected.y4m"));
  const Result part = run_vidconv(
      {path("before.y4m"), "-o", "md5:", "--kernel", "gaussian:sigma=3:region=6,10,20,12"});
  EXPECT_TRUE(succeeded(part));
  EXPECT_EQ(parse_digests(part.out), judge_digests(path("expected.y4m")));
}

TEST_F(Region, SameBytesOnEveryPath) {
  const std::string kernel = "unsharp:region=5,7,33,20;50%,50%,50%,50%";
  const Result result = filter(kernel, {"--threads", "1", "--verify"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"3 verified"}));
  for (const Arguments& more : {Arguments{"--threads", "3"}, Arguments{"--slots", "1"},
                                Arguments{"--variant", "reference"}})
    EXPECT_EQ(filter(kernel, more).out, result.out);
  EXPECT_NE(filter("unsharp").out, result.out);
}

TEST_F(Region, IsWhatIsSeenOfATurnedVideo) {
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=0.2 -pix_fmt yuv444p -c:v libx264 -qp 0 " +
         path("plain.mp4"));
  EXPECT_TRUE(
      succeeded(shell("ffmpeg -v error -display_rotation -90 -i " + path("plain.mp4") +
                      " -c copy " + path("in.mp4") + " || ffmpeg -v error -y -i " +
                      path("plain.mp4") + " -c copy -metadata:s:v rotate=90 " + path("in.mp4"))));
  ffmpeg("-i " + path("in.mp4") + " -c:v libx264 -qp 0 " + path("upright.mp4"));
  const auto seen = [&](const std::string& name) {
    EXPECT_TRUE(succeeded(run_vidconv({path(name), "-o", path("out-" + name), "--kernel",
                                       "motion:length=9:angle=30:region=10,20,30,60", "--codec",
                                       "libx264", "--encoder-opt", "qp=0"})));
    return judge_digests(path("out-" + name)).all;
  };
  EXPECT_EQ(seen("in.mp4"), seen("upright.mp4"));
}

// A filter acts in its region of the frames that it is for; other frames pass unchanged.
TEST_F(Region, ComesAndGoes) {
  const std::string place = "gaussian:sigma=3:region=5,7,33,20";
  const auto all = parse_digests(filter(place).out).frames;
  const auto none = parse_digests(filter("identity").out).frames;
  const Result some = filter(place + ":between=f1-f1", {"--audit", path("audit.jsonl")});
  EXPECT_TRUE(succeeded(some));
  EXPECT_EQ(parse_digests(some.out).frames, (std::vector{none[0], all[1], none[2]}));
  EXPECT_TRUE(has_line_with(some.err, {"2 passed on"}));
}

// A CUDA device takes every kind of region; without a device the error is that it is missing.
TEST_F(Region, SameBytesOnACudaDevice) {
  std::ofstream(path("boxes.jsonl")) << R"({"frame":0,"id":1,"box":[5,5,30,20]})"
                                     << "\n"
                                     << R"({"frame":2,"id":1,"box":[20,9,40,30]})"
                                     << "\n";
  const Arguments boxes{"--regions", path("boxes.jsonl") + ":shape=ellipse:feather=3"};
  Arguments boxes_in_light = boxes;
  boxes_in_light.emplace_back("--linear");
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2,format=gray -c:v ffv1 " + path("mask.mkv"));
  for (const auto& pair :
       {std::pair<std::string, Arguments>("gaussian:sigma=3:region=5,7,33,20:feather=4", {}),
        {"gaussian:sigma=1..4@f0-f2:region=5,7,33,20;40,0,9,9:invert=1", {}},
        {"unsharp:mask=edges:sobel:feather=2", {}},
        {"unsharp:feather=2:mask=" + path("mask.mkv"), {}},
        {"sharpen:between=f1-f2", boxes},
        {"tilt-shift:y=40%,height=20%,blur=6", {}},
        {"gaussian:sigma=map:" + path("mask.mkv") + "*5:region=5,7,33,20", {}},
        {"disk:radius=map:" + path("mask.mkv") + "*3", {"--linear"}},
        {"sharpen:region=5,7,33,20:feather=4", {"--linear", "--kernel", "box:mask=edges:sobel"}},
        {"box", boxes_in_light}}) {
    const std::string& kernel = pair.first;
    SCOPED_TRACE(kernel);
    const auto on = [&](const std::string& device, const Arguments& extra = {}) {
      Arguments all = pair.second;
      all.insert(all.end(), {"--device", device});
      all.insert(all.end(), extra.begin(), extra.end());
      return filter(kernel, all);
    };
    const Result cpu = on("cpu"), cuda = on("cuda", {"--verify", "--audit", path("audit.jsonl"),
                                                     "-y", "--trace", path("trace.json")});
    EXPECT_TRUE(succeeded(cpu));
    if (cuda.exit_code == exit_device) GTEST_SKIP() << cuda.err;
    EXPECT_TRUE(succeeded(cuda));
    EXPECT_EQ(cuda.out, cpu.out);
  }
}

TEST_F(Region, IsSaid) {
  const Result result = filter("gaussian:sigma=2:region=0,0,32,24", {"--explain"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.out, {"on 25% of the pixels", "stay as they are"}));
}

TEST_F(Region, WhatCannotBeIsRefused) {
  const std::string kernel = "box:region=0,0,9,9";
  EXPECT_TRUE(refused(filter("box:region=60,0,9,9"), exit_command_line,
                      {"column 12", "ends at 69,9", "64x48", "[filter-spec]"}));
  EXPECT_TRUE(
      refused(filter("box:region=9,9"), exit_command_line, {"--kernel", "column 15", "','"}));
}

// The samples are judged by tests/judge/light_places_test.py.
TEST_F(Region, IsFilteredInLinearLight) {
  std::ofstream(path("boxes.jsonl")) << "{\"frame\": 0, \"box\": [3, 4, 30.5, 20]}\n";
  for (const auto& [kernel, more] : std::vector<std::pair<std::string, Arguments>>{
           {"gaussian:sigma=2:region=5,7,33,20:feather=3", {}},
           {"box:region=0,0,9,9", {"--kernel", "unsharp:region=5,5,30%,30%:invert=1"}},
           {"gaussian:sigma=3:mask=edges:sobel", {"--scan", "interlaced"}},
           {"gaussian:sigma=0..4@f0-f2:region=5,7,33,20", {"--range", "clamp"}},
           {"mosaic:size=8", {"--regions", path("boxes.jsonl")}}}) {
    SCOPED_TRACE(kernel);
    Arguments one = more;
    one.insert(one.end(),
               {"--linear", "--threads", "1", "--verify", "--audit", path("a.jsonl"), "-y"});
    const Result result = filter(kernel, one);
    EXPECT_TRUE(succeeded(result));
    EXPECT_TRUE(has_line_with(result.err, {"3 verified"}));
    one = more;
    one.insert(one.end(), {"--linear", "--threads", "3"});
    EXPECT_EQ(filter(kernel, one).out, result.out);
    EXPECT_NE(filter(kernel, more).out, result.out);
  }
  const Result explained = filter("box:region=0,0,32,24", {"--linear", "--explain"});
  EXPECT_TRUE(has_line_with(explained.out, {"Y: bring into the place by"}));
  EXPECT_TRUE(has_line_with(explained.out, {"U V: bring into the place by"}));
}

TEST_F(Region, WhatCannotBeInLinearLightIsRefused) {
  const std::string kernel = "box:region=0,0,9,9";
  for (const auto& [filter_, more, words] :
       std::vector<std::tuple<std::string, Arguments, std::vector<std::string>>>{
           {"box:region=60,0,9,9", {}, {"column 12", "64x48"}},
           {"box:region=0,0,9", {}, {"column 17", "','"}},
           {"box:region=0,0,0,9", {}, {"column"}},
           {"box:mask=none.pgm", {}, {"column 10", "none.pgm"}},
           {"box:invert=1", {}, {"column"}},
           {"box:feather=3", {}, {"column"}},
           {kernel + ":planes=luma", {}, {"all colours", "--linear"}},
           {kernel, {"--planes", "luma"}, {"--planes", "--linear"}},
           {"box:region=0,0,101%,9", {}, {"column"}},
           {"box:region=0,0,9,9:alpha=weighted", {}, {"alpha", "linear"}},
           {kernel, {"--alpha", "weighted"}, {"--alpha", "--linear"}}}) {
    Arguments all = more;
    all.emplace_back("--linear");
    EXPECT_TRUE(refused(filter(filter_, all), exit_command_line, words)) << filter_;
  }
}

}  // namespace
}  // namespace vidconv::test
