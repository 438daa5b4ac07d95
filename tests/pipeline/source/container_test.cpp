// Files go in and out, with FFmpeg's own tools as the judge.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::convert;
using test::expect_error;
using test::output_of;
using test::TempDir;

// Returns times in seconds to the millisecond, sorted as frames are shown.
std::string frame_times(const std::string& file) {
  return output_of(
      "ffprobe -v error -select_streams v:0 -show_entries packet=pts_time -of csv=p=0 " + file +
      " | tr -d , | awk 'NF{printf \"%.3f\\n\", $1}' | sort -n");
}

std::string stream_digest(const std::string& file, const std::string& stream) {
  return output_of("ffmpeg -v error -i " + file + " -map 0:" + stream + " -c copy -f md5 -");
}

std::string probe(const std::string& file, const std::string& entries) {
  return output_of("ffprobe -v error -of csv=p=0 -show_entries " + entries + " " + file +
                   " | sed 's/,*$//' | grep . || true");
}

class Film : public testing::Test {
 protected:
  // In Matroska, FFmpeg 7.1 makes sound that begins before 0 begin at 0, and the picture as much
  // later.
  std::string times_of_copy() const {
    output_of("ffmpeg -v error -y -i " + film_ + " -map 0:v -map 0:a -c copy " + dir_ / "copy.mkv");
    return frame_times(dir_ / "copy.mkv");
  }
  // Makes a picture with B-frames, two sound tracks, a subtitle, chapters, a title and an
  // attachment.
  void SetUp() override {
    test::write_file(dir_ / "a.srt", "1\n00:00:00,200 --> 00:00:00,800\nHello\n");
    test::write_file(dir_ / "a.txt",
                     ";FFMETADATA1\ntitle=A film\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\n"
                     "title=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=500\nEND=1000\ntitle=Two\n");
    output_of(
        "ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=30000/1001:d=1 -f lavfi -i sine=d=1 "
        "-f lavfi -i sine=f=880:d=1 -i " +
        dir_ / "a.srt" + " -i " + dir_ / "a.txt" +
        " -map 0 -map 1 -map 2 -map 3 -map_metadata 4 -c:v libx264 -preset ultrafast -bf 3 "
        "-c:a aac -c:s srt -metadata:s:a:1 language=deu -disposition:a:1 default -attach " +
        dir_ / "a.txt" + " -metadata:s:t mimetype=text/plain " + film_);
  }
  const TempDir dir_;
  const std::string film_ = dir_ / "film.mkv";
};

TEST_F(Film, EverythingComesAlong) {
  const std::string out = dir_ / "out.mkv";
  const RunResult result = convert(film_, out, {"sobel"});
  EXPECT_EQ(result.encoded, 30);
  EXPECT_EQ(frame_times(out), times_of_copy());
  for (const char* stream : {"1", "2", "3"})
    EXPECT_EQ(stream_digest(out, stream), stream_digest(film_, stream)) << stream;
  const char* const chapters = "chapter=start_time,end_time";
  EXPECT_EQ(probe(out, chapters), probe(dir_ / "copy.mkv", chapters));  // as late as the picture
  for (const char* entries :
       {"stream=codec_name,codec_type", "chapter_tags=title", "format_tags=title",
        "stream_tags=language", "stream_disposition=default"})
    EXPECT_EQ(probe(out, entries), probe(film_, entries)) << entries;
  EXPECT_EQ(result.copies.size(), 4u);
  EXPECT_GT(result.copies.at(1).copied, 40);
}

TEST_F(Film, WhatTheContainerCannotHoldIsNamed) {
  std::string said;
  SinkOptions options;
  options.notify = [&](MessageKind, const std::string& line) { said += line + "\n"; };
  const std::string out = dir_ / "out.mp4";
  convert(film_, out, {"sobel"}, options);
  EXPECT_NE(said.find("mp4 cannot hold"), std::string::npos) << said;
  EXPECT_NE(said.find("attachment, a.txt"), std::string::npos) << said;
  EXPECT_NE(said.find("subrip) to mov_text"), std::string::npos) << said;
  EXPECT_EQ(std::ranges::count(said, '\n'), 2) << said;
  EXPECT_EQ(frame_times(out), times_of_copy());
  EXPECT_EQ(stream_digest(out, "1"), stream_digest(film_, "1"));
  EXPECT_EQ(probe(out, "chapter_tags=title"), probe(film_, "chapter_tags=title"));
}

TEST_F(Film, SerialRunWritesTheSameFile) {
  for (const bool serial : {false, true}) {
    const auto source = open_source(film_, {});
    SinkOptions options;
    options.encoder.own = {{"threads", "1"}};
    const auto sink =
        open_sink(dir_ / (serial ? "serial.mkv" : "parallel.mkv"), options, source->info());
    const auto processor = test::processor_for(*source, {"sobel"});
    (serial ? run_serial : run)(*source, *processor, *sink, {});
  }
  const std::string digests = "-map 0:v -map 0:a -map 0:s -c copy -f streamhash -hash md5 -";
  EXPECT_EQ(output_of("ffmpeg -v error -i " + dir_ / "serial.mkv" + " " + digests),
            output_of("ffmpeg -v error -i " + dir_ / "parallel.mkv" + " " + digests));
}

TEST_F(Film, OutputIsNeverTheInput) {
  const std::string before = test::read_file(film_);
  SinkOptions options;
  options.overwrite = true;
  std::filesystem::create_hard_link(film_, dir_ / "link.mkv");
  std::filesystem::create_symlink(film_, dir_ / "symlink.mkv");
  for (const std::string& out : {film_, dir_ / "link.mkv", dir_ / "symlink.mkv"})
    expect_error(Fault::output, {"is the input"}, [&] { convert(film_, out, {"sobel"}, options); });
  EXPECT_EQ(test::read_file(film_), before);
}

TEST(Output, TimesOfVariableFrameRate) {
  const TempDir dir;
  const std::string in = dir / "in.mkv";
  // No frame rate explains these times, which begin at 1.5 s.
  output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=s=32x32:r=50:d=2 -vf "
      "settb=1/1000,setpts='1500+N*37+mod(N*N*7\\,31)' -fps_mode passthrough -c:v libx264 -bf 3 "
      "-enc_time_base 1:1000 -copyts " +
      in);
  for (const char* out : {"out.mkv", "out.mp4", "out.mov"}) {
    SCOPED_TRACE(out);
    SourceOptions from;
    from.copy_times = true;
    convert(in, dir / out, {"box:size=3"}, {}, from);
    EXPECT_EQ(frame_times(dir / out), frame_times(in));
  }
}

TEST(Output, TimesOfMp4AreKeptToTheTick) {
  const TempDir dir;
  output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=s=32x32:r=25/2:d=2 -c:v libx264 -bf 2 "
      "-video_track_timescale 25000 " +
      dir / "in.mp4");
  convert(dir / "in.mp4", dir / "out.mp4", {"box:size=3"});
  const auto ticks = [](const std::string& file) {
    return output_of("ffprobe -v error -show_entries packet=pts -of csv=p=0 " + file +
                     " | tr -d , | grep . | sort -n");
  };
  EXPECT_EQ(probe(dir / "out.mp4", "stream=time_base"), "1/25000\n");
  EXPECT_EQ(ticks(dir / "out.mp4"), ticks(dir / "in.mp4"));
}

TEST(Output, ContainersOfConstantRateGetFramesAndNotTicks) {
  const TempDir dir;
  output_of("ffmpeg -v error -f lavfi -i testsrc2=s=32x32:r=30000/1001:d=1 -c:v mpeg4 " +
            dir / "in.mkv");
  convert(dir / "in.mkv", dir / "out.avi");
  EXPECT_EQ(probe(dir / "out.avi", "stream=nb_frames,time_base"), "1001/30000,30\n");
}

TEST(Output, KeepsColourAspectRotationAndFieldOrder) {
  const TempDir dir;
  const std::string in = dir / "in.mp4";
  output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=s=64x48:d=0.4 -vf setsar=16/15,setfield=tff -c:v "
      "libx264 "
      "-flags +ildct+ilme -x264opts tff=1 -color_range pc -colorspace bt709 -color_primaries "
      "bt709 -color_trc bt709 -pix_fmt yuv420p " +
      dir / "flat.mp4" + " && ffmpeg -v error -i " + dir / "flat.mp4" +
      " -c copy -metadata:s:v rotate=90 " + in);
  for (const char* out : {"out.mp4", "out.mkv"}) {
    SCOPED_TRACE(out);
    convert(in, dir / out, {"box:size=3"});
    for (const char* entries :
         {"stream=color_range,color_space,color_primaries,color_transfer", "stream=pix_fmt",
          "stream=sample_aspect_ratio", "stream=r_frame_rate"})
      EXPECT_EQ(probe(dir / out, entries), probe(in, entries)) << entries;
    EXPECT_NE(probe(dir / out, "stream=field_order").find('t'), std::string::npos);
  }
  EXPECT_EQ(probe(dir / "out.mp4", "stream_side_data=rotation"),
            probe(in, "stream_side_data=rotation"));
}

TEST(Output, BadPlacesAreNamed) {
  const TempDir dir;
  test::write_file(dir / "old.mkv", "old");
  const auto refuse = [&](const std::string& out, const std::vector<std::string>& words) {
    expect_error(Fault::output, words, [&] { convert("pattern:16x16#2", out); });
  };
  refuse(dir / "old.mkv", {"exists", "use `overwrite`"});
  refuse(dir / "old.y4m/a.y4m", {"old.y4m/a.y4m"});
  refuse(dir / "missing/a.mkv", {"missing/a.mkv", "No such file"});
  refuse(dir / "", {"directory"});
  refuse(dir / "a.nonsense", {"a.nonsense", "container"});
  refuse(dir / "frame.png", {"one image holds one frame", "frame%04d.png"});
  EXPECT_EQ(test::read_file(dir / "old.mkv"), "old");
  EXPECT_EQ(dir.files(), std::vector<std::string>{"old.mkv"});
}

TEST(Output, OverwritesWhenAllowed) {
  const TempDir dir;
  for (const char* name : {"a.mkv", "a.y4m", "a.yuv"}) {
    test::write_file(dir / name, "old");
    SinkOptions options;
    options.overwrite = true;
    convert("pattern:16x16#2", dir / name, {"identity"}, options);
    EXPECT_GT(test::read_file(dir / name).size(), 300u);
  }
  EXPECT_EQ(dir.files().size(), 3u);
}

TEST(Output, DoesNotOverwriteWhatHasComeUpSince) {
  const TempDir dir;
  const auto source = open_source("pattern:16x16#2", {});
  const auto sink = open_sink(dir / "a.mkv", {}, source->info());
  const auto processor = test::processor_for(*source, {"identity"});
  test::write_file(dir / "a.mkv", "somebody else's");
  expect_error(Fault::output, {"exists"}, [&] { run(*source, *processor, *sink); });
  EXPECT_EQ(test::read_file(dir / "a.mkv"), "somebody else's");
}

TEST(Output, DevicesAreWrittenDirectly) {
  convert("pattern:16x16#2", "/dev/null", {"identity"}, {.format = "matroska"});
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Output, FullDiskIsAnError) {
  for (const char* format : {"y4m", "raw", "matroska"}) {
    SinkOptions options;
    options.format = format;
    expect_error(Fault::output, {"/dev/full", "No space"},
                 [&] { convert("pattern:64x64#200", "/dev/full", {"identity"}, options); });
  }
}

TEST(Output, NoFramesAreNoOutput) {
  const TempDir dir;
  for (const char* name : {"a.y4m", "a.yuv", "a.mkv", "f%d.png"})
    expect_error(Fault::input, {"no frame"}, [&] { convert("pattern:16x16#0", dir / name); });
  EXPECT_EQ(dir.files(), std::vector<std::string>{});
}

}  // namespace
}  // namespace vidconv
