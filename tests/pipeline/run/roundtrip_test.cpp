// Frames that are written and read again are the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "pipeline/io/y4m.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::Contents;
using test::convert;
using test::output_of;
using test::read_all;
using test::TempDir;

TEST(RoundTrip, RawInEveryFormat) {
  for (const PixelFormat& format : formats())
    for (const char* size : {"1x1", "7x5", "64x36"}) {
      SCOPED_TRACE(format.name + " " + size);
      const TempDir dir;
      const std::string pattern = std::string("pattern:") + size + ":" + format.name + "#3";
      convert(pattern, dir / "a.yuv");
      SourceOptions options;
      options.raw = std::string(size) + ":" + format.name;
      const Contents back = read_all(dir / "a.yuv", options);
      EXPECT_EQ(back.pictures, read_all(pattern).pictures);
      EXPECT_FALSE(back.damage.any());
    }
}

TEST(RoundTrip, Y4mInEveryFormatThatItHas) {
  int tried = 0;
  for (const PixelFormat& format : formats()) {
    if (!find_y4m_chroma(format.id, AVCHROMA_LOC_UNSPECIFIED)) continue;
    for (const char* size : {"1x1", "7x5", "64x36"}) {
      SCOPED_TRACE(format.name + " " + size);
      const TempDir dir;
      const std::string pattern =
          std::string("pattern:") + size + ":" + format.name + "@30000/1001#3";
      convert(pattern, dir / "a.y4m");
      const auto source = open_source(dir / "a.y4m", {});
      EXPECT_EQ(source->video().format->id, format.id);
      EXPECT_EQ(av_cmp_q(source->video().frame_rate, {30000, 1001}), 0);
      EXPECT_EQ(read_all(*source).pictures, read_all(pattern).pictures);
      ++tried;
    }
  }
  EXPECT_GT(tried, 40);
}

// FFmpeg reads our y4m and we read FFmpeg's, and neither changes a sample.
TEST(RoundTrip, Y4mWithFfmpeg) {
  for (const char* format : {"yuv420p", "yuv422p10le", "yuv444p12le", "gray", "gray16le"}) {
    SCOPED_TRACE(format);
    const TempDir dir;
    const std::string pattern = std::string("pattern:50x30:") + format + "#4";
    convert(pattern, dir / "ours.y4m");
    output_of("ffmpeg -v error -i " + dir / "ours.y4m" + " -f rawvideo " + dir / "theirs.yuv");
    output_of("ffmpeg -v error -i " + dir / "ours.y4m" + " -strict -1 " + dir / "theirs.y4m");
    std::string expected;
    for (const std::string& picture : read_all(pattern).pictures) expected += picture;
    EXPECT_EQ(test::read_file(dir / "theirs.yuv"), expected);
    EXPECT_EQ(read_all(dir / "theirs.y4m").pictures, read_all(pattern).pictures);
  }
}

TEST(RoundTrip, Y4mKeepsItsTags) {
  const TempDir dir;
  const std::string header =
      "YUV4MPEG2 W4 H2 F25:1 It A16:15 C420mpeg2 XYSCSS=420MPEG2 XCOLORRANGE=FULL\n";
  test::write_file(dir / "a.y4m", header + "FRAME Ip\n" + std::string(12, 'x'));
  const auto source = open_source(dir / "a.y4m", {});
  const VideoInfo& video = source->video();
  EXPECT_EQ(video.field_order, AV_FIELD_TT);
  EXPECT_EQ(av_cmp_q(video.sample_aspect, {16, 15}), 0);
  EXPECT_EQ(video.range, AVCOL_RANGE_JPEG);
  EXPECT_EQ(video.chroma_location, AVCHROMA_LOC_LEFT);
  convert(dir / "a.y4m", dir / "b.y4m");
  EXPECT_EQ(test::read_file(dir / "b.y4m"), header + "FRAME\n" + std::string(12, 'x'));
}

TEST(RoundTrip, Y4mConvertsWhatItCannotHold) {
  const TempDir dir;
  std::string said;
  SinkOptions options;
  options.notify = [&](MessageKind, const std::string& line) { said += line; };
  convert("pattern:32x16:nv12#2", dir / "a.y4m", {"identity"}, options);
  EXPECT_NE(said.find("nv12"), std::string::npos);
  EXPECT_EQ(open_source(dir / "a.y4m", {})->video().format->id, AV_PIX_FMT_YUV420P);
}

TEST(RoundTrip, LosslessCodecsKeepEveryBit) {
  for (const char* format : {"yuv420p", "yuv422p10le", "yuv444p12le", "yuv420p16le", "gray",
                             "gray16le", "gbrp10le", "gbrp16le", "yuva420p", "yuva444p10le"}) {
    SCOPED_TRACE(format);
    const TempDir dir;
    SinkOptions options;
    options.encoder.codec = "ffv1";
    const std::string pattern = std::string("pattern:61x37:") + format + "#3";
    convert(pattern, dir / "a.mkv", {"identity"}, options);
    EXPECT_EQ(read_all(dir / "a.mkv").pictures, read_all(pattern).pictures);
  }
}

TEST(Md5, IsFfmpegsDigestOfTheSameFrames) {
  for (const char* format : {"yuv420p", "nv12", "rgb24", "yuv422p10le"}) {
    SCOPED_TRACE(format);
    const TempDir dir;
    const std::string pattern = std::string("pattern:51x31:") + format + "#3";
    convert(pattern, dir / "a.yuv");
    const std::string whole = output_of("md5sum < " + dir / "a.yuv").substr(0, 32);

    FILE* file = std::fopen((dir / "digests").c_str(), "w");
    SinkOptions options;
    options.stdout_fd = fileno(file);
    convert(pattern, "md5:", {"identity"}, options);
    std::fclose(file);
    const std::string digests = test::read_file(dir / "digests");
    EXPECT_NE(digests.find("\nall " + whole + "\n"), std::string::npos) << digests;
    EXPECT_EQ(std::ranges::count(digests, '\n'), 4);
    EXPECT_TRUE(digests.starts_with("0 "));
  }
}

}  // namespace
}  // namespace vidconv
