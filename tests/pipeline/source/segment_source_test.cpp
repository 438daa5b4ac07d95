// Shards of a container are read in turns: the same bytes as in order, from few frames at a time.
#include "pipeline/source/segment_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "pipeline/run/job.h"
#include "pipeline/sink/sink.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::convert;
using test::output_of;
using test::read_all;
using test::read_file;
using test::TempDir;

constexpr const char* short_gops = "-c:v libx264 -preset ultrafast -g 10 -bf 2";

// Makes a clip of 160 x 120 pixels, 25 frames a second, with sound.
void make_sounding_clip(const std::string& path, double seconds, const std::string& encoding,
                        const std::string& more = "") {
  output_of("ffmpeg -v error -y -f lavfi -i testsrc2=s=160x120:r=25:d=" + std::to_string(seconds) +
            " -f lavfi -i sine=d=" + std::to_string(seconds) + " " + more + " -c:a aac " +
            encoding + " " + path);
}

TimedWork box_of(const VideoInfo& video) {
  const FilterSpec filters[] = {FilterSpec::parse("box")};
  return make_work(filters, *video.format, {}, Border());
}

struct InParts {
  std::string bytes;
  RunResult result;
  bool in_turns = false;
  std::vector<std::string> said;
};

// Filters as the command does: vidconv::Job, of which another test of this program has one of its
// own.
InParts filter_in_parts(const std::string& input, const std::string& output,
                        const ShardOptions& shards, const std::string& codec = "ffv1",
                        SourceOptions from = {}) {
  InParts made;
  std::mutex mutex;
  JobOptions options;
  options.notify = [&](MessageKind, const std::string& line) {
    const std::lock_guard lock(mutex);
    made.said.push_back(line);
  };
  options.input = input;
  options.output = output;
  options.source = std::move(from);
  options.source.notify = options.notify;
  options.sink.encoder.codec = codec;
  options.sink.encoder.shards = shards;
  options.sink.overwrite = true;
  options.sink.interrupted = options.source.interrupted;
  options.device.kind = DeviceRequest::Kind::cpu;
  options.work = box_of;
  vidconv::Job job(std::move(options));
  job.open();
  made.in_turns = job.plan().order != nullptr;
  made.result = job.run({});
  made.bytes = read_file(output);
  return made;
}

TEST(SegmentSource, BytesAreThoseOfOneAfterTheOther) {
  const TempDir dir;
  make_sounding_clip(dir / "a.mp4", 4, short_gops);
  make_sounding_clip(dir / "b.mkv", 4, short_gops,
                     "-vf \"select=not(mod(n\\,3))+not(mod(n\\,4))\" -fps_mode vfr");
  make_sounding_clip(
      dir / "c.ts", 4,
      "-c:v libx264 -x264-params open-gop=1:keyint=20:bframes=3:b-adapt=0:scenecut=0");
  make_sounding_clip(dir / "d.mkv", 4, "-c:v mpeg4 -g 12 -bf 2 -output_ts_offset 100.5");
  make_sounding_clip(dir / "e.webm", 4,
                     "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 25 -c:a libopus");
  make_sounding_clip(dir / "f.mkv", 4,
                     "-c:v libx265 -preset ultrafast -x265-params "
                     "open-gop=1:keyint=20:bframes=3:b-adapt=0:scenecut=0:log-level=error:pools=2");
  for (const char* name : {"a.mp4", "b.mkv", "c.ts", "d.mkv", "e.webm", "f.mkv"})
    for (const auto& [codec, output] : {std::pair{"libx264", "out.mp4"}, {"ffv1", "out.mkv"}})
      for (const int count : {2, 7}) {
        SCOPED_TRACE(std::string(name) + " to " + codec + " in " + std::to_string(count));
        const InParts in_order =
            filter_in_parts(dir / name, dir / output, {.count = count, .jobs = 1}, codec);
        EXPECT_FALSE(in_order.in_turns);
        for (const auto& [jobs, slots] : {std::pair{2, 1}, {5, 0}}) {
          const InParts in_turns = filter_in_parts(
              dir / name, dir / output, {.count = count, .jobs = jobs, .slots = slots}, codec);
          EXPECT_TRUE(in_turns.in_turns);
          EXPECT_TRUE(in_turns.bytes == in_order.bytes) << jobs << " jobs, " << slots << " slots";
          EXPECT_EQ(in_turns.result.written, in_order.result.written);
          EXPECT_EQ(in_turns.said, in_order.said);
        }
      }
}

TEST(SegmentSource, OfAPartOfTheInput) {
  const TempDir dir;
  make_sounding_clip(dir / "a.mp4", 4, short_gops);
  const SourceOptions part{.start = 0.7, .duration = 2.1};
  const InParts in_order =
      filter_in_parts(dir / "a.mp4", dir / "o.mkv", {.length = 0.5, .jobs = 1}, "ffv1", part);
  const InParts in_turns =
      filter_in_parts(dir / "a.mp4", dir / "o.mkv", {.length = 0.5, .jobs = 3}, "ffv1", part);
  EXPECT_TRUE(in_turns.in_turns);
  EXPECT_EQ(in_turns.result.written, 52);
  EXPECT_TRUE(in_turns.bytes == in_order.bytes);
}

// All that was read is counted: Job throws if it is not. More is read than in order, since each
// stretch is decoded from a key frame on.
TEST(SegmentSource, AccountForWhatTheyRead) {
  const TempDir dir;
  make_sounding_clip(dir / "a.mp4", 4, short_gops);
  const InParts in_turns = filter_in_parts(dir / "a.mp4", dir / "o.mkv", {.count = 8, .jobs = 3});
  ASSERT_EQ(in_turns.result.streams.size(), 2U);
  const PacketStatistics& video = in_turns.result.streams[0];
  EXPECT_TRUE(video.filtered);
  EXPECT_EQ(video.codec, "h264");
  EXPECT_EQ(video.frames_handed_on, 100);
  EXPECT_GT(video.frames_outside, 0);
  EXPECT_GE(video.read, 100);
  EXPECT_FALSE(in_turns.result.damage.any());
}

TEST(SegmentSource, AreNotReadWhereThatWouldCostMore) {
  const TempDir dir;
  const auto takes_order = [&](const std::string& name) {
    return open_source(dir / name, {})->takes_order();
  };
  make_sounding_clip(dir / "keys.mp4", 12, short_gops);
  make_sounding_clip(dir / "one-key.mp4", 12,
                     "-c:v libx264 -preset ultrafast -g 9999 -sc_threshold 0");
  make_sounding_clip(dir / "large.mkv", 1, "-c:v rawvideo -pix_fmt yuv420p");
  make_sounding_clip(dir / "fields.ts", 4,
                     "-c:v libx264 -flags +ildct+ilme -x264-params tff=1:keyint=10");
  output_of("ffmpeg -v error -i " + dir / "keys.mp4" + " -c copy -an -bsf:v h264_mp4toannexb " +
            dir / "bare.h264");
  EXPECT_TRUE(takes_order("keys.mp4"));
  EXPECT_FALSE(takes_order("one-key.mp4"));
  EXPECT_FALSE(takes_order("large.mkv"));
  EXPECT_FALSE(takes_order("bare.h264"));  // nobody says when frames are shown
  EXPECT_FALSE(open_source(dir / "keys.mp4", {.frames = 20})->takes_order());
}

// Spoils the coded data of a key frame in the middle of the file: its decoder notices, and nobody
// before it.
void damage_key_frame(std::string& bytes, const std::string& path) {
  const std::string packet = output_of(
      "ffprobe -v error -select_streams v -show_entries packet=size,pos,flags -of csv=p=0 " + path +
      " | grep K | sed -n 5p");
  std::size_t size = 0, at = 0;
  ASSERT_EQ(std::sscanf(packet.c_str(), "%zu,%zu", &size, &at), 2) << packet;
  for (std::size_t i = at + size / 4; i < at + size / 4 * 3; ++i) bytes.at(i) ^= '\x55';
}

// A packet in the middle is not what it was. The pictures after it depend on where decoding has
// begun, so all of it is decoded once more, from the beginning.
TEST(SegmentSource, DamageIsReadInOrder) {
  const TempDir dir;
  make_sounding_clip(dir / "a.mkv", 4, short_gops);
  std::string bytes = read_file(dir / "a.mkv");
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 3000; ++i) bytes[i] ^= '\x55';
  make_sounding_clip(dir / "b.mp4", 4, short_gops);
  std::string coded = read_file(dir / "b.mp4");
  damage_key_frame(coded, dir / "b.mp4");
  test::write_file(dir / "a.mkv", bytes);
  test::write_file(dir / "b.mp4", coded);
  for (const char* name : {"a.mkv", "b.mp4"}) {
    SCOPED_TRACE(name);
    // Several threads of a decoder make of damage what depends on which of them comes first.
    const SourceOptions one_thread{.threads = 1};
    const InParts in_order =
        filter_in_parts(dir / name, dir / "o.mkv", {.count = 4, .jobs = 1}, "ffv1", one_thread);
    const InParts in_turns =
        filter_in_parts(dir / name, dir / "o.mkv", {.count = 4, .jobs = 3}, "ffv1", one_thread);
    EXPECT_TRUE(in_order.result.damage.any());
    EXPECT_TRUE(in_turns.result.damage.any());
    EXPECT_TRUE(in_turns.bytes == in_order.bytes);
    EXPECT_EQ(in_turns.result.damage.packets, in_order.result.damage.packets);
  }
  const InParts again = filter_in_parts(dir / "b.mp4", dir / "o.mkv", {.count = 4, .jobs = 3});
  EXPECT_TRUE(again.in_turns);
  EXPECT_TRUE(std::ranges::any_of(again.said, [](const std::string& line) {
    return line.find("it is read again, in order") != line.npos;
  }));
}

TEST(SegmentSource, StrictIsTheSameFailure) {
  const TempDir dir;
  make_sounding_clip(dir / "b.mp4", 4, short_gops);
  std::string coded = read_file(dir / "b.mp4");
  damage_key_frame(coded, dir / "b.mp4");
  test::write_file(dir / "b.mp4", coded);
  for (const int jobs : {1, 3})
    test::expect_error(Fault::damaged, {"b.mp4"}, [&] {
      filter_in_parts(dir / "b.mp4", dir / "o.mkv", {.count = 4, .jobs = jobs}, "ffv1",
                      {.strict = true});
    });
  EXPECT_EQ(dir.files(), std::vector<std::string>{"b.mp4"});
}

// The change has to be said once, and pictures are fitted to the first one.
TEST(SegmentSource, PicturesOfAnotherSizeAreReadInOrder) {
  const TempDir dir;
  make_sounding_clip(dir / "a.ts", 3, short_gops);
  output_of("ffmpeg -v error -f lavfi -i testsrc2=s=96x80:r=25:d=3 -f lavfi -i sine=d=3 " +
            std::string(short_gops) + " -c:a aac -output_ts_offset 3 -muxdelay 0 " + dir / "b.ts");
  output_of("cat " + dir / "b.ts" + " >> " + dir / "a.ts");
  const InParts in_order = filter_in_parts(dir / "a.ts", dir / "o.mkv", {.count = 4, .jobs = 1});
  const InParts in_turns = filter_in_parts(dir / "a.ts", dir / "o.mkv", {.count = 4, .jobs = 3});
  EXPECT_TRUE(in_turns.bytes == in_order.bytes);
  for (const InParts& made : {in_order, in_turns})
    EXPECT_TRUE(std::ranges::any_of(
        made.said, [](const std::string& line) { return line.find("96x80") != line.npos; }));
}

// The output plays from the beginning, without a gap.
TEST(SegmentSource, WhatIsThereAtAnInterruptionPlays) {
  const TempDir dir;
  make_sounding_clip(dir / "a.mp4", 6, short_gops);
  filter_in_parts(dir / "a.mp4", dir / "o.mkv", {.count = 6, .jobs = 1});
  const std::vector<std::string> expected = read_all(dir / "o.mkv").pictures;
  for (const std::int64_t stop_after : {1, 40, 100, 149}) {
    SCOPED_TRACE(stop_after);
    std::atomic<bool> interrupted = false;
    JobOptions options;
    options.input = dir / "a.mp4", options.output = dir / "o.mkv";
    options.source.interrupted = options.sink.interrupted = &interrupted;
    options.sink.encoder.codec = "ffv1";
    options.sink.encoder.shards = ShardOptions{.count = 6, .jobs = 3};
    options.sink.overwrite = true;
    options.device.kind = DeviceRequest::Kind::cpu;
    options.work = box_of;
    vidconv::Job job(std::move(options));
    job.open();
    ASSERT_TRUE(job.plan().order);
    const RunResult result = job.run({.observer = [&](const Progress& progress) {
      if (progress.encoded >= stop_after) interrupted = true;
    }});
    const std::vector<std::string> pictures = read_all(dir / "o.mkv").pictures;
    EXPECT_EQ(std::ssize(pictures), result.written);
    ASSERT_GE(pictures.size(), 1U);
    ASSERT_LE(pictures.size(), expected.size());
    EXPECT_TRUE(std::equal(pictures.begin(), pictures.end(), expected.begin()));
  }
}

// Six of forty shards are open at most, two for each of three encoders, each with the frames of one
// decoder; the seventh stands for what a run has besides.
TEST(SegmentSource, FewFramesAreInFlight) {
  const TempDir dir;
  make_sounding_clip(dir / "a.mp4", 40, short_gops);
  const auto memory = [&](int jobs) {
    return filter_in_parts(dir / "a.mp4", dir / "o.mkv", {.length = 1, .jobs = jobs})
        .result.memory.host;
  };
  EXPECT_LE(memory(3), 7 * memory(1));
}

}  // namespace
}  // namespace vidconv
