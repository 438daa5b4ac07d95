// Output about vidconv's work, and options that select a range of the input.
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;
using std::chrono::seconds;

class Options : public CliTest {};

TEST_F(Options, Version) {
  const Result version = run_vidconv({"--version"});
  EXPECT_TRUE(succeeded(version));
  EXPECT_TRUE(has_line_with(version.out, {"vidconv 0."}));
}

TEST_F(Options, WhatOnlyCopiesStaysOnTheCpu) {
  const auto says = [&](const Arguments& more) {
    Arguments all = {"pattern:64x48#2", "-o", "null:", "--kernel", "identity"};
    all.insert(all.end(), more.begin(), more.end());
    const Result run = run_vidconv(all);
    EXPECT_TRUE(succeeded(run));
    return has_line_with(run.err, {"copying on the CPU"});
  };
  EXPECT_TRUE(says({}));
  EXPECT_TRUE(says({"--device", "auto"}));
  EXPECT_FALSE(says({"--device", "cpu"}));
  EXPECT_FALSE(says({"--kernel", "box"}));
  EXPECT_FALSE(says({"--range", "clamp"}));
  EXPECT_FALSE(says({"--verify=1"}));
}

TEST_F(Options, Lists) {
  const Result kernels = run_vidconv({"--list-kernels"});
  EXPECT_TRUE(succeeded(kernels));
  for (const std::string name :
       {"box", "gaussian", "sobel", "sharpen", "laplacian", "emboss", "identity"})
    EXPECT_TRUE(has_line_with(kernels.out, {name}));
  EXPECT_TRUE(has_line_with(kernels.out, {"sigma"}));
  const Result as_json = run_vidconv({"--list-kernels=json"});
  EXPECT_TRUE(succeeded(as_json));
  const json lists = json::parse(as_json.out);
  for (const json& filter : lists.at("filters")) {
    const auto name = filter.at("name").get<std::string>();
    EXPECT_TRUE(has_line_with(kernels.out, {name, filter.at("description").get<std::string>()}));
    for (const json& p : filter.at("parameters"))
      EXPECT_TRUE(p.at("type") == "choice" || p.at("min") < p.at("max")) << name;
  }
  EXPECT_GE(lists.at("filters").size(), 20u);
  EXPECT_TRUE(refused(run_vidconv({"--list-kernels=xml"}), exit_command_line, {"--list-kernels"}));

  const Result formats = run_vidconv({"--list-formats"});
  EXPECT_TRUE(succeeded(formats));
  for (const std::string name :
       {"yuv420p", "yuv422p", "yuv444p", "yuv420p10", "gray", "gbrp", "nv12", "p010"})
    EXPECT_TRUE(has_line_with(formats.out, {name}));

  const Result formats_as_json = run_vidconv({"--list-formats=json"});
  EXPECT_TRUE(succeeded(formats_as_json));
  const json list = json::parse(formats_as_json.out).at("formats");
  EXPECT_EQ(list.size() + 3, split_lines(formats.out).size());  // a title and two lines of words
  for (const json& format : list) {
    const std::string bits =
        format.at("float") ? "float" : std::to_string(format.at("bits").get<int>());
    EXPECT_TRUE(has_line_with(formats.out, {format.at("name").get<std::string>() + " ", bits}));
    EXPECT_FALSE(format.at("components").empty());
  }

  const Result variants = run_vidconv({"--list-variants"});
  EXPECT_TRUE(succeeded(variants));
  EXPECT_TRUE(has_line_with(variants.out, {"cpu-conv-int16", "cpu"}));
  EXPECT_TRUE(has_line_with(variants.out, {"reference", "cpu", "OpenMP"}));

  const Result devices = run_vidconv({"--list-devices"});
  EXPECT_TRUE(succeeded(devices));
  EXPECT_TRUE(has_line_with(devices.out, {"cpu"}));
}

TEST_F(Options, LinearLight) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=96x64:r=25 -frames:v 3 -pix_fmt yuv420p10 -c:v ffv1 "
      "-vf setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc " +
      path("pq.mkv"));
  const Arguments blur{path("pq.mkv"), "-o", "md5:", "--kernel", "gaussian:sigma=2"};
  const auto with = [&](const Arguments& more) {
    Arguments all = blur;
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  };
  const Result linear = with({"--linear", "--verify", "--threads", "3"});
  EXPECT_TRUE(succeeded(linear));
  EXPECT_TRUE(has_line_with(linear.err, {"3 verified"}));
  EXPECT_FALSE(has_line_with(linear.err, {"assumed"}));
  EXPECT_EQ(with({"--linear", "--threads", "1"}).out, linear.out);
  EXPECT_NE(with({}).out, linear.out);
  const Result explained = with({"--linear", "--explain"});
  EXPECT_TRUE(has_line_with(explained.out, {"Y U V: to linear light by"}));
  EXPECT_TRUE(has_line_with(explained.out, {"PQ transfer, limited range, luma 0.2627 R"}));
  EXPECT_TRUE(has_line_with(explained.out, {"R G B: filter by"}));
  EXPECT_TRUE(has_line_with(explained.out, {"Y U V: from linear light by"}));
  // The identity returns the picture unchanged.
  EXPECT_EQ(run_vidconv({path("pq.mkv"), "-o", "md5:", "--kernel", "identity", "--linear"}).out,
            run_vidconv({path("pq.mkv"), "-o", "md5:", "--kernel", "identity"}).out);

  const Result assumed =
      run_vidconv({"pattern:32x32", "-o", "null:", "--kernel", "box", "--linear"});
  EXPECT_TRUE(succeeded(assumed));
  EXPECT_TRUE(has_line_with(assumed.err, {"BT.709 is assumed"}));
  EXPECT_TRUE(refused(with({"--linear", "--planes", "luma"}), exit_command_line,
                      {"--planes", "linear light"}));
  EXPECT_TRUE(
      refused(run_vidconv({"pattern:32x32:grayf32", "-o", "null:", "--kernel", "box", "--linear"}),
              exit_command_line, {"linear light", "float"}));
}

TEST_F(Options, RangeClamp) {
  const auto filter = [&](const std::string& format, const std::string& output) {
    return run_vidconv({"pattern:48x32:" + format + "#2", "-o", output, "--format", "raw",
                        "--kernel", "matrix:0 -9 0;-9 37 -9;0 -9 0", "--planes", "all", "--range",
                        "clamp"});
  };
  const Result limited = filter("yuv420p", "-");
  EXPECT_TRUE(succeeded(limited));
  ASSERT_EQ(limited.out.size(), 2u * 48 * 32 * 3 / 2);
  int lowest = 0, highest = 0;
  for (std::size_t i = 0; i < limited.out.size(); ++i) {
    const int code = static_cast<unsigned char>(limited.out[i]);
    const int max = i % (48 * 32 * 3 / 2) < 48 * 32 ? 235 : 240;
    ASSERT_GE(code, 16) << i;
    ASSERT_LE(code, max) << i;
    lowest += code == 16;
    highest += code == max;
  }
  EXPECT_GT(lowest, 0);
  EXPECT_GT(highest, 0);
  EXPECT_FALSE(has_line_with(limited.err, {"changes nothing"}));

  const Result full = filter("gbrp", "-");
  EXPECT_TRUE(succeeded(full));
  EXPECT_TRUE(has_line_with(full.err, {"--range clamp", "changes nothing", "full range"}));
  EXPECT_NE(full.out.find('\0'), std::string::npos);
  EXPECT_TRUE(
      refused(run_vidconv({"pattern:16x16", "-o", "null:", "--kernel", "box", "--range", "tight"}),
              exit_command_line, {"--range", "tight"}));
}

TEST_F(Options, AGainThatClipsIsWarnedOf) {
  const Arguments warned = {"pattern:64x48#1", "-o", "null:", "--kernel", "matrix:1 1;1 1"};
  const Result result = run_vidconv(warned);
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"warning", "matrix:1 1;1 1", ":scale=1/4"}));
  Arguments quiet = warned;
  quiet.push_back("-q");
  EXPECT_EQ(run_vidconv(quiet).err, "");
}

TEST_F(Options, QuietSaysNothing) {
  const Result result =
      run_vidconv({"pattern:64x48#5", "-o", path("out.mp4"), "--kernel", "box", "-q"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "");
}

TEST_F(Options, DeviceAutoSaysWhatItChose) {
  const Result result = shell("CUDA_VISIBLE_DEVICES= " + vidconv() +
                              " pattern:64x48#5 -o null: --kernel box --device auto");
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"on the CPU"}));
}

TEST_F(Options, ProgressAsJson) {
  const Result result =
      run_vidconv({"pattern:64x48#50", "-o", "null:", "--kernel", "box", "--progress", "json"});
  EXPECT_TRUE(succeeded(result));
  json last;
  for (const std::string& line : split_lines(result.err)) {
    if (!line.starts_with('{')) continue;
    ASSERT_NO_THROW(last = json::parse(line)) << line;
  }
  ASSERT_TRUE(last.is_object()) << result.err;
  EXPECT_EQ(last.at("frame"), 50);
  EXPECT_EQ(last.at("total"), 50);
  EXPECT_GT(last.at("fps"), 0);
}

TEST_F(Options, PlainProgressAndNone) {
  const Arguments base{"pattern:64x48#50", "-o", "null:", "--kernel", "box", "--progress"};
  const auto with = [&](const char* mode) {
    Arguments arguments = base;
    arguments.push_back(mode);
    return run_vidconv(arguments);
  };
  EXPECT_TRUE(has_line_with(with("plain").err, {"50/50"}));
  EXPECT_EQ(with("none").err.find("50/50"), std::string::npos);
}

TEST_F(Options, FormatIsOfAnyOutput) {
  const auto write = [&](const std::string& name, const std::string& format) {
    EXPECT_TRUE(succeeded(
        run_vidconv({"pattern:64x48#4", "-o", path(name), "--format", format, "--kernel", "box"})))
        << format;
    return format == "raw" ? "raw" : probe(path(name), "format=format_name").front();
  };
  EXPECT_NE(write("x", "mp4").find("mp4"), std::string::npos);
  EXPECT_NE(write("y.mp4", "matroska").find("matroska"), std::string::npos);
  EXPECT_EQ(write("z.mp4", "y4m"), "yuv4mpegpipe");
  write("w.mkv", "raw");
  EXPECT_EQ(std::filesystem::file_size(path("w.mkv")), 4u * 64 * 48 * 3 / 2);
  EXPECT_TRUE(succeeded(run_vidconv({"pattern:64x48#2", "-o", path("p%d"), "--format", "image2",
                                     "--codec", "png", "--kernel", "box"})));
  EXPECT_EQ(probe(path("p2"), "stream=codec_name"), std::vector<std::string>{"png"});
  EXPECT_TRUE(
      refused(run_vidconv({"pattern:64x48#4", "-o", "null:", "--format", "mp4", "--kernel", "box"}),
              exit_command_line, {"--format", "mp4"}));
}

TEST_F(Options, PartsOfTheInput) {
  const std::string in = clip();  // frames at 0, 0.04, ... 0.76
  const auto count = [&](Arguments part) {
    part.insert(part.begin(), {in, "-o", "md5:", "--kernel", "box"});
    const Result result = run_vidconv(part);
    EXPECT_TRUE(succeeded(result));
    return parse_digests(result.out).frames;
  };
  const std::vector<std::string> all = count({});
  ASSERT_EQ(all.size(), 20U);
  const auto slice = [&](int from, int to) {
    return std::vector<std::string>(all.begin() + from, all.begin() + to);
  };
  EXPECT_EQ(count({"--frames", "7"}), slice(0, 7));
  EXPECT_EQ(count({"--duration", "0.4"}), slice(0, 10));
  EXPECT_EQ(count({"--start", "0.32"}), slice(8, 20));
  EXPECT_EQ(count({"--start", "0.32", "--duration", "0.2"}), slice(8, 13));
  EXPECT_EQ(count({"--start", "0.32", "--frames", "3"}), slice(8, 11));
}

TEST_F(Options, ThreadsAndSlotsDoNotChangeTheBytes) {
  const auto digests = [&](const Arguments& more) {
    Arguments arguments{"pattern:97x61#12", "-o", "md5:", "--kernel", "gaussian:sigma=3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = run_vidconv(arguments);
    EXPECT_TRUE(succeeded(result));
    return parse_digests(result.out);
  };
  const Digests expected = digests({});
  EXPECT_EQ(expected.frames.size(), 12U);
  EXPECT_EQ(digests({"--threads", "1"}), expected);
  EXPECT_EQ(digests({"--threads", "5"}), expected);
  EXPECT_EQ(digests({"--slots", "1"}), expected);
  EXPECT_EQ(digests({"--slots", "9"}), expected);
}

TEST_F(Options, VariantsGiveTheSameBytes) {
  const auto digests = [&](const Arguments& more) {
    Arguments arguments{"pattern:97x61#3", "-o", "md5:", "--kernel", "sobel"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = run_vidconv(arguments);
    EXPECT_TRUE(succeeded(result));
    return parse_digests(result.out);
  };
  const Digests expected = digests({});
  EXPECT_EQ(digests({"--variant", "reference"}), expected);
  EXPECT_EQ(digests({"--variant", "cpu-generic", "--verify"}), expected);
  const Result explained = run_vidconv(
      {"pattern:97x61#3", "--kernel", "sobel", "--variant", "cpu-generic", "--explain"});
  EXPECT_TRUE(has_line_with(explained.out, {"by cpu-generic"}));
}

TEST_F(Options, EncoderOptionsReachTheEncoder) {
  const auto size = [&](const std::string& name, Arguments more) {
    more.insert(more.begin(), {"pattern:128x72#20", "-o", path(name), "--kernel", "box"});
    EXPECT_TRUE(succeeded(run_vidconv(more)));
    return std::filesystem::file_size(path(name));
  };
  EXPECT_LT(size("small.mp4", {"--crf", "45"}), size("large.mp4", {"--crf", "5"}));
  size("fast.mp4", {"--preset", "ultrafast", "--encoder-opt", "g=5"});
  EXPECT_EQ(probe(path("fast.mp4"), "frame=key_frame").at(5).substr(0, 1), "1");
  size("hevc.mkv", {"--codec", "hevc"});
  EXPECT_EQ(probe(path("hevc.mkv"), "stream=codec_name").at(0), "hevc");
}

TEST_F(Options, InterruptFinishesTheFile) {
  // The pattern is endless without a number of frames.
  Process process(
      command({"pattern:320x180", "-o", path("out.mp4"), "--kernel", "box", "--progress", "json"}));
  ASSERT_TRUE(process.wait_for_stderr("\"frame\":", seconds(60)));
  process.signal(SIGINT);
  const Result result = process.wait(seconds(60));
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, exit_interrupted) << result.err;
  EXPECT_GT(frame_times(path("out.mp4")).size(), 0U);
  EXPECT_TRUE(succeeded(shell("ffmpeg -v error -xerror -i " + path("out.mp4") + " -f null -")));
}

}  // namespace
}  // namespace vidconv::test
