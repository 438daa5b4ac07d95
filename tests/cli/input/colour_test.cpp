// Colours come out as decoders show them, even in files without colour tags; transparency, bit
// depth and byte order are kept.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using Lines = std::vector<std::string>;

class Colour : public CliTest {
 protected:
  // Makes three frames of one colour, lossless.
  std::string flat(const std::string& name, const std::string& colour,
                   const std::string& more) const {
    ffmpeg("-f lavfi -i color=c=" + colour + ":s=64x48:r=25:d=0.12,format=rgb24 " + more + " " +
           path(name));
    return path(name);
  }

  Result convert(const std::string& in, const std::string& name, const Arguments& more = {}) const {
    Arguments all{in, "-o", path(name), "-y", "--kernel", "identity"};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }

  // Returns the mean red, green and blue of the picture as ffmpeg shows it.
  static std::array<int, 3> shown(const std::string& file, const std::string& input_options = "") {
    const Result result = shell("ffmpeg -v error " + input_options + " -i " + file +
                                " -frames:v 1 -vf scale,format=rgb24,scale=1:1:flags=area "
                                "-f rawvideo - | od -An -tu1");
    std::array<int, 3> colour{-1, -1, -1};
    EXPECT_EQ(std::sscanf(result.out.c_str(), "%d %d %d", &colour[0], &colour[1], &colour[2]), 3)
        << file << ": " << result.out << result.err;
    return colour;
  }
  static testing::AssertionResult alike(const std::string& a, const std::string& b) {
    const auto one = shown(a), other = shown(b);
    for (std::size_t c = 0; c < 3; ++c)
      if (std::abs(one[c] - other[c]) > 2)
        return testing::AssertionFailure() << a << " shows " << testing::PrintToString(one) << ", "
                                           << b << ' ' << testing::PrintToString(other);
    return testing::AssertionSuccess();
  }
};

constexpr const char* full =
    "-vf scale=out_range=full:flags=accurate_rnd+full_chroma_int -pix_fmt yuvj420p -c:v ffv1";

TEST_F(Colour, FullRangeIsConvertedWhereItCannotBeSaid) {
  const std::string in = flat("in.mkv", "0x205010", std::string(full) + " -color_range pc");
  EXPECT_EQ(probe(in, "stream=color_range"), Lines{"pc"});
  const std::pair<const char*, const char*> cannot[] = {
      {"a.mov", "prores_ks"}, {"a.mp4", "mpeg4"}, {"a.mkv", "mpeg2video"}, {"a.ogv", "libtheora"},
      {"a.wmv", "wmv2"},      {"a.flv", "flv"},   {"a.webm", "libvpx"},    {"a.avi", "ffvhuff"}};
  for (const auto& [name, codec] : cannot) {
    const Result result = convert(in, name, {"--codec", codec});
    EXPECT_TRUE(succeeded(result)) << name;
    EXPECT_TRUE(has_line_with(result.err, {codec, "full range to limited", "[converted]"}));
    EXPECT_TRUE(alike(path(name), in));
  }
  const std::pair<const char*, const char*> can[] = {
      {"b.mkv", "mpeg4"}, {"b.mkv", "ffv1"}, {"b.mov", "libx264"}, {"b.avi", "mjpeg"}};
  for (const auto& [name, codec] : can) {
    const Result result = convert(in, name, {"--codec", codec});
    EXPECT_TRUE(succeeded(result)) << name;
    EXPECT_FALSE(has_line_with(result.err, {"[converted]"})) << codec;
    EXPECT_TRUE(alike(path(name), in));
  }
}

TEST_F(Colour, GreyIsFullRange) {
  const std::string in = flat("in.mkv", "0x101010", "-pix_fmt gray -c:v ffv1");
  for (const char* codec : {"mpeg4", "libx264", "mjpeg", "libvpx", "ffvhuff"}) {
    const std::string name =
        std::string(codec) + (codec == std::string("libvpx") ? ".webm" : ".avi");
    EXPECT_TRUE(succeeded(convert(in, name, {"--codec", codec}))) << codec;
    EXPECT_TRUE(alike(path(name), in));
  }
}

// Untagged streams of these codecs are in limited range, but the untagged grey input is not.
TEST_F(Colour, GreyKeepsItsValues) {
  const std::tuple<const char*, const char*, const char*> coded[] = {
      {"gray", "libx264", "qp=0"},
      {"gray10le", "libx264", "qp=0"},
      {"gray", "libx265", "x265-params=lossless=1"},
      {"gray12le", "libx265", "x265-params=lossless=1"},
      {"gray", "libaom-av1", "crf=0"}};
  for (const auto& [format, codec, lossless] : coded) {
    SCOPED_TRACE(std::string(codec) + " " + format);
    const std::string as = std::string(" -f rawvideo -pix_fmt ") + format + " ";
    ffmpeg(
        "-y -f lavfi -i nullsrc=s=64x64:r=25:d=0.04,format=gray16,geq=lum='(X+64*Y)*16' -c:v ffv1 "
        "-level 3 -strict -2 -pix_fmt " +
        std::string(format) + " " + path("in.mkv"));
    ffmpeg("-y -i " + path("in.mkv") + as + path("in.raw"));
    for (const char* name : {"a.mkv", "a.mp4"}) {
      const Result result =
          convert(path("in.mkv"), name, {"-y", "--codec", codec, "--encoder-opt", lossless});
      EXPECT_TRUE(succeeded(result)) << result.err;
      EXPECT_FALSE(has_line_with(result.err, {"[not-held]"})) << result.err;
      EXPECT_EQ(probe(path(name), "stream=color_range"), Lines{"pc"});
      ffmpeg("-y -i " + path(name) + as + path("out.raw"));
      EXPECT_TRUE(read_file(path("out.raw")) == read_file(path("in.raw")));
    }
  }
}

// Every code of full range is rounded once.
TEST_F(Colour, RangeIsExact) {
  std::string codes;
  for (int i = 0; i < 1024; ++i) codes += {static_cast<char>(i & 255), static_cast<char>(i >> 8)};
  for (int i = 0; i < 1024; ++i) codes += {'\0', '\2'};  // 512: no colour
  write_file(path("in.yuv"), codes);
  ffmpeg("-f rawvideo -s 32x32 -pix_fmt yuv422p10le -r 25 -i " + path("in.yuv") +
         " -vf setparams=range=pc -c:v ffv1 -color_range pc " + path("in.mkv"));
  const Result result = convert(path("in.mkv"), "a.avi", {"--codec", "ffv1"});
  EXPECT_TRUE(succeeded(result));
  ffmpeg("-i " + path("a.avi") + " -f rawvideo " + path("out.yuv"));
  const std::string out = read_file(path("out.yuv"));
  ASSERT_EQ(out.size(), codes.size());
  const auto code = [&](std::size_t i) {
    return static_cast<unsigned char>(out[2 * i]) +
           256 * static_cast<unsigned char>(out[2 * i + 1]);
  };
  for (std::size_t i = 0; i < 1024; ++i) {
    EXPECT_EQ(code(i), std::lround(64 + static_cast<double>(i) * 876 / 1023)) << i;
    EXPECT_EQ(code(1024 + i), 512);
  }
}

TEST_F(Colour, MatrixIsConvertedWhereItCannotBeSaid) {
  const std::string in =
      flat("in.mkv", "0x30a060",
           "-vf scale=out_color_matrix=bt709:flags=accurate_rnd+full_chroma_int -pix_fmt yuv420p "
           "-c:v ffv1 -colorspace bt709");
  for (const char* name : {"a.jpg", "a.webm", "a.avi"}) {
    Arguments more{"--frames", "1"};
    if (std::string(name) == "a.webm") more.insert(more.end(), {"--codec", "libvpx"});
    if (std::string(name) == "a.avi") more.insert(more.end(), {"--codec", "ffvhuff"});
    const Result result = convert(in, name, more);
    EXPECT_TRUE(succeeded(result));
    EXPECT_TRUE(has_line_with(result.err, {"matrix bt709 to", "[converted]"}));
    EXPECT_TRUE(alike(path(name), in));
  }
}

TEST_F(Colour, WhatCannotBeConvertedIsNamed) {
  const std::string in = flat("in.mkv", "0x30a060",
                              "-pix_fmt yuv420p -c:v ffv1 -vf setparams=color_primaries=bt2020:"
                              "color_trc=smpte2084:colorspace=smpte170m");
  const Result result = convert(in, "a.avi", {"--codec", "mpeg4"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(
      result.err, {"mpeg4 in avi", "primaries bt2020", "transfer smpte2084", "[not-held]"}));
  EXPECT_TRUE(refused(convert(in, "b.avi", {"--codec", "mpeg4", "--strict"}), exit_output,
                      {"primaries bt2020", "[strict]"}));
  EXPECT_FALSE(has_line_with(convert(in, "a.mkv").err, {"[not-held]"}));
}

TEST_F(Colour, PngBecomesJpeg) {
  const std::string in = flat("in.png", "0x30a060", "-frames:v 1");
  for (const char* name : {"a.jpg", "a.avi"}) {
    Arguments more;
    if (std::string(name) == "a.avi") more = {"--codec", "mjpeg"};
    const Result result = convert(in, name, more);
    EXPECT_TRUE(succeeded(result));
    EXPECT_TRUE(has_line_with(result.err, {"matrix bt470bg", "full range", "[converted]"}));
    EXPECT_TRUE(alike(path(name), in));
  }
  const Result video = convert(in, "a.mp4");
  EXPECT_TRUE(has_line_with(video.err, {"matrix smpte170m", "limited range", "[converted]"}));
  EXPECT_TRUE(alike(path("a.mp4"), in));
}

TEST_F(Colour, WebmKeepsItsTransparency) {
  for (const std::string codec : {"libvpx", "libvpx-vp9"}) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -vf 'format=yuva420p,geq=lum=p(X\\,Y):"
        "cb=p(X\\,Y):cr=p(X\\,Y):a=X*4' -c:v " +
        codec + " -deadline realtime -auto-alt-ref 0 -y " + path("in.webm"));
    const auto alpha_of = [&](const std::string& file, const std::string& decoder) {
      return shell("ffmpeg -v error " + decoder + " -i " + file +
                   " -vf alphaextract,scale=4:1:flags=area,format=gray -frames:v 1 -f rawvideo - "
                   "| od -An -tu1")
          .out;
    };
    const std::string own = "-c:v " + codec;
    const std::string before = alpha_of(path("in.webm"), own);
    EXPECT_FALSE(before.empty());
    const auto near = [&](const std::string& after) {
      std::istringstream a(before), b(after);
      int x = 0, y = 0, n = 0;
      while (a >> x && b >> y) n += std::abs(x - y) <= 6;
      return n == 4;
    };
    EXPECT_TRUE(succeeded(convert(path("in.webm"), "a.webm")));
    EXPECT_TRUE(near(alpha_of(path("a.webm"), own))) << codec;
    EXPECT_EQ(probe(path("a.webm"), "stream_tags=alpha_mode"), Lines{"1"});
    EXPECT_TRUE(succeeded(convert(path("in.webm"), "a.mkv", {"--codec", "ffv1"})));
    EXPECT_TRUE(near(alpha_of(path("a.mkv"), "")));
    EXPECT_TRUE(succeeded(convert(path("in.webm"), "a.mov", {"--codec", "prores_ks"})));
    EXPECT_TRUE(near(alpha_of(path("a.mov"), "")));
    const Result lost = convert(path("in.webm"), "a.mp4", {"--codec", "libvpx-vp9"});
    EXPECT_TRUE(succeeded(lost));
    EXPECT_TRUE(has_line_with(lost.err, {"yuva420p", "converted to yuv420p"}));
    EXPECT_TRUE(refused(convert(path("in.webm"), "b.webm",
                                {"--codec", "libvpx-vp9", "--pix-fmt", "yuv420p", "--strict"}),
                        exit_output, {"yuva420p", "[strict]"}));
    EXPECT_TRUE(succeeded(convert(path("in.webm"), "c.webm", {"--pix-fmt", "yuv420p"})));
    EXPECT_TRUE(probe(path("c.webm"), "stream_tags=alpha_mode").empty());
  }
}

TEST_F(Colour, BareFramesKeepTheirOrderOfBytes) {
  std::string samples;
  for (int i = 0; i < 2 * 16 * 8 * 2; ++i) samples += static_cast<char>(i * 7);
  write_file(path("in.raw"), samples);
  EXPECT_TRUE(succeeded(convert(path("in.raw"), "out.raw", {"--raw", "16x8:gray16be"})));
  EXPECT_EQ(read_file(path("out.raw")), samples);
}

TEST_F(Colour, Y4mKeepsTheBitsOfP010) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -pix_fmt p010le -f rawvideo " + path("in.raw"));
  EXPECT_TRUE(succeeded(convert(path("in.raw"), "out.y4m", {"--raw", "64x48:p010le@25"})));
  EXPECT_EQ(probe(path("out.y4m"), "stream=pix_fmt"), Lines{"yuv420p10le"});
  const auto digest = [&](const std::string& input) {
    return shell("ffmpeg -v error " + input + " -pix_fmt yuv420p10le -f md5 -").out;
  };
  EXPECT_EQ(digest("-i " + path("out.y4m")),
            digest("-f rawvideo -s 64x48 -r 25 -pix_fmt p010le -i " + path("in.raw")));
}

}  // namespace
}  // namespace vidconv::test
