// Shards whose frames are read in turns give the same bytes, from few frames at a time.
#include "pipeline/shards/shard_order.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "pipeline/encode/video_encoder.h"
#include "pipeline/sink/sink.h"
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

VideoInfo video_of(std::int64_t frames) {
  VideoInfo video;
  video.format = find_format(AV_PIX_FMT_YUV420P);
  video.width = 64, video.height = 48;
  video.time_base = {1, 25}, video.frame_rate = {25, 1};
  video.frames = frames;
  video.seconds = static_cast<double>(frames) / 25;
  video.any_order = true;
  return video;
}

// Returns the frames that are read while nobody takes anything.
std::vector<std::int64_t> wanted(ShardOrder& order, std::size_t count) {
  std::vector<std::int64_t> frames;
  while (frames.size() < count) frames.push_back(order.next().value_or(-1));
  return frames;
}

TEST(ShardOrder, AllPartsHaveAFrameBeforeOneHasTwo) {
  ShardOrder order({.count = 3, .jobs = 3, .slots = 2}, video_of(30));
  EXPECT_EQ(wanted(order, 6), (std::vector<std::int64_t>{0, 10, 20, 1, 11, 21}));
  order.took(1);
  EXPECT_EQ(order.next(), 12);
  EXPECT_FALSE(order.is_last(8));
  EXPECT_TRUE(order.is_last(9));
  EXPECT_TRUE(order.is_last(29));
}

TEST(ShardOrder, WaitsUntilAnEncoderHasTakenAFrame) {
  ShardOrder order({.count = 2, .jobs = 2, .slots = 3}, video_of(30));
  wanted(order, 6);
  std::atomic<bool> taken = false;
  const std::jthread encoder([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    taken = true;
    order.took(1);
  });
  EXPECT_EQ(order.next(), 18);
  EXPECT_TRUE(taken);
}

// The encoder of another shard ends meanwhile.
TEST(ShardOrder, TheNextPartIsReadWhereOneHasBeen) {
  ShardOrder order({.count = 3, .jobs = 2, .slots = 5}, video_of(15));
  EXPECT_EQ(wanted(order, 10), (std::vector<std::int64_t>{0, 5, 1, 6, 2, 7, 3, 8, 4, 10}));
  order.took(1);
  EXPECT_EQ(order.next(), 11);
  order.ended(0);  // frames it has not taken were dropped
  EXPECT_EQ(wanted(order, 4), (std::vector<std::int64_t>{12, 9, 13, 14}));
  EXPECT_EQ(order.next(), std::nullopt);
}

// Others may hold as much as there may be: their encoders wait for the oldest shard's.
TEST(ShardOrder, TheOldestPartAlwaysGoesOn) {
  ShardOrder order({.count = 2, .jobs = 2, .slots = 2}, video_of(20));
  wanted(order, 4);
  for (int frame = 2; frame < 10; ++frame) {
    order.took(0);
    EXPECT_EQ(order.next(), frame);
  }
}

// A shard that is not at hand keeps nobody waiting who could go on.
TEST(ShardOrder, BeginsPartsThatAreReady) {
  ShardOrder order({.count = 3, .jobs = 3, .slots = 2}, video_of(30));
  std::set<std::int64_t> ready = {0};
  order.begin_when([&](std::int64_t first) { return ready.contains(first); });
  EXPECT_EQ(wanted(order, 2), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(order.next(), 10) << "where nothing else can be read, what is not ready is waited for";
  ready.insert(20);
  EXPECT_EQ(wanted(order, 3), (std::vector<std::int64_t>{20, 11, 21}));
  order.took(1);
  EXPECT_EQ(order.next(), 12);
}

TEST(ShardOrder, EndsWhereTheInputDoesOrAnEncoderHasFailed) {
  ShardOrder cut({.count = 2, .jobs = 2, .slots = 9}, video_of(8));
  EXPECT_EQ(wanted(cut, 6), (std::vector<std::int64_t>{0, 4, 1, 5, 2, 6}));
  cut.end_at(6);
  EXPECT_EQ(cut.next(), 3);
  EXPECT_EQ(cut.next(), std::nullopt);

  ShardOrder failed({.count = 2, .jobs = 2, .slots = 9}, video_of(8));
  failed.next();
  failed.ended(0);
  EXPECT_EQ(failed.next(), std::nullopt);

  ShardOrder cancelled({.count = 2, .jobs = 2, .slots = 9}, video_of(8));
  cancelled.cancel();
  EXPECT_EQ(cancelled.next(), std::nullopt);
}

SinkOptions with_parts(const std::string& codec, ShardOptions shards) {
  SinkOptions options;
  options.encoder.codec = codec;
  options.encoder.shards = shards;
  options.overwrite = true;
  return options;
}

using RunKind = RunResult (*)(Source&, Processor&, Sink&, const RunOptions&);

// Converts as Job does.
RunResult convert_in_turns(const std::string& input, const std::string& output,
                           const SinkOptions& options, const SourceOptions& from = {},
                           RunKind how = run) {
  const auto source = open_source(input, from);
  EXPECT_TRUE(source->takes_order()) << input;
  InputInfo info = source->info();
  info.videos[0].info.any_order = true;
  const OutputPlan plan = plan_output(output, options, info.videos);
  EXPECT_TRUE(plan.order);
  source->set_order(plan.order);
  const auto sink = open_sink(plan, info);
  const auto processor = processor_for(*source, {"identity"});
  return how(*source, *processor, *sink, {.any_order = true});
}

TEST(PartsInTurns, BytesAreThoseOfEveryOrder) {
  const TempDir dir;
  convert("pattern:64x48@25#53", dir / "in.y4m");
  convert("pattern:64x48@25#53", dir / "in.yuv");
  for (const auto& [codec, ending] :
       {std::pair{"libx264", ".mp4"}, {"mpeg4", ".mp4"}, {"ffv1", ".nut"}})
    for (const int count : {2, 5, 30}) {
      SCOPED_TRACE(std::string(codec) + " in " + std::to_string(count));
      const std::string a = dir / ("a" + std::string(ending)),
                        b = dir / ("b" + std::string(ending));
      convert("pattern:64x48@25#53", a, {"identity"},
              with_parts(codec, {.count = count, .jobs = 1}));
      const std::string expected = read_file(a);
      for (const int jobs : {2, 8})
        for (const int slots : {0, 1, 100})
          for (const std::int64_t packets : {0, 1}) {
            const RunResult result = convert_in_turns(
                "pattern:64x48@25#53", b,
                with_parts(
                    codec,
                    {.count = count, .jobs = jobs, .slots = slots, .packet_bytes = packets}));
            EXPECT_EQ(result.written, 53);
            EXPECT_EQ(result.parts, count);
            EXPECT_TRUE(read_file(b) == expected) << jobs << " jobs, " << slots << " slots";
          }
      const SinkOptions one = with_parts(codec, {.count = count, .jobs = 1});
      const SinkOptions three = with_parts(codec, {.count = count, .jobs = 3});
      convert_in_turns("pattern:64x48@25#53", b, three, {}, run_serial);
      EXPECT_TRUE(read_file(b) == expected);
      for (const auto& [name, raw] : {std::pair{"in.y4m", ""}, {"in.yuv", "64x48:yuv420p@25"}}) {
        convert(dir / name, a, {"identity"}, one, {.raw = raw});
        convert_in_turns(dir / name, b, three, {.raw = raw});
        EXPECT_TRUE(read_file(b) == read_file(a)) << name;
      }
    }
}

TEST(PartsInTurns, OfAPartOfTheInput) {
  const TempDir dir;
  convert("pattern:64x48@25#53", dir / "in.yuv");
  const SourceOptions part{.raw = "64x48:yuv420p@25", .start = 0.4, .frames = 31};
  convert(dir / "in.yuv", dir / "a.nut", {"identity"}, with_parts("ffv1", {.count = 4}), part);
  convert_in_turns(dir / "in.yuv", dir / "b.nut", with_parts("ffv1", {.count = 4, .jobs = 3}),
                   part);
  EXPECT_EQ(read_all(dir / "b.nut").pictures.size(), 31U);
  EXPECT_TRUE(read_file(dir / "b.nut") == read_file(dir / "a.nut"));
}

// Frames take memory on their way to an encoder, one more where the oldest shard would wait for the
// others, and for each encoder the frame it takes beside its last one, which FFV1's keeps.
TEST(PartsInTurns, FewFramesAreInFlight) {
  const TempDir dir;
  const auto frames_in_memory = [&](int frames, int slots) {
    const auto source = open_source("pattern:64x48@25#" + std::to_string(frames), {});
    InputInfo info = source->info();
    info.videos[0].info.any_order = true;
    const OutputPlan plan = plan_output(
        dir / "a.nut", with_parts("ffv1", {.count = 4, .jobs = 4, .slots = slots}), info.videos);
    source->set_order(plan.order);
    const auto sink = open_sink(plan, info);
    const auto processor = processor_for(*source, {"identity"});
    run(*source, *processor, *sink, {.any_order = true});
    return source->memory() / (std::size_t{64} * 48 * 3 / 2);
  };
  for (const int slots : {3, 8})
    EXPECT_LE(frames_in_memory(400, slots), static_cast<std::size_t>(4 * slots + 1 + 2 * 4));
}

TEST(PartsInTurns, AnInputThatIsCutOffEndsThere) {
  const TempDir dir;
  convert("pattern:64x48@25#20", dir / "in.yuv");
  convert("pattern:64x48@25#20", dir / "in.y4m");
  for (const char* name : {"in.yuv", "in.y4m"}) {
    SCOPED_TRACE(name);
    output_of("truncate -s -100 " + dir / name);
    const SourceOptions from{.raw = std::string(name) == "in.yuv" ? "64x48:yuv420p@25" : ""};
    convert(dir / name, dir / "a.nut", {"identity"}, with_parts("ffv1", {.count = 3}), from);
    const RunResult result = convert_in_turns(dir / name, dir / "b.nut",
                                              with_parts("ffv1", {.count = 3, .jobs = 3}), from);
    EXPECT_EQ(result.written, 19);
    EXPECT_NE(result.damage.truncated.find("frame 19"), std::string::npos);
    EXPECT_TRUE(read_file(dir / "b.nut") == read_file(dir / "a.nut"));
  }
}

// Frames behind the new end were encoded.
TEST(PartsInTurns, AnInputThatIsCutOffMeanwhileIsAFailure) {
  const TempDir dir;
  convert("pattern:64x48@25#20", dir / "in.yuv");
  const auto source = open_source(dir / "in.yuv", {.raw = "64x48:yuv420p@25"});
  ASSERT_TRUE(source->takes_order());
  source->set_order(std::make_shared<ShardOrder>(ShardOptions{.count = 2, .jobs = 2, .slots = 20},
                                                 source->video()));
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(source->next());
  output_of("truncate -s " + std::to_string(64 * 48 * 3 / 2 * 4) + " " + dir / "in.yuv");
  expect_error(Fault::input, {"cut off"}, [&] {
    while (source->next()) {
    }
  });
}

// Something is behind FRAME: where a frame begins is known only when those before it have been
// read.
TEST(PartsInTurns, Y4mOfFramesWithParametersIsReadInOrder) {
  const TempDir dir;
  convert("pattern:64x48@25#3", dir / "in.y4m");
  std::string bytes = read_file(dir / "in.y4m");
  const auto at = bytes.rfind("FRAME\n");
  bytes.insert(at + 5, " Ip");
  test::write_file(dir / "with.y4m", bytes);
  EXPECT_TRUE(open_source(dir / "in.y4m", {})->takes_order());
  EXPECT_FALSE(open_source(dir / "with.y4m", {})->takes_order());
  EXPECT_EQ(read_all(dir / "with.y4m").pictures, read_all(dir / "in.y4m").pictures);
}

TEST(PartsInTurns, WhatHasNoPlaceIsReadInOrder) {
  const TempDir dir;
  convert("pattern:64x48@25#3", dir / "in.mkv");
  EXPECT_FALSE(open_source(dir / "in.mkv", {})->takes_order());
  EXPECT_FALSE(open_source("/dev/zero", {.raw = "64x48:yuv420p@25"})->takes_order());
}

// The output plays from the beginning, without a gap: the oldest shard as far as its frames have
// come.
TEST(PartsInTurns, WhatIsThereAtAnInterruptionPlays) {
  const TempDir dir;
  const std::string expected_from = "pattern:64x48@25#200";
  const auto expected = read_all(expected_from).pictures;
  for (const std::int64_t stop_after : {1, 7, 60, 130, 199}) {
    SCOPED_TRACE(stop_after);
    std::atomic<bool> interrupted = false;
    const auto source = open_source(expected_from, {.interrupted = &interrupted});
    InputInfo info = source->info();
    info.videos[0].info.any_order = true;
    SinkOptions options = with_parts("ffv1", {.count = 8, .jobs = 3});
    options.interrupted = &interrupted;
    const OutputPlan plan = plan_output(dir / "a.nut", options, info.videos);
    source->set_order(plan.order);
    const auto sink = open_sink(plan, info);
    const auto processor = processor_for(*source, {"identity"});
    const RunResult result = run(*source, *processor, *sink,
                                 {.observer =
                                      [&](const Progress& progress) {
                                        if (progress.encoded >= stop_after) interrupted = true;
                                      },
                                  .any_order = true});
    const auto pictures = read_all(dir / "a.nut").pictures;
    EXPECT_EQ(std::ssize(pictures), result.written);
    ASSERT_GE(pictures.size(), 1U);
    ASSERT_LE(pictures.size(), expected.size());
    EXPECT_TRUE(std::equal(pictures.begin(), pictures.end(), expected.begin()));
  }
}

// The encoder of a shard in the middle refuses a frame, also where nothing is left to be read but
// its own shard.
TEST(PartsInTurns, FailureOfOneEncoderEndsAll) {
  for (const int count : {2, 4}) {
    const auto source = open_source("pattern:64x48@25#40", {});
    VideoInfo video = source->video();
    video.steady = false;
    video.any_order = true;
    ShardOptions shards{.count = count, .jobs = 2, .slots = 2};
    shards.order = std::make_shared<ShardOrder>(shards, video);
    source->set_order(shards.order);
    const AVCodec* codec = avcodec_find_encoder_by_name("flv");
    expect_error(Fault::output, {"flv", "frame 35"}, [&] {
      const auto encoder =
          make_encoder({codec, defaults_of(*codec)}, video, {.codec = "flv", .shards = shards},
                       false, nullptr, nullptr);
      const auto receive = [](AVPacket&) {};
      while (std::optional<Item> item = source->next()) {
        Frame& frame = std::get<Frame>(*item);
        if (frame.number() == 35) --frame.av().pts;  // at the time of the one before
        encoder->write(std::move(frame), receive);
      }
      encoder->finish(receive);
    });
  }
}

TEST(PartsInTurns, PositionIsWhatHasBeenEncoded) {
  const TempDir dir;
  const auto source = open_source("pattern:64x48@25#100", {});
  InputInfo info = source->info();
  info.videos[0].info.any_order = true;
  const OutputPlan plan =
      plan_output(dir / "a.nut", with_parts("ffv1", {.count = 4, .jobs = 4}), info.videos);
  source->set_order(plan.order);
  const auto sink = open_sink(plan, info);
  const auto processor = processor_for(*source, {"identity"});
  run(*source, *processor, *sink,
      {.observer =
           [](const Progress& progress) {
             EXPECT_NEAR(progress.position, static_cast<double>(progress.encoded) / 25, 1e-9);
           },
       .any_order = true});
}

TEST(PartsInTurns, AreChosenWhereFramesComeInAnyOrder) {
  VideoInfo video = video_of(2400);
  video.width = 3840, video.height = 2160;
  const ShardOptions eight = settled({.automatic = true, .jobs = 8}, video, nullptr);
  EXPECT_TRUE(eight.in_turns);
  EXPECT_EQ(eight.slots, 3);
  EXPECT_NE(describe(eight, video).find("16 parts, 8 at once, read in turns, 3 frames wait"),
            std::string::npos)
      << describe(eight, video);
  EXPECT_FALSE(settled({.count = 4, .jobs = 1}, video, nullptr).in_turns);
  EXPECT_FALSE(settled({.count = 1, .jobs = 8}, video, nullptr).in_turns);
  video.any_order = false;
  EXPECT_FALSE(settled({.count = 4, .jobs = 8}, video, nullptr).in_turns);
}

}  // namespace
}  // namespace vidconv
