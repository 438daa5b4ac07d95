// Inputs that are broken but can be read: what is there is filtered, and what is missing is told.
#include <gtest/gtest.h>

#include <cstring>

#include "pipeline/platform/process.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::Contents;
using test::convert;
using test::output_of;
using test::read_all;
using test::TempDir;

class Damaged : public testing::Test {
 protected:
  // Makes a clip of four seconds: 100 frames.
  std::string make(const std::string& name, const std::string& options) {
    output_of("ffmpeg -v error -f lavfi -i testsrc2=s=160x120:r=25:d=4 -g 10 " + options + " " +
              dir_ / name);
    return test::read_file(dir_ / name);
  }
  Contents read_bytes(const std::string& name, const std::string& bytes) {
    test::write_file(dir_ / name, bytes);
    return read_all(dir_ / name);
  }
  // Reads the first half of such a clip.
  Contents read_half(const std::string& name, const std::string& options) {
    const std::string bytes = make(name, options);
    return read_bytes("half-" + name, bytes.substr(0, bytes.size() / 2));
  }
  const TempDir dir_;
};

TEST_F(Damaged, WholeFilesAreWhole) {
  for (const char* name :
       {"a.mp4", "a.mkv", "a.avi", "a.ts", "a.mov", "a.webm", "a.flv", "a.nut"}) {
    SCOPED_TRACE(name);
    const std::string codec = std::string(name) == "a.webm" ? "libvpx-vp9 -cpu-used 8" : "libx264";
    make(name, "-c:v " + codec);
    const Contents all = read_all(dir_ / name);
    EXPECT_EQ(all.pictures.size(), 100u);
    EXPECT_FALSE(all.damage.any())
        << all.damage.packets << " " << all.damage.frames << " " << all.damage.truncated;
  }
}

// The frame that is decoded last is shown before others, seconds before the end.
TEST_F(Damaged, UnevenFilesAreWhole) {
  for (const char* name : {"a.mp4", "a.mkv", "a.nut"}) {
    SCOPED_TRACE(name);
    make(name, "-vf setpts='(N+floor(N*N/7))/25/TB' -fps_mode vfr -c:v libx264 -bf 3");
    const Contents all = read_all(dir_ / name);
    // FFmpeg 7.1 writes a list into MP4 that leaves a frame out.
    const std::string judge = output_of(
        "ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 " +
        dir_ / name);
    EXPECT_EQ(std::to_string(all.pictures.size()) + "\n", judge);
    EXPECT_GE(all.pictures.size(), 99u);
    EXPECT_FALSE(all.damage.any()) << all.damage.truncated;
  }
}

// Several videos, sound, subtitles and chapters each have an end of their own.
TEST_F(Damaged, StreamsMayEndOneAfterTheOther) {
  test::write_file(dir_ / "words.srt", "1\n00:00:04,000 --> 00:00:06,000\nWords\n\n");
  test::write_file(dir_ / "chapters.txt",
                   ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=8\ntitle=One\n");
  const std::string clip =
      "ffmpeg -v error -f lavfi -i testsrc2=s=32x32:r=25:d=1 -f lavfi -i "
      "testsrc2=s=48x32:r=10:d=3 -f lavfi -i sine=d=4 -i " +
      dir_ / "words.srt -i " + dir_ / "chapters.txt -map_metadata 4 -c:v mpeg4 ";
  for (const std::string name : {"a.mp4 -c:s mov_text", "a.mov -c:s mov_text", "a.mkv -c:s srt",
                                 "a.avi -sn -c:a mp3", "a.wmv -sn -c:v wmv2", "a.nut -sn"}) {
    const std::string file = name.substr(0, name.find(' ')), encoding = name.substr(name.find(' '));
    for (const char* videos : {"-map 0 -map 1", "-map 1 -map 0", "-map 0"}) {
      SCOPED_TRACE(name + videos);
      const bool sound_only = encoding.starts_with(" -sn");
      output_of(clip + videos + " -map 2 " + (sound_only ? "" : "-map 3 ") + encoding + " -y " +
                dir_ / file);
      SourceOptions options;
      options.video = std::nullopt;
      const Contents all = read_all(dir_ / file, options);
      EXPECT_EQ(all.pictures.size(), std::string(videos).size() > 6 ? 55u : 25u);
      EXPECT_FALSE(all.damage.any()) << all.damage.truncated << all.damage.first_error;
    }
  }
}

// A pipe's input may be live: only an end in the middle of something is damage.
TEST_F(Damaged, LiveStreamsEnd) {
  const auto piped = [&](const std::string& made) {
    output_of(made + " > " + dir_ / "live");
    SourceOptions options;
    std::FILE* const file = popen(("cat " + dir_ / "live").c_str(), "r");
    options.stdin_fd = fileno(file);
    Contents all = read_all("-", options);
    pclose(file);
    return all;
  };
  const std::string clip =
      "ffmpeg -v error -f lavfi -i testsrc2=s=32x32:r=25:d=1 -f lavfi -i "
      "sine=d=1 -c:v mpeg4 -c:a mp3 -ar 44100 ";
  // The first three announce ten seconds, or no number of frames that is there.
  for (const char* format :
       {"-t 10 -c:v flv -f flv", "-t 10 -f matroska", "-f avi", "-f mpegts", "-f nut"}) {
    SCOPED_TRACE(format);
    const Contents all = piped(clip + format + " -");
    EXPECT_EQ(all.pictures.size(), 25u);
    EXPECT_FALSE(all.damage.any()) << all.damage.truncated << all.damage.first_error;
  }
  const Contents cut =
      piped("(" + clip + "-f matroska - || true) 2> " + dir_ / "log | head -c 8000");
  EXPECT_LT(cut.pictures.size(), 25u);
  EXPECT_TRUE(cut.damage.any());
}

TEST_F(Damaged, CutMp4) {
  const Contents cut = read_half("a.mp4", "-c:v libx264 -movflags faststart");
  EXPECT_GT(cut.pictures.size(), 20u);
  EXPECT_LT(cut.pictures.size(), 100u);
  EXPECT_NE(cut.damage.truncated, "");
}

TEST_F(Damaged, Mp4WithoutItsIndexCannotBeRead) {
  test::expect_error(Fault::input, {"half-a.mp4", "moov"},
                     [&] { read_half("a.mp4", "-c:v libx264"); });
}

TEST_F(Damaged, CutMkv) {
  const Contents cut = read_half("a.mkv", "-c:v libx264");
  EXPECT_GT(cut.pictures.size(), 20u);
  EXPECT_LT(cut.pictures.size(), 100u);
  EXPECT_NE(cut.damage.truncated, "");
}

TEST_F(Damaged, CutAvi) {
  const Contents cut = read_half("a.avi", "-c:v mpeg4");
  EXPECT_LT(cut.pictures.size(), 100u);
  EXPECT_NE(cut.damage.truncated, "");
}

TEST_F(Damaged, CutY4mAndRaw) {
  convert("pattern:32x32#10", dir_ / "a.y4m");
  convert("pattern:32x32#10", dir_ / "a.yuv");
  const std::string y4m = test::read_file(dir_ / "a.y4m"), raw = test::read_file(dir_ / "a.yuv");
  const Contents cut = read_bytes("cut.y4m", y4m.substr(0, y4m.size() - 100));
  EXPECT_EQ(cut.pictures.size(), 9u);
  EXPECT_NE(cut.damage.truncated.find("frame 9"), std::string::npos) << cut.damage.truncated;

  test::write_file(dir_ / "cut.yuv", raw.substr(0, raw.size() - 100));
  SourceOptions options;
  options.raw = "32x32:yuv420p";
  const Contents cut_raw = read_all(dir_ / "cut.yuv", options);
  EXPECT_EQ(cut_raw.pictures.size(), 9u);
  EXPECT_NE(cut_raw.damage.truncated.find("frame 9"), std::string::npos);

  // A whole frame more or less is not damage that anybody could see in bare frames.
  test::write_file(dir_ / "short.yuv", raw.substr(0, 5 * 32 * 32 * 3 / 2));
  EXPECT_FALSE(read_all(dir_ / "short.yuv", options).damage.any());
}

TEST_F(Damaged, Y4mThatLosesItsFrameHeaders) {
  convert("pattern:32x32#10", dir_ / "a.y4m");
  std::string bytes = test::read_file(dir_ / "a.y4m");
  const std::size_t frame = bytes.find("FRAME", bytes.size() / 2);
  bytes.replace(frame, 5, "fRAME");
  const Contents broken = read_bytes("broken.y4m", bytes);
  EXPECT_LT(broken.pictures.size(), 10u);
  EXPECT_NE(broken.damage.truncated, "");
}

TEST_F(Damaged, LessThanAFrameIsNotAVideo) {
  test::write_file(dir_ / "a.yuv", "too short");
  SourceOptions options;
  options.raw = "32x32:yuv420p";
  test::expect_error(Fault::input, {"9 of 1536 bytes"}, [&] { read_all(dir_ / "a.yuv", options); });
}

// Overwrites a stretch of the middle.
std::string with_garbage(std::string bytes) {
  unsigned state = 1;
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + bytes.size() / 10; ++i)
    bytes[i] = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

TEST_F(Damaged, GarbageInTheMiddle) {
  for (const auto& [name, codec] : {std::pair{"a.mp4", "libx264 -movflags faststart"},
                                    {"a.mkv", "libx264"},
                                    {"b.mkv", "mpeg4"},
                                    {"a.ts", "libx264"},
                                    {"c.mkv", "ffv1 -level 3 -slicecrc 1"},
                                    {"a.avi", "mjpeg"}}) {
    SCOPED_TRACE(std::string(name) + " " + codec);
    const std::string bytes = make(name, std::string("-c:v ") + codec);
    const Contents broken = read_bytes(std::string("broken-") + name, with_garbage(bytes));
    EXPECT_GT(broken.pictures.size(), 40u);
    EXPECT_LE(broken.pictures.size(), 101u);
    EXPECT_TRUE(broken.damage.any());
    for (std::size_t i = 1; i < broken.times.size(); ++i)
      ASSERT_GT(broken.times[i], broken.times[i - 1]);
  }
}

TEST(Frames, ColoursThatNobodyKnowsAreUnknown) {
  const FramePtr frame = make_frame();
  const int code = 255;
  std::memcpy(&frame->color_primaries, &code, sizeof code);
  std::memcpy(&frame->chroma_location, &code, sizeof code);
  frame->color_trc = AVCOL_TRC_SMPTE2084;
  forget_unknown_colours(*frame);
  EXPECT_EQ(frame->color_primaries, AVCOL_PRI_UNSPECIFIED);
  EXPECT_EQ(frame->chroma_location, AVCHROMA_LOC_UNSPECIFIED);
  EXPECT_EQ(frame->color_trc, AVCOL_TRC_SMPTE2084);
}

// Some objects of libav* complain before they have a class.
TEST(AvLog, TakesLinesOfObjectsWithoutAClass) {
  capture_av_log();
  const AVClass* object = nullptr;
  av_log(&object, AV_LOG_ERROR, "no %s", "class");
  EXPECT_EQ(take_av_line(), "no class");
}

TEST_F(Damaged, RunFinishesAndTells) {
  const std::string bytes = make("a.mkv", "-c:v libx264");
  test::write_file(dir_ / "cut.mkv", bytes.substr(0, bytes.size() / 2));
  const RunResult result = convert(dir_ / "cut.mkv", dir_ / "out.mkv", {"sobel"});
  EXPECT_TRUE(result.damage.any());
  EXPECT_EQ(result.decoded, result.encoded);
  EXPECT_EQ(output_of("ffprobe -v error -count_packets -of csv=p=0 -show_entries "
                      "stream=nb_read_packets " +
                      dir_ / "out.mkv"),
            std::to_string(result.encoded) + "\n");
}

}  // namespace
}  // namespace vidconv
