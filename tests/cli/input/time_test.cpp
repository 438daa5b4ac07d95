// between= filters some frames; the others stay the input's, in every container and encoder.
#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Time : public CliTest {
 protected:
  Digests filtered(const std::string& input, const Arguments& more) const {
    Arguments all{input, "-o", "md5:"};
    all.insert(all.end(), more.begin(), more.end());
    const Result result = run_vidconv(all);
    EXPECT_TRUE(succeeded(result));
    return parse_digests(result.out);
  }

  // Returns the frames of `acting` whose time is in the range, and the others of `resting`.
  static std::vector<std::string> between(const std::vector<std::string>& acting,
                                          const std::vector<std::string>& resting,
                                          const std::vector<std::string>& times, double begin,
                                          double end) {
    std::vector<std::string> expected;
    int act = 0;
    for (std::size_t i = 0; i < resting.size(); ++i) {
      const double time = std::stod(times.at(i));
      const bool acts = time > begin - 1e-4 && time < end - 1e-4;
      act += acts;
      expected.push_back((acts ? acting : resting).at(i));
    }
    EXPECT_GT(act, 0);
    EXPECT_LT(act, static_cast<int>(resting.size()));
    return expected;
  }
};

TEST_F(Time, FramesOfAnyDurationAreJudgedByTheirTime) {
  ffmpeg(
      "-f lavfi -i testsrc2=size=64x48:rate=25:duration=3 -vf "
      "\"setpts='(N+N*N/40)/25/TB'\" -fps_mode vfr -c:v ffv1 " +
      path("vfr.mkv"));
  const auto rests = judge_digests(path("vfr.mkv")).frames;
  const auto times = frame_times(path("vfr.mkv"));
  const auto acts = filtered(path("vfr.mkv"), {"--kernel", "sobel"}).frames;
  EXPECT_EQ(filtered(path("vfr.mkv"), {"--kernel", "sobel:between=1-0:02.5"}).frames,
            between(acts, rests, times, 1, 2.5));
}

// The input's first frame is not at 0, and --start may skip some.
TEST_F(Time, IsCountedFromTheInputsBeginningAsStartIs) {
  ffmpeg(
      "-f lavfi -i testsrc2=size=64x48:rate=25:duration=3 -c:v libx264 -preset ultrafast -bf 2 "
      "-g 12 -pix_fmt yuv420p " +
      path("in.ts"));
  const auto rests = judge_digests(path("in.ts")).frames;
  const auto acts = filtered(path("in.ts"), {"--kernel", "sobel"}).frames;
  std::vector<std::string> times;
  for (int i = 0; i < 75; ++i) times.push_back(std::to_string(0.04 * i));
  const auto expected = between(acts, rests, times, 1, 2);
  const std::string filter = "sobel:between=1-2";
  EXPECT_EQ(filtered(path("in.ts"), {"--kernel", filter}).frames, expected);
  EXPECT_EQ(filtered(path("in.ts"), {"--kernel", "sobel:between=f25-f49"}).frames, expected);
  EXPECT_EQ(
      filtered(path("in.ts"), {"--kernel", filter, "--start", "0.8", "--duration", "1.6"}).frames,
      std::vector(expected.begin() + 20, expected.begin() + 60));
  EXPECT_TRUE(refused(
      run_vidconv({path("in.ts"), "-o", "md5:", "--kernel", "box:between=f9-", "--start", "1"}),
      exit_command_line, {"box:between=f9-", "--start", "give times"}));
}

// Unfiltered frames come in their decoder's memory layout, alternating with filtered ones.
TEST_F(Time, EncodersGetTheInputsFrames) {
  const std::string clip = make_clip("in.mkv", "-pix_fmt yuv420p -c:v libx264 -qp 20 -bf 2");
  const Arguments kernels{"--kernel", "gaussian:sigma=2:between=0.2-0.4,f15-f16"};
  const Digests wanted = filtered(clip, kernels);
  struct Lossless {
    std::string output;
    Arguments how;
  };
  for (const Lossless& to : {
           Lossless{"x264.mkv", {"--codec", "libx264", "--crf", "0"}},
           Lossless{"x265.mkv", {"--codec", "libx265", "--encoder-opt", "x265-params=lossless=1"}},
           Lossless{"vp9.webm",
                    {"--codec", "libvpx-vp9", "--crf", "0", "--encoder-opt", "lossless=1"}},
           Lossless{"ffv1.mkv", {"--codec", "ffv1"}},
           Lossless{"ffvhuff.avi", {"--codec", "ffvhuff"}},
           Lossless{"bare.y4m", {}},
           Lossless{"shards.mkv",
                    {"--codec", "libx264", "--crf", "0", "--shards", "3", "--jobs", "2"}},
       }) {
    SCOPED_TRACE(to.output);
    Arguments all{clip, "-o", path(to.output)};
    all.insert(all.end(), kernels.begin(), kernels.end());
    all.insert(all.end(), to.how.begin(), to.how.end());
    EXPECT_TRUE(succeeded(run_vidconv(all)));
    EXPECT_EQ(judge_digests(path(to.output)), wanted);
  }
}

TEST_F(Time, ValuesChangeByKeysOfAFile) {
  write_file(path("keys.txt"), "# blurred in the middle\n0.2 0\n0.4 3\n0.6 0\n");
  const std::string clip = make_clip("in.mkv", "-pix_fmt yuv420p -c:v ffv1");
  const auto rests = judge_digests(clip).frames;
  const auto now = filtered(clip, {"--kernel", "gaussian:sigma=@" + path("keys.txt")}).frames;
  const auto most = filtered(clip, {"--kernel", "gaussian:sigma=3"}).frames;
  const auto half = filtered(clip, {"--kernel", "gaussian:sigma=1.5"}).frames;  // both ways
  for (std::size_t i = 0; i < rests.size(); ++i)
    EXPECT_EQ(now[i] == rests[i], i <= 5 || i >= 15) << i;
  EXPECT_EQ(now[10], most[10]);
  const auto by_ramp =
      filtered(clip, {"--kernel", "gaussian:sigma=0..3@0.2-0.4", "--start", "0.2"}).frames;
  EXPECT_EQ(std::vector(by_ramp.begin(), by_ramp.begin() + 5),
            std::vector(now.begin() + 5, now.begin() + 10));
  EXPECT_EQ(filtered(clip, {"--kernel", "gaussian:sigma=0..3@f5-f9"}).frames[7], half[7]);
}

TEST_F(Time, VideosCountTheirOwnFrames) {
  ffmpeg(
      "-f lavfi -i testsrc2=size=64x48:rate=25:duration=1 -f lavfi -i "
      "testsrc2=size=32x24:rate=10:duration=1 -map 0 -map 1 -c:v ffv1 " +
      path("two.mkv"));
  EXPECT_TRUE(succeeded(run_vidconv({path("two.mkv"), "-o", path("out.mkv"), "--codec", "ffv1",
                                     "--video", "all", "--kernel", "box:between=f5-f7"})));
  for (const std::string number : {"1", "2"}) {
    const auto wanted =
        filtered(path("two.mkv"), {"--kernel", "box:between=f5-f7", "--video", number});
    ffmpeg("-i " + path("out.mkv") + " -map 0:v:" + std::to_string(std::stoi(number) - 1) +
           " -c copy " + path(number + ".mkv"));
    EXPECT_EQ(judge_digests(path(number + ".mkv")), wanted);
  }
}

TEST_F(Time, ReportsSayHowManyPassed) {
  const Result result = run_vidconv({"pattern:64x48@10#30", "-o", "null:", "--kernel",
                                     "box:between=1-2", "--verify", "--stats", path("stats.json")});
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"30 frames", "20 passed on as they were"}));
  const auto stats = nlohmann::json::parse(read_file(path("stats.json")));
  EXPECT_EQ(stats.at("frames").at("passed_on"), 20);
  EXPECT_EQ(stats.at("frames").at("filtered"), 30);
  EXPECT_EQ(stats.at("frames").at("verified"), 30);
}

TEST_F(Time, ExplainSaysWhatActsTogether) {
  const Result result =
      run_vidconv({"pattern:64x48@10#30", "--explain", "--device", "cpu", "--kernel",
                   "box:between=1-2", "--kernel", "sobel:between=1.5-3"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.out, {"no filter acts", "passed on as they are"}));
  EXPECT_TRUE(has_line_with(result.out, {"one filter acts alone"}));
  EXPECT_TRUE(has_line_with(result.out, {"these filters act together"}));
  EXPECT_TRUE(has_line_with(result.out, {"filter  box:between=1-2"}));
}

TEST_F(Time, WrongTimesAreRefusedAtTheirColumn) {
  const Result result = run_vidconv(
      {"pattern:64x48@10#30", "-o", "null:", "--kernel", "gaussian:sigma=2:between=1:30-1:00"});
  EXPECT_TRUE(
      refused(result, exit_command_line, {"1:30-1:00", "column 26", "has to end after it begins"}));
}

TEST_F(Time, WrongValuesOverTimeAreRefusedAtTheirColumn) {
  const Result result =
      run_vidconv({"pattern:64x48@10#30", "-o", "null:", "--kernel", "gaussian:sigma=0..8@20-10"});
  EXPECT_TRUE(refused(result, exit_command_line, {"0..8@20-10", "column 21", "ends before"}));
}

// A benchmark and a gallery always show the filters at work.
TEST_F(Time, BenchmarkAndGalleryTakeNoHeed) {
  EXPECT_TRUE(succeeded(run_vidconv({"pattern:64x48@10#30", "--benchmark=0.01", "--device", "cpu",
                                     "--kernel", "box:between=100-"})));
  const auto drawn = [&](const std::string& name, const std::string& kernel) {
    EXPECT_TRUE(succeeded(
        run_vidconv({"pattern:64x48@10#30", "--gallery", "-o", path(name), "--kernel", kernel})));
    return judge_digests(path(name)).all;
  };
  EXPECT_FALSE(drawn("sheet.png", "box:between=100-").empty());
}

}  // namespace
}  // namespace vidconv::test
