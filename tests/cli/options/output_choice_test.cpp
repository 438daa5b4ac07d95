// The codec that is chosen if the user names none, and codecs that can be asked for.
#include <cstdlib>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using Lines = std::vector<std::string>;

class OutputChoice : public CliTest {
 protected:
  Result convert(const std::string& in, const std::string& name, const Arguments& more = {}) const {
    Arguments all{in, "-o", path(name), "-y", "--kernel", "identity"};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }
  std::string coded(const std::string& name) const {
    return probe(path(name), "stream=codec_name,pix_fmt").at(0);
  }
};

TEST_F(OutputChoice, PicturesBecomeTheVideoThatTheContainerIsFor) {
  for (const std::string ending : {"png", "jpg", "tiff", "bmp"}) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.12 " + path("p%d." + ending));
    for (const char* name : {"a.mp4", "a.mov", "a.mkv"}) {
      EXPECT_TRUE(succeeded(convert(path("p%d." + ending), name))) << ending;
      EXPECT_TRUE(coded(name) == "h264,yuv420p" || coded(name) == "h264,yuvj420p")
          << ending << ' ' << coded(name);
    }
    EXPECT_TRUE(succeeded(convert(path("p%d." + ending), "a.webm"))) << ending;
    EXPECT_TRUE(coded("a.webm").starts_with("vp9,yuv420p")) << coded("a.webm");
  }
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.12 " + path("a.gif"));
  EXPECT_TRUE(succeeded(convert(path("a.gif"), "a.mp4")));
  EXPECT_EQ(coded("a.mp4"), "h264,yuv420p");
  EXPECT_TRUE(succeeded(convert(path("a.gif"), "b.gif")));
  EXPECT_TRUE(coded("b.gif").starts_with("gif"));
}

TEST_F(OutputChoice, AllColoursOfPicturesWhereTheyAreAskedFor) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.12 -pix_fmt rgb24 " + path("p%d.png"));
  const std::string in = path("p%d.png");
  const Result usual = convert(in, "a.mp4");
  EXPECT_TRUE(has_line_with(usual.err, {"rgb24", "converted to yuv420p", "[converted]"}));
  EXPECT_TRUE(succeeded(convert(in, "a.mp4", {"--pix-fmt", "yuv444p"})));
  EXPECT_EQ(coded("a.mp4"), "h264,yuv444p");
  const Result lossless = convert(in, "a.mp4", {"--crf", "0", "--strict"});
  EXPECT_TRUE(succeeded(lossless));
  EXPECT_EQ(coded("a.mp4"), "h264,gbrp");
  EXPECT_EQ(judge_digests(path("a.mp4"), "").frames.size(), 3u);
  EXPECT_TRUE(succeeded(convert(in, "a.mkv", {"--codec", "png"})));
  EXPECT_EQ(coded("a.mkv"), "png,rgb24");
  // 4:2:0 cannot have this size.
  ffmpeg("-f lavfi -i testsrc2=s=36x22:r=25:d=0.12 -vf format=rgb24,crop=35:21:exact=1 " +
         path("o%d.png"));
  EXPECT_TRUE(succeeded(convert(path("o%d.png"), "b.mp4")));
  EXPECT_EQ(coded("b.mp4"), "h264,yuv444p");
}

// Photographs and pictures of the web may have half a pixel of chroma at the edge.
TEST_F(OutputChoice, PicturesOfOddSizesIn420BecomeVideo) {
  for (const auto& [size, format] : {std::pair("35x22", "yuv444p"), std::pair("36x21", "yuv422p"),
                                     std::pair("35x21", "yuv444p")}) {
    std::string crop = size;
    crop.replace(crop.find('x'), 1, ":");
    ffmpeg("-f lavfi -i testsrc2=s=40x40:d=0.04 -vf crop=" + crop + ":exact=1,scale=" + crop +
           ",format=yuv420p -c:v ffv1 " + path("o.mkv"));
    for (const std::string codec : {"libx264", "libx265"}) {
      const Result result = convert(path("o.mkv"), "o.mp4", {"--codec", codec});
      EXPECT_TRUE(succeeded(result));
      EXPECT_TRUE(
          has_line_with(result.err, {std::string("converted to ") + format, "[converted]"}));
      EXPECT_TRUE(coded("o.mp4").ends_with(format)) << size << ' ' << coded("o.mp4");
      // An explicit request is refused before the encoder fails in its own words.
      const Result asked =
          convert(path("o.mkv"), "asked.mp4", {"--codec", codec, "--pix-fmt", "yuv420p"});
      EXPECT_TRUE(
          refused(asked, exit_command_line, {"--pix-fmt 'yuv420p'", codec, size, "half a sample"}));
      EXPECT_TRUE(has_line_with(asked.err, {std::string("use ") + format}));
      EXPECT_FALSE(std::filesystem::exists(path("asked.mp4")));
    }
  }
}

// FLV holds one video and one sound, but no MPEG-4, whose header no reader would find.
TEST_F(OutputChoice, FlvGetsWhatItHolds) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -f lavfi -i sine=d=0.4 -map 0 -map 0 -map 1 -map "
      "1 -c:v mpeg4 -c:a aac " +
      path("two.mkv"));
  const Result result = convert(path("two.mkv"), "a.flv");
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"left out: #1 (video, mpeg4), #3 (audio, aac)"}));
  EXPECT_EQ(probe(path("a.flv"), "stream=codec_name", "v"), Lines{"h264"});
  EXPECT_EQ(probe(path("a.flv"), "stream=codec_name", "a"), Lines{"aac"});
  EXPECT_EQ(judge_digests(path("a.flv")).frames.size(), 10u);
  EXPECT_TRUE(refused(convert(path("two.mkv"), "b.flv", {"--codec", "mpeg4"}), exit_output,
                      {"does not take the codec 'mpeg4'", "[output-unsuited]"}));
}

// VP9's transparency lies beside its packets, for which only Matroska's family has a place.
TEST_F(OutputChoice, TransparencyThatIsAskedForInVainIsNamed) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.12 -vf format=yuva420p -c:v ffv1 " +
         path("alpha.mkv"));
  const Arguments vp9{"--codec", "libvpx-vp9", "--pix-fmt", "yuva420p"};
  const Result lost = convert(path("alpha.mkv"), "a.mp4", vp9);
  EXPECT_TRUE(succeeded(lost));
  EXPECT_TRUE(has_line_with(lost.err, {"cannot hold what is transparent", "[not-held]"}));
  EXPECT_EQ(convert(path("alpha.mkv"), "a.webm", vp9).err.find("transparent"), std::string::npos);
}

// Matroska takes the codec but does not store the bits per pixel, so that nobody can decode it.
TEST_F(OutputChoice, QuickTimesAnimationsDoNotGoIntoMatroska) {
  make_clip("a.mov", "-pix_fmt rgb24 -c:v qtrle");
  EXPECT_TRUE(succeeded(convert(path("a.mov"), "a.mkv")));
  EXPECT_TRUE(coded("a.mkv").starts_with("h264"));
  EXPECT_TRUE(refused(convert(path("a.mov"), "b.mkv", {"--codec", "qtrle"}), exit_output,
                      {"does not take the codec 'qtrle'", "[output-unsuited]"}));
}

// MXF's muxer needs the profile, which the encoder does not tell.
TEST_F(OutputChoice, ProResGoesIntoMxf) {
  make_clip("a.mkv", "-pix_fmt yuv422p10le -c:v ffv1");
  EXPECT_TRUE(succeeded(convert(path("a.mkv"), "a.mxf", {"--codec", "prores_ks"})));
  EXPECT_EQ(coded("a.mxf"), "prores,yuv422p10le");
}

// Readers take bare frames for what the container calls them; FFmpeg also writes formats that it
// cannot name.
TEST_F(OutputChoice, BareFramesAreCalledByName) {
  for (const std::string format : {"yuv444p", "rgb24", "gray", "p010le"})
    for (const std::string ending : {"nut", "avi", "mov"}) {
      const std::string in = "pattern:64x48:" + format + "@25#2", name = "a." + ending;
      SCOPED_TRACE(format + " in " + ending);
      const Result result = convert(in, name, {"--codec", "rawvideo"});
      EXPECT_TRUE(succeeded(result));
      const std::string found = coded(name);
      EXPECT_TRUE(found.starts_with("rawvideo,") && found != "rawvideo,unknown") << found;
      // Later versions of FFmpeg store the samples in another order, which is as good.
      const bool kept = found == "rawvideo," + format || format == "p010le" ||
                        (format == "yuv444p" && found == "rawvideo,vyu444");
      EXPECT_TRUE(kept || has_line_with(result.err, {"converted to", "[converted]"}));
      EXPECT_TRUE(succeeded(convert(in, "whole.mkv", {"--codec", "ffv1"})));
      const std::string alike =
          shell("ffmpeg -i " + path(name) + " -i " + path("whole.mkv") +
                " -lavfi '[0:v]format=rgb24[a];[1:v]format=rgb24[b];[a][b]psnr' -f null - 2>&1 | "
                "sed -n 's/.*average:\\([0-9inf]*\\).*/\\1/p'")
              .out;
      EXPECT_TRUE(alike.starts_with("inf") || std::atoi(alike.c_str()) >= 25) << alike;
    }
  EXPECT_TRUE(refused(
      convert("pattern:64x48:rgb24#3", "b.avi", {"--codec", "rawvideo", "--pix-fmt", "rgb24"}),
      exit_command_line, {"rawvideo in avi does not take it", "yuv420p"}));
  // The scaler of FFmpeg 5.1 does not read it.
  const Result nv16 = convert("pattern:64x48:nv16#3", "b.mkv", {"--codec", "ffv1"});
  EXPECT_TRUE((nv16.exit_code == 0 && coded("b.mkv") == "ffv1,yuv422p") ||
              refused(nv16, exit_output, {"'nv16 64x48 to", "--codec"}))
      << nv16.err;
}

// Ut Video has names for the matrices of BT.601 and BT.709.
TEST_F(OutputChoice, UtVideoGetsAMatrixThatItKnows) {
  make_clip(
      "a.mkv",
      "-pix_fmt yuv422p -c:v ffv1 -colorspace bt2020nc -color_primaries bt2020 -color_range tv");
  for (const char* name : {"a.avi", "b.mkv"}) {
    const Result result = convert(path("a.mkv"), name, {"--codec", "utvideo"});
    EXPECT_TRUE(succeeded(result));
    EXPECT_TRUE(has_line_with(result.err, {"matrix bt2020nc to ", "[converted]"})) << name;
  }
}

TEST_F(OutputChoice, VideosKeepTheirCodec) {
  make_clip("a.webm", "-pix_fmt yuv420p -c:v libvpx -deadline realtime");
  EXPECT_TRUE(succeeded(convert(path("a.webm"), "b.webm")));
  EXPECT_EQ(coded("b.webm"), "vp8,yuv420p");
  make_clip("a.avi", "-pix_fmt yuvj420p -c:v mjpeg");
  EXPECT_TRUE(succeeded(convert(path("a.avi"), "b.avi")));
  EXPECT_EQ(coded("b.avi"), "mjpeg,yuvj420p");
}

TEST_F(OutputChoice, AProgramIsGivenAllBits) {
  const auto piped = [&](const std::string& more) {
    const Result result = shell(vidconv() + " " + clip() + " -o - -q --kernel identity " + more +
                                " > " + path("piped") + " && ffprobe -v error -select_streams v " +
                                "-show_entries stream=codec_name -of csv=p=0 " + path("piped"));
    EXPECT_TRUE(succeeded(result));
    return split_lines(result.out);
  };
  EXPECT_EQ(piped("--format nut"), Lines{"rawvideo"});
  EXPECT_EQ(judge_digests(path("piped")).frames, judge_digests(clip()).frames);
  EXPECT_EQ(piped("--format matroska"), Lines{"ffv1"});
  EXPECT_EQ(judge_digests(path("piped")).frames, judge_digests(clip()).frames);
  EXPECT_EQ(piped("--format nut --crf 30"), Lines{"h264"});
  EXPECT_EQ(piped("--format nut --codec mpeg4"), Lines{"mpeg4"});
  EXPECT_EQ(piped("--format mpegts").at(0), "h264");
}

TEST_F(OutputChoice, CodecsThatContainersTake) {
  const std::pair<const char*, const char*> pairs[] = {
      {"a.mpg", "mpeg2video"}, {"a.mpg", "libx264"}, {"a.vob", "mpeg2video"},
      {"a.ogv", "libvpx"},     {"a.mxf", "dnxhd"},   {"a.mxf", "mpeg2video"}};
  for (const auto& [name, codec] : pairs) {
    EXPECT_TRUE(succeeded(convert("pattern:352x288@25#5", name, {"--codec", codec}))) << name;
    EXPECT_EQ(judge_digests(path(name)).frames.size(), 5u) << name << ' ' << codec;
  }
  EXPECT_TRUE(refused(convert("pattern:352x288#5", "b.mpg", {"--codec", "libvpx-vp9"}), exit_output,
                      {"vp9", "MPEG-1 Systems"}));
}

// A change of the samples' layout is no conversion.
TEST_F(OutputChoice, LayoutsAreNoLoss) {
  const Result result =
      convert("pattern:64x48:gbrp#3", "a.mkv", {"--codec", "libx264rgb", "--strict"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_FALSE(has_line_with(result.err, {"[converted]"}));
  EXPECT_TRUE(succeeded(convert("pattern:64x48:nv12#3", "a.mkv", {"--codec", "ffv1"})));
}

TEST_F(OutputChoice, EncryptedVideoIsCalledSo) {
  ffmpeg("-i " + clip() +
         " -c copy -encryption_scheme cenc-aes-ctr -encryption_key "
         "76a6c65c5ea762046bd749a2e632ccbb -encryption_kid a7e61c373e219033c21091fa607bf3b8 " +
         path("locked.mp4"));
  EXPECT_TRUE(refused(convert(path("locked.mp4"), "a.mp4"), exit_input, {"encrypted", "decrypt"}));
}

TEST_F(OutputChoice, CodecsWithoutADecoderAreCalledByName) {
  ffmpeg("-i " + clip() + " -c:v libx264 -an " + path("h264.avi"));
  std::string bytes = read_file(path("h264.avi"));
  for (std::size_t at = 0; (at = bytes.find("H264", at)) != std::string::npos;)
    bytes.replace(at, 4, "AVS2");  // FFmpeg does not decode it by itself
  write_file(path("new.avi"), bytes);
  const Result result = convert(path("new.avi"), "a.mp4");
  EXPECT_TRUE(refused(result, exit_input, {"avs2"})) << result.err;
}

// Phones put several frames of sound into a packet: the file is whole, and the stream is named.
TEST_F(OutputChoice, SoundOfPhonesIsNamedWithWhatHoldsIt) {
  std::string sound = "#!AMR\n";
  for (int i = 0; i < 50; ++i) sound += "\x3c" + std::string(31, '\0');
  write_file(path("in.amr"), sound);
  ffmpeg("-f lavfi -i testsrc2=s=176x144:d=1 -i " + path("in.amr") +
         " -map 0 -map 1 -c:v mpeg4 -c:a copy " + path("one.3gp"));
  // Two frames a packet: half as many of twice the size, the duration and half a chunk.
  std::string bytes = read_file(path("one.3gp"));
  const auto set = [&](const char* box, std::size_t at, unsigned from, unsigned to) {
    const auto word = [](unsigned v) {
      return std::string{static_cast<char>(v >> 24), static_cast<char>(v >> 16),
                         static_cast<char>(v >> 8), static_cast<char>(v)};
    };
    at += bytes.rfind(box) + 4;
    ASSERT_EQ(bytes.substr(at, 4), word(from)) << box;
    bytes.replace(at, 4, word(to));
  };
  set("stsz", 4, 32, 64);
  set("stsz", 8, 50, 25);
  set("stts", 8, 50, 25);
  set("stts", 12, 160, 320);
  set("stsc", 12, 2, 1);
  write_file(path("two.3gp"), bytes);
  const Result result = convert(path("two.3gp"), "a.mov");
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"#1 (audio, amr_nb)", "--format matroska", "[left-out]"}))
      << result.err;
  EXPECT_TRUE(refused(convert(path("two.3gp"), "b.mov", {"--strict"}), exit_output,
                      {"amr_nb", "[strict]"}));
  EXPECT_TRUE(succeeded(convert(path("two.3gp"), "a.mkv", {"--strict"})));
}

TEST_F(OutputChoice, ContainersThatPipesCannotHold) {
  const Result result =
      shell(vidconv() + " pattern:64x48#3 -o - --format mp4 --kernel identity | cat");
  EXPECT_TRUE(has_line_with(result.err, {"mp4", "nut", "matroska"})) << result.err;
}

}  // namespace
}  // namespace vidconv::test
