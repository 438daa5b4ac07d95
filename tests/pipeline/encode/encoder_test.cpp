#include "pipeline/encode/encoder.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::convert;
using test::expect_error;
using test::output_of;
using test::read_file;
using test::TempDir;

std::string codec_of(const std::string& file) {
  return output_of(
      "ffprobe -v error -select_streams v -of csv=p=0 -show_entries stream=codec_name " + file);
}

TEST(Encoder, WrongOptionsAreNamed) {
  const TempDir dir;
  const auto refuse = [&](SinkOptions options, const std::vector<std::string>& words) {
    expect_error(Fault::usage, words,
                 [&] { convert("pattern:32x32#2", dir / "a.mkv", {"identity"}, options); });
    EXPECT_TRUE(dir.files().empty());
  };
  refuse({.encoder = {.own = {{"no-such-option", "1"}}}}, {"no-such-option", "libx264"});
  refuse({.encoder = {.own = {{"bf", "many"}}}}, {"bf=many"});
  refuse({.encoder = {.crf = "good"}}, {"`crf`=good"});
  refuse({.encoder = {.crf = "52"}}, {"`crf`=52", "51"});
  refuse({.encoder = {.codec = "ffv1", .crf = "20"}}, {"crf", "ffv1"});
  refuse({.encoder = {.codec = "ffv1", .preset = "slow"}}, {"preset", "ffv1"});
  refuse({.encoder = {.codec = "no-such-codec"}}, {"no-such-codec"});
  refuse({.encoder = {.codec = "aac"}}, {"aac"});
  refuse({.format = "no-such-format"}, {"no-such-format"});
}

// Xvid's tables are those of the process, and are written whenever an encoder is opened.
TEST(Encoder, XvidIsNotDisturbedByOthersThatBegin) {
  if (!avcodec_find_encoder_by_name("libxvid")) GTEST_SKIP() << "FFmpeg has no libxvid here";
  const TempDir dir;
  const auto encode = [&](const std::string& name, const std::string& size) {
    convert("pattern:" + size, dir / name, {"identity"},
            {.encoder = {.codec = "libxvid"}, .overwrite = true});
    return read_file(dir / name);
  };
  const std::string expected = encode("alone.avi", "352x288@25#20");
  std::atomic<bool> done = false;
  std::thread others([&] {
    while (!done) encode("other.avi", "16x16#1");
  });
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(encode("beside.avi", "352x288@25#20") == expected) << i;
  done = true;
  others.join();
}

// One of SVT-AV1's tables is freed when another encoder is closed.
TEST(Encoder, SvtAv1IsOpenedAndClosedBesideOthers) {
  if (!avcodec_find_encoder_by_name("libsvtav1")) GTEST_SKIP() << "FFmpeg has no libsvtav1 here";
  std::vector<std::jthread> others(4);
  for (std::jthread& other : others)
    other = std::jthread([] {
      for (int i = 0; i < 20; ++i) {
        const TempDir dir;
        convert("pattern:64x64@25#1", dir / "a.mkv", {"identity"},
                {.encoder = {.codec = "libsvtav1", .preset = "12", .threads = 1}});
      }
    });
}

// SVT-AV1 makes threads real-time ones where it may.
TEST(Encoder, ThreadsStayAsUrgentAsTheyWere) {
  if (!avcodec_find_encoder_by_name("libsvtav1")) GTEST_SKIP() << "FFmpeg has no libsvtav1 here";
  const auto real_time = [] {
    std::set<std::string> threads;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      const std::string name = thread.path().filename();
      const int policy = sched_getscheduler(std::stoi(name));
      if (policy == SCHED_FIFO || policy == SCHED_RR) threads.insert(name);
    }
    return threads;
  };
  const std::set<std::string> before = real_time();
  const std::unique_ptr<Source> source = open_source("pattern:64x64@25#3", {});
  SinkOptions options;
  options.encoder.codec = "libsvtav1";
  const TempDir dir;
  const OutputPlan plan = plan_output(dir / "a.mkv", options, source->videos());
  const Encoder encoder(plan.encoders.at(0), source->video(), plan.options.encoder, false, {}, {});
  EXPECT_EQ(real_time(), before);
}

TEST(Encoder, BadPresetIsAnError) {
  const TempDir dir;
  EXPECT_THROW(
      convert("pattern:32x32#2", dir / "a.mkv", {"identity"}, {.encoder = {.preset = "warp"}}),
      Error);
  EXPECT_TRUE(dir.files().empty());
}

TEST(Encoder, OptionsWithoutAnEncoderAreRefused) {
  expect_error(Fault::usage, {"`crf`", "null"}, [] {
    convert("pattern:32x32#2", "null:", {"identity"}, {.encoder = {.crf = "20"}});
  });
}

TEST(Encoder, ContainerMustTakeTheCodec) {
  const TempDir dir;
  expect_error(Fault::output, {"h264", "WebM"}, [&] {
    convert("pattern:32x32#2", dir / "a.webm", {"identity"}, {.encoder = {.codec = "h264"}});
  });
}

TEST(Encoder, DefaultIsTheInputsOwnCodec) {
  const TempDir dir;
  for (const auto& [codec, name] : {std::pair{"mpeg4", "a.avi"},
                                    {"ffv1", "a.mkv"},
                                    {"libvpx-vp9", "a.webm"},
                                    {"mjpeg", "a.mov"}}) {
    SCOPED_TRACE(codec);
    convert("pattern:64x64#3", dir / name, {"identity"}, {.encoder = {.codec = codec}});
    const std::string again = std::string("again-") + name;
    convert(dir / name, dir / again);
    EXPECT_EQ(codec_of(dir / again), codec_of(dir / name));
  }
  convert("pattern:64x64#3", dir / "b.mp4");
  EXPECT_EQ(codec_of(dir / "b.mp4"), "h264\n");
  convert(dir / "b.mp4", dir / "b.webm");
  EXPECT_EQ(codec_of(dir / "b.webm"), "vp9\n");
}

// Times are kept by encoders that know only a frame rate, and with frames out of order.
TEST(Encoder, KeepsTimesWhateverItThinksOfThem) {
  const TempDir dir;
  output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=s=64x64:r=25:d=1 -vf \"select='not(eq(mod(n,5),2))'\" "
      "-fps_mode vfr -c:v ffv1 " +
      dir / "in.mkv");
  const auto times = [](const std::string& file) {
    return output_of("ffprobe -v error -show_entries packet=pts_time -of csv=p=0 " + file +
                     " | tr -d , | sort -n");
  };
  const std::vector<SinkOptions> all{{.encoder = {.codec = "mpeg4"}},
                                     {.encoder = {.codec = "mpeg4", .own = {{"bf", "2"}}}},
                                     {.encoder = {.codec = "mpeg2video", .own = {{"bf", "2"}}}},
                                     {.encoder = {.codec = "libx264", .own = {{"bf", "3"}}}},
                                     {.encoder = {.codec = "libx265", .preset = "ultrafast"}},
                                     {.encoder = {.codec = "libvpx-vp9"}},
                                     {.encoder = {.codec = "ffv1"}}};
  for (const SinkOptions& options : all) {
    SCOPED_TRACE(options.encoder.codec);
    const std::string out =
        dir / (options.encoder.codec + std::to_string(options.encoder.own.size()) + ".mkv");
    convert(dir / "in.mkv", out, {"identity"}, options);
    EXPECT_EQ(times(out), times(dir / "in.mkv"));
  }
}

TEST(Encoder, DepthIsKeptWhereItCanBe) {
  const TempDir dir;
  const auto format_of = [](const std::string& file) {
    return output_of("ffprobe -v error -of csv=p=0 -show_entries stream=pix_fmt " + file);
  };
  convert("pattern:64x64:yuv420p10le#2", dir / "a.mkv", {"identity"},
          {.encoder = {.codec = "libx265"}});
  EXPECT_EQ(format_of(dir / "a.mkv"), "yuv420p10le\n");
  std::string said;
  SinkOptions options{.encoder = {.codec = "libx264"}};
  options.notify = [&](MessageKind, const std::string& line) { said += line; };
  convert("pattern:64x64:yuv422p12le#2", dir / "b.mkv", {"identity"}, options);
  EXPECT_EQ(format_of(dir / "b.mkv"), "yuv422p10le\n");
  EXPECT_NE(said.find("yuv422p12le"), std::string::npos) << said;
}

TEST(Encoder, JpegIsOfFullRange) {
  const TempDir dir;
  convert("pattern:64x64:yuv420p#2", dir / "a.mkv", {"identity"}, {.encoder = {.codec = "mjpeg"}});
  EXPECT_EQ(
      output_of("ffprobe -v error -of csv=p=0 -show_entries stream=color_range " + dir / "a.mkv"),
      "pc\n");
}

// Chips for computing have no NVENC, and most machines no such chip.
TEST(Encoder, NvencWorksOrIsRefusedBeforeTheOutputIsTouched) {
  for (const char* codec : {"h264_nvenc", "hevc_nvenc"}) {
    if (!avcodec_find_encoder_by_name(codec)) continue;
    const TempDir dir;
    test::write_file(dir / "a.mkv", "older");
    try {
      convert("pattern:320x240#3", dir / "a.mkv", {"identity"},
              {.encoder = {.codec = codec}, .overwrite = true});
      EXPECT_EQ(test::read_all(dir / "a.mkv").pictures.size(), 3u);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::output) << error.message();
      EXPECT_NE(error.message().find(codec), std::string::npos) << error.message();
      EXPECT_NE(error.remedy().find("use `codec` libx26"), std::string::npos) << error.message();
      EXPECT_EQ(dir.files(), std::vector<std::string>{"a.mkv"});
      EXPECT_EQ(test::read_file(dir / "a.mkv"), "older");
    }
  }
}

TEST(Encoder, RgbBecomesYuvOfTheMatrixItNames) {
  const TempDir dir;
  convert("pattern:64x64:gbrp#2", dir / "a.mkv", {"identity"}, {.encoder = {.crf = "1"}});
  EXPECT_EQ(
      output_of("ffprobe -v error -of csv=p=0 -show_entries stream=color_space " + dir / "a.mkv"),
      "smpte170m\n");
}

}  // namespace
}  // namespace vidconv
