#include "pipeline/source/source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>

#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::expect_error;
using test::output_of;
using test::read_all;
using test::TempDir;

void expect_input_error(const std::string& input, const std::vector<std::string>& words,
                        const SourceOptions& options = {}) {
  expect_error(Fault::input, words, [&] { open_source(input, options); });
}

TEST(Source, WhatCannotBeReadIsNamed) {
  const TempDir dir;
  test::write_file(dir / "empty.mp4", "");
  test::write_file(dir / "text.mp4", "this is not a video, it is a line of text\n");
  expect_input_error(dir / "missing.mp4", {"missing.mp4", "no such file"});
  expect_input_error(dir / "", {"directory"});
  expect_input_error(dir / "empty.mp4", {"empty.mp4", "empty"});
  expect_input_error(dir / "text.mp4", {"text.mp4"});
  output_of("ffmpeg -v error -f lavfi -i sine=d=0.1 " + dir / "sound.wav");
  expect_input_error(dir / "sound.wav", {"no video stream"});
}

// A host program of the library has files open, one of which may be the output.
TEST(Source, FilesThatWereOpenBeforeAreNoInputs) {
  const TempDir dir;
  test::write_file(dir / "in.y4m", "YUV4MPEG2 W2 H2 F25:1 Cmono\nFRAME\n1234");
  test::write_file(dir / "out.mkv", "older");
  const int fd = open((dir / "out.mkv").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  RunFiles files;
  SourceOptions options;
  options.files = &files;
  const auto source = open_source(dir / "in.y4m", options);
  EXPECT_NO_THROW(files.writes("the output", dir / "out.mkv"));
  ASSERT_EQ(link((dir / "in.y4m").c_str(), (dir / "same.y4m").c_str()), 0);
  expect_error(Fault::output, {"it is the input"},
               [&] { files.writes("the output", dir / "same.y4m"); });
  close(fd);
}

TEST(Source, MalformedDescriptionsAreRefused) {
  for (const char* text : {"pattern:", "pattern:64", "pattern:0x4", "pattern:64x48:nonsense",
                           "pattern:64x48@", "pattern:64x48@x", "pattern:64x48#-1",
                           "pattern:64x48#1x", "pattern:64x48!", "pattern:99999999x99999999"}) {
    SCOPED_TRACE(text);
    expect_error(Fault::usage, {std::string(text).substr(8)}, [&] { open_source(text, {}); });
  }
  SourceOptions raw;
  raw.raw = "64x48";
  expect_error(Fault::usage, {"64x48", "pixel format"}, [&] { open_source("-", raw); });
}

TEST(Pattern, IsAlwaysTheSame) {
  const auto all = read_all("pattern:64x48:yuv444p@30#5");
  EXPECT_EQ(all.pictures.size(), 5u);
  EXPECT_EQ(all.pictures, read_all("pattern:64x48:yuv444p@30#5").pictures);
  for (std::size_t i = 1; i < all.pictures.size(); ++i)
    EXPECT_NE(all.pictures[i], all.pictures[i - 1]);
}

TEST(Pattern, IsTheSamePictureAtEveryDepth) {
  const std::string deep = read_all("pattern:32x16:gray16le#1").pictures[0];
  const std::string flat = read_all("pattern:32x16:gray#1").pictures[0];
  for (std::size_t i = 0; i < flat.size(); ++i) ASSERT_EQ(flat[i], deep[2 * i + 1]);
}

TEST(Part, OfASteadySource) {
  const auto whole = read_all("pattern:16x16@25#50");
  SourceOptions options;
  options.start = 0.4;  // frame 10
  options.duration = 0.2;
  const auto part = read_all("pattern:16x16@25#50", options);
  ASSERT_EQ(part.pictures.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(part.pictures[i], whole.pictures[10 + i]);
  EXPECT_EQ(part.times, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  options.frames = 3;
  EXPECT_EQ(read_all("pattern:16x16@25#50", options).pictures.size(), 3u);
  options.start = 100;
  EXPECT_EQ(read_all("pattern:16x16@25#50", options).pictures.size(), 0u);
}

class Clip : public testing::Test {
 protected:
  // Makes two seconds with B-frames, a key frame every 12, and sound.
  void SetUp() override {
    output_of(
        "ffmpeg -v error -f lavfi -i testsrc2=s=96x64:r=25:d=2 -f lavfi -i sine=d=2 -c:v libx264 "
        "-preset ultrafast -bf 2 -g 12 -qp 0 -pix_fmt yuv420p -c:a aac " +
        clip_);
  }
  const TempDir dir_;
  const std::string clip_ = dir_ / "clip.mp4";
};

TEST_F(Clip, HasTheFramesThatFfmpegSees) {
  const auto all = read_all(clip_);
  EXPECT_EQ(all.pictures.size(), 50u);
  EXPECT_FALSE(all.damage.any());
  std::string ours;
  for (const auto& picture : all.pictures) ours += picture;
  output_of("ffmpeg -v error -i " + clip_ + " -f rawvideo -an " + dir_ / "theirs.yuv");
  EXPECT_TRUE(ours == test::read_file(dir_ / "theirs.yuv"));
  EXPECT_GT(all.packets.at(1), 80);
}

TEST_F(Clip, PartStartsAtItsFrame) {
  const auto whole = read_all(clip_);
  SourceOptions options;
  options.start = 1.0;
  options.duration = 0.4;
  const auto part = read_all(clip_, options);
  ASSERT_EQ(part.pictures.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_TRUE(part.pictures[i] == whole.pictures[25 + i]) << i;
  EXPECT_EQ(part.times[0], 0);
  EXPECT_NEAR(static_cast<double>(part.packets.at(1)), 0.4 * 44100 / 1024, 2);
  EXPECT_FALSE(part.damage.any());
}

TEST_F(Clip, SoundGoesOnUntilTheLastFrameEnds) {
  SourceOptions options;
  options.frames = 25;
  const auto part = read_all(clip_, options);
  EXPECT_EQ(part.pictures.size(), 25u);
  EXPECT_NEAR(static_cast<double>(part.packets.at(1)), 44100 / 1024.0, 3);
}

TEST_F(Clip, StartBehindTheEndIsAnError) {
  SourceOptions options;
  options.start = 100;
  expect_error(Fault::input, {"clip.mp4"}, [&] { open_source(clip_, options); });
}

TEST_F(Clip, ExpectsItsFrames) {
  EXPECT_EQ(open_source(clip_, {})->video().frames, 50);
  SourceOptions options;
  options.frames = 7;
  EXPECT_EQ(open_source(clip_, options)->video().frames, 7);
}

// The decoder writes into the memory it is given, and does so again and again.
TEST_F(Clip, DecodesIntoPoolMemory) {
  static std::atomic<int> allocations = 0;
  SourceOptions options;
  options.memory = {"counted",
                    [](std::size_t bytes, Nodes) noexcept {
                      ++allocations;
                      return plain_memory.allocate(bytes, 0);
                    },
                    plain_memory.release};
  options.threads = 2;
  allocations = 0;
  const auto source = open_source(clip_, options);
  int after_warm_up = 0, frames = 0;
  while (auto item = source->next())
    if (std::holds_alternative<Frame>(*item) && ++frames == 20) after_warm_up = allocations;
  EXPECT_GT(after_warm_up, 0);
  EXPECT_EQ(allocations, after_warm_up);
  EXPECT_LT(allocations, 30);
}

TEST(Source, ConvertsFormatsThatAreNotFiltered) {
  const TempDir dir;
  output_of("ffmpeg -v error -f lavfi -i testsrc=s=32x32:d=0.2 -pix_fmt pal8 -c:v png " +
            dir / "a.mkv");
  std::string said;
  SourceOptions options;
  options.notify = [&](MessageKind, const std::string& line) { said += line; };
  const auto source = open_source(dir / "a.mkv", options);
  EXPECT_EQ(source->video().format->components.size(), 4u);
  EXPECT_NE(said.find("pal8"), std::string::npos);
  EXPECT_EQ(read_all(*source).pictures.size(), 5u);
}

TEST(Source, PicturesOfAnotherSizeAreScaledToTheFirst) {
  const TempDir dir;
  for (const char* size : {"64x48", "32x32"})
    output_of(std::string("ffmpeg -v error -f lavfi -i testsrc2=d=0.2:s=") + size +
              " -c:v mpeg2video " + dir / size + ".ts");
  output_of("cat " + dir / "64x48.ts" + " " + dir / "32x32.ts" + " > " + dir / "both.ts");
  std::string said;
  SourceOptions options;
  options.notify = [&](MessageKind, const std::string& line) { said += line; };
  const auto contents = read_all(dir / "both.ts", options);
  EXPECT_GT(contents.pictures.size(), 7u);
  for (const std::string& picture : contents.pictures) EXPECT_EQ(picture.size(), 64u * 48 * 3 / 2);
  for (const char* word : {"64x48", "32x32", "scaled"})
    EXPECT_NE(said.find(word), std::string::npos) << said;
}

TEST(Source, VariableFrameRateKeepsItsTimes) {
  const TempDir dir;
  output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=s=32x32:r=50:d=1 -vf "
      "\"select='not(mod(n,3))+not(mod(n,7))'\" -fps_mode vfr -c:v libx264 -bf 2 -enc_time_base "
      "1:1000 " +
      dir / "vfr.mkv");
  const auto all = read_all(dir / "vfr.mkv");
  ASSERT_GT(all.times.size(), 10u);
  EXPECT_EQ(all.times[1] - all.times[0], 60);
  EXPECT_EQ(all.times[3] - all.times[2], 20);
}

}  // namespace
}  // namespace vidconv
