// A video encoded in shards has the same bytes whoever encodes them, and no seam where they are
// joined.
#include "pipeline/shards/shards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>
#include <thread>

#include "pipeline/encode/shard_encoder.h"
#include "pipeline/encode/shard_rules.h"
#include "pipeline/encode/video_encoder.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::convert;
using test::expect_error;
using test::output_of;
using test::processor_for;
using test::read_all;
using test::read_file;
using test::TempDir;

SinkOptions in_parts(const std::string& codec, ShardOptions shards) {
  SinkOptions options;
  options.encoder.codec = codec;
  options.encoder.shards = shards;
  options.overwrite = true;
  return options;
}

RunResult convert_serially(const std::string& input, const std::string& output,
                           const SinkOptions& options) {
  const auto source = open_source(input, {});
  const auto sink = open_sink(output, options, source->info());
  const auto processor = processor_for(*source, {"identity"});
  return run_serial(*source, *processor, *sink);
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) all.push_back(std::stod(line));
  return all;
}
std::vector<double> times(const std::string& file, const std::string& which) {
  return numbers(output_of("ffprobe -v error -select_streams v -show_entries packet=" + which +
                           " -of csv=p=0 " + file + " | tr -d ,"));
}
std::vector<double> sorted(std::vector<double> values) {
  std::ranges::sort(values);
  return values;
}
TEST(Shards, BytesAreThoseOfEveryNumberOfJobs) {
  const TempDir dir;
  for (const auto& [codec, ending] :
       {std::pair{"libx264", ".mp4"}, {"mpeg4", ".mp4"}, {"ffv1", ".nut"}}) {
    for (int count = 1; count <= 5; ++count) {
      SCOPED_TRACE(std::string(codec) + " in " + std::to_string(count));
      std::set<std::string> outputs;
      for (const int jobs : {1, 2, 3}) {
        const std::string out = dir / ("a" + std::string(ending));
        const RunResult result = convert("pattern:64x48@25#53", out, {"identity"},
                                         in_parts(codec, {.count = count, .jobs = jobs}));
        EXPECT_EQ(result.written, 53);
        outputs.insert(read_file(out));
      }
      const std::string out = dir / ("b" + std::string(ending));
      convert_serially("pattern:64x48@25#53", out, in_parts(codec, {.count = count, .slots = 1}));
      outputs.insert(read_file(out));
      EXPECT_EQ(outputs.size(), 1U);
      EXPECT_EQ(read_all(out).pictures.size(), 53U);
    }
  }
}

TEST(Shards, PacketsThatWaitAreBounded) {
  const TempDir dir;
  const auto bytes_with = [&](ShardOptions shards) {
    shards.count = 5;
    convert("pattern:64x48@25#103", dir / "a.nut", {"identity"}, in_parts("ffv1", shards));
    return read_file(dir / "a.nut");
  };
  const std::string expected = bytes_with({.jobs = 1});
  for (const int slots : {1, 2, 100})
    EXPECT_TRUE(bytes_with({.jobs = 4, .slots = slots, .packet_bytes = 1}) == expected) << slots;
}

TEST(Shards, AnEncoderWaitsForItsTurn) {
  const auto source = open_source("pattern:64x48@25#40", {});
  const VideoInfo& video = source->video();
  SinkOptions options;
  options.encoder.codec = "ffv1";
  const OutputPlan plan = plan_output("a.nut", options, source->info().videos);
  ShardLimits limits;
  limits.slots = 20;
  limits.packet_bytes = 1;
  const auto make = [&] {
    return std::make_unique<Encoder>(plan.encoders.at(0), video, plan.options.encoder, false,
                                     nullptr, nullptr);
  };
  ShardEncoder oldest(0, limits, make), next(1, limits, make);
  for (int i = 0; i < 40; ++i) {
    std::optional<Item> item = source->next();
    (i % 2 == 0 ? oldest : next).write(std::get<Frame>(std::move(*item)));
  }
  next.end();
  for (int taken = 0; taken < 20; ++taken)
    ASSERT_TRUE(oldest.take(ShardEncoder::Patience::until_the_next));
  // It has had as long, and one packet has come out: the next waits.
  PacketPtr packet = next.take(ShardEncoder::Patience::until_the_next);
  EXPECT_LE(next.waiting_bytes(), 2U * static_cast<std::size_t>(packet->size));
  EXPECT_FALSE(next.has_ended());
  oldest.end();
  EXPECT_FALSE(oldest.take(ShardEncoder::Patience::until_the_next));
  int taken = 1;
  for (; next.take(ShardEncoder::Patience::until_the_next);) ++taken;
  EXPECT_EQ(taken, 20);
  EXPECT_TRUE(next.is_done());
}

// Packets are of shards that were behind: the encoders of the others get their frames between them.
TEST(Shards, PacketsThatWaitComeOutFewAtATime) {
  const auto source = open_source("pattern:64x48@25#80", {});
  std::vector<InputVideo> videos = source->info().videos;
  videos[0].info.any_order = true;
  const OutputPlan plan =
      plan_output("a.nut", in_parts("ffv1", {.count = 4, .jobs = 4, .slots = 20}), videos);
  ASSERT_TRUE(plan.order);
  const auto encoder = make_encoder(plan.encoders.at(0), source->video(), plan.options.encoder,
                                    false, nullptr, nullptr);
  int out = 0;
  const auto receive = [&](AVPacket&) { ++out; };
  std::vector<Frame> rest_of_first, rest_of_last;
  for (int i = 0; i < 80; ++i) {
    Frame frame = std::get<Frame>(*source->next());
    if (i > 0 && i < 20)
      rest_of_first.push_back(std::move(frame));
    else if (i > 60)
      rest_of_last.push_back(std::move(frame));
    else
      encoder->write(std::move(frame), receive);
  }
  EXPECT_LE(out, 1);
  for (Frame& frame : rest_of_first) encoder->write(std::move(frame), receive);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // enough for them to end
  for (Frame& frame : rest_of_last) {
    const int before = out;
    encoder->write(std::move(frame), receive);
    EXPECT_LE(out - before, 4);
  }
  encoder->finish(receive);
  EXPECT_EQ(out, 80);
}

TEST(Shards, InputsMayBeShorterThanParts) {
  const TempDir dir;
  for (const int frames : {1, 2, 3, 7})
    for (const ShardOptions& shards :
         {ShardOptions{.count = 5, .jobs = 2}, {.length = 100}, {.length = 0.001, .jobs = 3}}) {
      SCOPED_TRACE(frames);
      const std::string out = dir / "a.mkv";
      convert("pattern:64x48@25#" + std::to_string(frames), out, {"identity"},
              in_parts("libx264", shards));
      EXPECT_EQ(read_all(out).pictures.size(), static_cast<std::size_t>(frames));
    }
}

TEST(Shards, EachBeginsWithAKeyFrame) {
  const TempDir dir;
  const auto keys = [&](const ShardOptions& shards) {
    convert("pattern:64x48@25#50", dir / "a.mp4", {"identity"}, in_parts("libx264", shards));
    return output_of("ffprobe -v error -show_entries packet=pts_time,flags -of csv=p=0 " +
                     dir / "a.mp4" + " | sed -n 's/,K.*//p'");
  };
  EXPECT_EQ(keys({.count = 1}), "0.000000\n");
  EXPECT_EQ(keys({.count = 2, .jobs = 2}), "0.000000\n1.000000\n");
  EXPECT_EQ(keys({.length = 0.8}), "0.000000\n0.800000\n1.600000\n");
}

TEST(Shards, NumberNeedsALength) {
  VideoInfo video;
  video.time_base = {1, 25};
  expect_error(Fault::usage, {"`shards`", "7", "length", "10s"},
               [&] { return ShardCuts({.count = 7}, video); });
  ShardCuts cuts({.length = 2}, video);
  EXPECT_EQ(cuts.part_of(10), 0);  // the first frame's time is where the first shard begins
  EXPECT_EQ(cuts.part_of(59), 0);
  EXPECT_EQ(cuts.part_of(60), 1);
  EXPECT_EQ(cuts.part_of(160), 3);
}

TEST(Shards, LastPartTakesWhatIsBeyondTheEnd) {
  VideoInfo video;
  video.time_base = {1, 1000};
  video.seconds = 10;
  ShardCuts cuts({.count = 3}, video);
  EXPECT_EQ(cuts.part_of(0), 0);
  EXPECT_EQ(cuts.part_of(3333), 0);
  EXPECT_EQ(cuts.part_of(3334), 1);
  EXPECT_EQ(cuts.part_of(6667), 2);
  EXPECT_EQ(cuts.part_of(1'000'000), 2);
}

TEST(Shards, WhatIsLeftOutIsChosen) {
  VideoInfo video;
  video.format = find_format(AV_PIX_FMT_YUV420P);
  video.width = 64, video.height = 48;
  video.time_base = {1, 25}, video.frame_rate = {25, 1};
  video.seconds = 60;
  std::string said;
  const auto notify = [&](MessageKind, const std::string& line) { said += line; };
  const ShardOptions chosen = settled({.automatic = true, .jobs = 3}, video, notify);
  EXPECT_EQ(chosen.count, 8);
  EXPECT_EQ(chosen.slots, 188);  // all of a shard
  EXPECT_NE(said.find("8 parts, 3 at once"), std::string::npos) << said;
  EXPECT_EQ(settled({.automatic = true, .jobs = 1}, video, notify).count, 8);
  EXPECT_EQ(settled({.count = 2, .jobs = 2, .slots = 7}, video, notify).slots, 7);
  EXPECT_GT(settled({.count = 2}, video, notify).jobs, 0);
  video.width = video.height = 40000;  // so that hardly one fits
  EXPECT_EQ(settled({.length = 10, .jobs = 100}, video, notify).slots, 1);
  EXPECT_NE(said.find("250 frames of a part 1 fit"), std::string::npos) << said;
  video.seconds.reset();
  EXPECT_EQ(settled({.automatic = true}, video, notify).length, 10);
  EXPECT_THROW(static_cast<void>(settled({.count = 2}, video, notify)), Error);
}

// Shards go by the length alone: none is shorter than 6 s or longer than 12, and from 96 s on 2, 4,
// 8 and 16 encoders have as many shards each.
TEST(Shards, AutomaticPartsLeaveNoEncoderAlone) {
  VideoInfo video;
  video.format = find_format(AV_PIX_FMT_YUV420P);
  video.width = 64, video.height = 48;
  video.time_base = {1, 25}, video.frame_rate = {25, 1};
  const auto parts = [&](double seconds) {
    video.seconds = seconds;
    return settled({.automatic = true, .jobs = 2}, video, nullptr).count;
  };
  for (const auto& [seconds, count] : {std::pair{0.04, 1},
                                       {11.9, 1},
                                       {12., 2},
                                       {23.9, 2},
                                       {24., 4},
                                       {60., 8},
                                       {95.9, 8},
                                       {96., 16},
                                       {170., 16},
                                       {192., 32},
                                       {3600., 368},
                                       {1e7, 100000}})
    EXPECT_EQ(parts(seconds), count) << seconds;
  for (double seconds = 12; seconds < 4000; seconds += 1.7) {
    const int count = parts(seconds);
    EXPECT_GE(seconds / count, 6) << seconds;
    EXPECT_LE(seconds / count, 12) << seconds;
    EXPECT_TRUE(seconds < 96 || count % 16 == 0) << seconds;
  }
}

// The clip has a variable rate, sound, and frames that are decoded in another order than shown. It
// is not 64x64: x265's bytes depend on what it finds in memory there
// (docs/decisions/x265-in-shards.md).
TEST(Shards, TimesAreThoseOfOneEncoder) {
  const TempDir dir;
  output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=s=96x80:r=25:d=4 -f lavfi -i sine=d=4 "
      "-vf \"select='not(eq(mod(n,5),2))'\" -fps_mode vfr -c:v ffv1 -c:a aac " +
      dir / "in.mkv");
  for (const auto& [codec, key, value] : {std::tuple{"libx264", "bf", "3"},
                                          {"libx265", "bf", "3"},
                                          {"mpeg4", "bf", "2"},
                                          {"mpeg2video", "bf", "2"},
                                          {"libvpx-vp9", "g", "9"},
                                          {"libsvtav1", "g", "20"}}) {
    SCOPED_TRACE(codec);
    SinkOptions options;
    options.encoder = {.codec = codec, .own = {{key, value}}};
    convert(dir / "in.mkv", dir / (std::string("one-") + codec + ".mp4"), {"identity"}, options);
    const auto shown = sorted(times(dir / (std::string("one-") + codec + ".mp4"), "pts_time"));
    EXPECT_EQ(shown.size(), 80U);
    std::set<std::string> outputs;
    for (const int jobs : {1, 3}) {
      options.encoder.shards = ShardOptions{.length = 0.9, .jobs = jobs};
      const std::string out = dir / (std::string(codec) + std::to_string(jobs) + ".mp4");
      const RunResult result = convert(dir / "in.mkv", out, {"identity"}, options);
      EXPECT_EQ(result.written, 80);
      EXPECT_EQ(sorted(times(out, "pts_time")), shown);
      const std::vector<double> decoded = times(out, "dts_time");
      EXPECT_EQ(std::ranges::adjacent_find(decoded, std::greater_equal()), decoded.end());
      EXPECT_EQ(read_all(out).pictures.size(), 80U);
      EXPECT_FALSE(read_all(out).damage.any());
      outputs.insert(read_file(out));
    }
    EXPECT_EQ(outputs.size(), 1U);
  }
}

// x265 writes its settings into the stream.
TEST(Shards, PartsOfX265HaveOneFrameThread) {
  const TempDir dir;
  convert("pattern:80x48#12", dir / "out.mkv", {"identity"},
          in_parts("libx265", {.length = 0.24, .jobs = 2}));
  EXPECT_NE(read_file(dir / "out.mkv").find("frame-threads=1 "), std::string::npos);
}

// Returns all encoders of this FFmpeg that the table lets encode in shards. Each is a test of its
// own, because libraries of one process may leave the processor in a state that others do not
// expect.
std::vector<std::string> encoders_in_parts() {
  std::vector<std::string> names;
  void* state = nullptr;
  while (const AVCodec* codec = av_codec_iterate(&state))
    if (codec->type == AVMEDIA_TYPE_VIDEO && av_codec_is_encoder(codec) &&
        encodes_in_parts({codec, defaults_of(*codec)}))
      names.emplace_back(codec->name);
  return names;
}

class EveryEncoder : public testing::TestWithParam<std::string> {};

// Each shard looks the same whether the others are in front of it or not.
TEST_P(EveryEncoder, KeepsNothingAcrossKeyFrames) {
  const TempDir dir;
  const std::string input = dir / "in.mkv", name = GetParam();
  output_of("ffmpeg -v error -f lavfi -i testsrc2=s=176x144:r=25 -frames:v 24 -c:v ffv1 " + input);
  SinkOptions options = in_parts(name, {.length = 0.32, .jobs = 2});
  if (name == "librav1e") options.encoder.own = {{"speed", "10"}};
  if (name == "libaom-av1") options.encoder.own = {{"cpu-used", "8"}};
  const std::string ending = name.starts_with("prores") ? ".mov" : ".nut";
  const std::string part = dir / ("part" + ending), joined = dir / ("joined" + ending);
  std::vector<std::string> apart;
  try {
    for (const double start : {0., 0.32, 0.64}) {
      convert(input, part, {"identity"}, options, {.start = start, .duration = 0.32});
      for (std::string& picture : read_all(part).pictures) apart.push_back(std::move(picture));
    }
  } catch (const Error&) {  // not of this size, or not in this container, or nobody can read it
    apart.clear();
  }
  const std::set<std::string> known{"libx264", "libx265", "libsvtav1",  "libvpx-vp9", "libvpx",
                                    "ffv1",    "mpeg4",   "mpeg2video", "mjpeg",      "prores_ks"};
  if (apart.size() != 24) {
    EXPECT_FALSE(known.contains(name));
    return;
  }
  convert(input, joined, {"identity"}, options);
  EXPECT_TRUE(read_all(joined).pictures == apart);
}

INSTANTIATE_TEST_SUITE_P(Shards, EveryEncoder, testing::ValuesIn(encoders_in_parts()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Shards, WhatPartsDependOnIsRefused) {
  const TempDir dir;
  const auto refuse = [&](EncoderOptions encoder, const std::vector<std::string>& words,
                          const std::string& name = "a.mkv") {
    SinkOptions options;
    options.encoder = std::move(encoder);
    options.encoder.shards = ShardOptions{.count = 2};
    expect_error(Fault::usage, words,
                 [&] { convert("pattern:32x32#4", dir / name, {"identity"}, options); });
    EXPECT_TRUE(dir.files().empty());
  };
  refuse({.bitrate = "5M"}, {"`shards`", "`bitrate` 5M", "parts before"});
  refuse({.own = {{"b", "5M"}}}, {"`shards`", "b=5M"});
  refuse({.own = {{"maxrate", "5M"}, {"bufsize", "1M"}}}, {"`shards`", "maxrate=5M", "buffer"});
  refuse({.own = {{"x264-params", "ref=2:vbv-maxrate=100:vbv-bufsize=100"}}}, {"vbv-maxrate"});
  refuse({.own = {{"x264-params", "nal-hrd=vbr"}}}, {"`shards`", "nal-hrd"});
  refuse({.own = {{"flags", "+pass1"}}}, {"`shards`", "pass"});
  refuse({.codec = "libx265", .own = {{"x265-params", "pass=1"}}}, {"`shards`", "pass"});
  refuse({.own = {{"intra-refresh", "1"}}}, {"`shards`", "intra-refresh", "key frames"});
  refuse({.codec = "gif"}, {"`shards`", "gif"}, "a.gif");
  const auto refuse_output = [&](const std::string& output) {
    SinkOptions options;
    options.encoder.shards = ShardOptions{.count = 2};
    expect_error(Fault::usage, {"`shards`"},
                 [&] { convert("pattern:32x32#4", output, {"identity"}, options); });
  };
  refuse_output("null:");
  refuse_output(dir / "a.y4m");
  refuse_output(dir / "a%d.png");
  EXPECT_TRUE(dir.files().empty());
}

// The encoder of one shard refuses a frame.
TEST(Shards, FailureOfOneEncoderEndsAll) {
  for (const int jobs : {1, 3}) {
    const auto source = open_source("pattern:64x48@25#40", {});
    VideoInfo video = source->video();
    video.steady = false;
    const EncoderOptions options{.codec = "flv",
                                 .shards = ShardOptions{.length = 0.4, .jobs = jobs, .slots = 1}};
    const EncoderChoice choice{avcodec_find_encoder_by_name("flv"),
                               defaults_of(*avcodec_find_encoder_by_name("flv"))};
    expect_error(Fault::output, {"flv", "frame 15"}, [&] {
      const auto encoder = make_encoder(choice, video, options, false, nullptr, nullptr);
      const auto receive = [](AVPacket&) {};
      while (std::optional<Item> item = source->next()) {
        Frame& frame = std::get<Frame>(*item);
        if (frame.number() == 15) --frame.av().pts;  // at the time of the one before
        encoder->write(std::move(frame), receive);
      }
      encoder->finish(receive);
    });
  }
}

TEST(Shards, UnfinishedPartsAreDropped) {
  for (const char* codec : {"libx264", "libsvtav1", "ffv1"}) {
    const auto source = open_source("pattern:64x64@25#30", {});
    const EncoderChoice choice{avcodec_find_encoder_by_name(codec),
                               defaults_of(*avcodec_find_encoder_by_name(codec))};
    if (!choice.codec) continue;
    const auto encoder =
        make_encoder(choice, source->video(), {.shards = ShardOptions{.count = 3, .jobs = 3}},
                     false, nullptr, nullptr);
    while (std::optional<Item> item = source->next())
      encoder->write(std::move(std::get<Frame>(*item)), [](AVPacket&) {});
  }
}

}  // namespace
}  // namespace vidconv
