// Filters over time in whole runs; their samples are judged by tests/judge/time_test.py.
#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class OverTime : public CliTest {
 protected:
  OverTime() {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=40:d=2 -f lavfi -i sine=d=2 -c:a aac -c:v libx264 -g 20 " +
        path("in.mp4"));
  }
  Result filter(const std::string& output, const Arguments& more) const {
    Arguments all{path("in.mp4"), "-o", output.starts_with("md5:") ? output : path(output), "-y"};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }
  // The digest of all frames.
  std::string digest(const Arguments& more) const {
    const Result result = filter("md5:", more);
    EXPECT_TRUE(succeeded(result)) << result.err;
    return result.out;
  }
  std::string probed(const std::string& name, const std::string& what) const {
    return shell("ffprobe -v error " + what + " -of csv=p=0 " + path(name)).out;
  }
};

const char* const five_taps = "time:1 2 3 2 1:scale=auto";

TEST_F(OverTime, EveryFourthFrameComesOutInItsPlace) {
  for (const char* name : {"out.mkv", "out.mp4", "out.mov", "out.avi"}) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(succeeded(filter(name, {"--kernel", "time-box:size=4:every=4:phase=2"})));
    EXPECT_EQ(probed(name, "-count_frames -select_streams v -show_entries stream=nb_read_frames"),
              "20\n");
    const std::string rate = probed(name, "-select_streams v -show_entries stream=r_frame_rate");
    EXPECT_EQ(rate, "10/1\n");
    // Sound is not touched.
    const auto sound = [&](const std::string& file) {
      return shell("ffmpeg -v error -i " + path(file) + " -map 0:a -c copy -f md5 -").out;
    };
    EXPECT_EQ(sound(name), sound("in.mp4"));
  }
  const std::string times =
      probed("out.mkv", "-select_streams v -show_entries packet=pts_time,duration_time");
  EXPECT_NE(times.find("0.100000"), std::string::npos) << times;  // 10 frames/s
}

TEST_F(OverTime, WhatIsLeftOutIsCounted) {
  ASSERT_TRUE(succeeded(
      filter("out.mkv", {"--kernel", "time-box:every=3", "--stats", path("stats.json")})));
  const auto stats = nlohmann::json::parse(read_file(path("stats.json")));
  const auto& frames = stats.at("ledger").at("streams").at(0).at("frames");
  EXPECT_EQ(frames.at("received"), 80);
  EXPECT_EQ(frames.at("between"), 53);
  EXPECT_EQ(frames.at("handed_on"), 27);
  EXPECT_TRUE(refused(filter("out.mkv", {"--kernel", "time-box:every=100:phase=90"}), exit_input,
                      {"nothing to filter"}));
}

TEST_F(OverTime, ThreadsShardsAndRangesChangeNoByte) {
  const std::string frames = digest({"--kernel", five_taps, "--kernel", "box"});
  EXPECT_EQ(digest({"--kernel", five_taps, "--kernel", "box", "--threads", "1"}), frames);
  EXPECT_EQ(digest({"--kernel", five_taps, "--kernel", "box", "--variant", "reference"}), frames);
  EXPECT_NE(digest({"--kernel", "box", "--kernel", five_taps}), frames);  // rounded in between
  // A filter that acts on no frame is none.
  EXPECT_EQ(digest({"--kernel", std::string(five_taps) + ":between=f200-f300"}),
            digest({"--kernel", "identity"}));
  for (const char* name : {"whole.mkv", "parts.mkv"}) {
    Arguments words{"--kernel", five_taps, "--kernel", "sobel", "--codec", "ffv1"};
    if (std::string(name) == "parts.mkv") words.insert(words.end(), {"--shards", "5"});
    ASSERT_TRUE(succeeded(filter(name, words)));
  }
  const auto decoded = [&](const std::string& name) {
    return shell("ffmpeg -v error -i " + path(name) + " -map 0:v -f md5 -").out;
  };
  EXPECT_EQ(decoded("parts.mkv"), decoded("whole.mkv"));
}

TEST_F(OverTime, HostsReadTheFramesAroundTheirs) {
  for (const char* kernel : {five_taps, "time-box:size=33:border=reflect", "time-exp:decay=0.8",
                             "time:1 1 1:scale=auto:cut=0.01:between=f15-f50"}) {
    SCOPED_TRACE(kernel);
    const Arguments words{"--kernel", kernel, "--kernel", "time:1 1:scale=auto", "--shards", "5"};
    Arguments plan{"plan", path("in.mp4"), "-o", path("joined.mkv"), "-y", "--dir", path("plan")};
    plan.insert(plan.end(), words.begin(), words.end());
    std::filesystem::remove_all(path("plan"));
    ASSERT_TRUE(succeeded(run_vidconv(plan)));
    for (int i = 0; i < 5; ++i)
      ASSERT_TRUE(succeeded(run_vidconv({"shard", std::to_string(i), path("plan")})));
    ASSERT_TRUE(succeeded(run_vidconv({"join", path("plan"), "-o", path("joined.mkv"), "-y"})));
    ASSERT_TRUE(succeeded(filter("run.mkv", words)));
    EXPECT_EQ(read_file(path("joined.mkv")), read_file(path("run.mkv")));
  }
}

TEST_F(OverTime, OtherEyesSeeTheSame) {
  EXPECT_TRUE(has_line_with(filter("out.mkv", {"--kernel", five_taps, "--verify"}).err,
                            {"80 verified by reference"}));
  ASSERT_TRUE(succeeded(filter("out.mkv", {"--kernel", std::string(five_taps) + ":region=8,8,20,20",
                                           "--codec", "ffv1", "--audit", path("audit.jsonl")})));
  EXPECT_TRUE(
      succeeded(shell("python3 " + std::string(VIDCONV_SOURCE_DIR) + "/samples/check_audit.py " +
                      path("audit.jsonl") + " " + path("in.mp4") + " " + path("out.mkv"))));
  EXPECT_TRUE(succeeded(filter("out.mkv", {"--kernel", five_taps, "--compare", "side"})));
  EXPECT_TRUE(has_line_with(filter("out.mkv", {"--kernel", "time-box:size=9", "--explain"}).out,
                            {"window", "4 frames before and 4 after"}));
  EXPECT_TRUE(
      has_line_with(filter("out.mkv", {"--kernel", "volume:1 2;3 4|5 6;7 8", "--explain"}).out,
                    {"2x2x2, anchor 1,1,1"}));
  EXPECT_TRUE(has_line_with(
      run_vidconv({path("in.mp4"), "-o", "null:", "--kernel", five_taps, "--benchmark"}).out,
      {"convolve"}));
}

// A mean of light of frames that are all the same is these frames; of others it is brighter than
// that of codes.
TEST_F(OverTime, LightIsAddedUpFrameByFrame) {
  ffmpeg(
      "-f lavfi -i color=black:s=16x16:r=2:d=1,format=gray -f lavfi -i "
      "color=white:s=16x16:r=2:d=1,format=gray -filter_complex "
      "[0:v][1:v]interleave,scale=out_range=full,setpts=N/25/TB -r 25 -c:v ffv1 -color_trc bt709 "
      "-pix_fmt gray " +
      path("blink.mkv"));
  const auto mean = [&](const Arguments& more) {
    Arguments words{path("blink.mkv"),    "-o", "-", "--format", "raw", "-q", "--kernel",
                    "time:1 1:scale=auto"};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = run_vidconv(words);
    EXPECT_TRUE(succeeded(result)) << result.err;
    EXPECT_EQ(result.out.size(), 4u * 16 * 16);
    return static_cast<unsigned char>(result.out.at(16 * 16));  // in the second frame
  };
  const unsigned codes = mean({}), light = mean({"--linear"});
  EXPECT_GT(light, codes + 30);  // half of the light of BT.709 is 0.7 of its signal
  EXPECT_EQ(mean({"--linear", "--variant", "reference"}), light);
  EXPECT_EQ(digest({"--kernel", "time:0 1 0", "--linear"}), digest({"--kernel", "identity"}));
  const std::string frames =
      digest({"--kernel", five_taps, "--kernel", "time-box:size=9", "--linear"});
  EXPECT_EQ(
      digest({"--kernel", five_taps, "--kernel", "time-box:size=9", "--linear", "--threads", "1"}),
      frames);
  EXPECT_TRUE(has_line_with(filter("out.mkv", {"--kernel", "time-box:size=9:cut=0.1:border=shrink",
                                               "--linear", "--verify"})
                                .err,
                            {"80 verified by"}));
}

TEST_F(OverTime, SaysWhatItCannot) {
  for (const auto& [option, value] : {std::pair("--device", "cuda"), {"--decoder", "nvdec"}})
    EXPECT_TRUE(refused(filter("out.mkv", {"--kernel", "sobel", "--kernel",
                                           "time-box:size=3:cut=0.1", option, value}),
                        exit_command_line, {option, "scenes"}));
  EXPECT_TRUE(refused(filter("out.mkv", {"--kernel", "time-box:every=2", "--audit", path("a")}),
                      exit_command_line, {"--audit", "every="}));
}

}  // namespace
}  // namespace vidconv::test
