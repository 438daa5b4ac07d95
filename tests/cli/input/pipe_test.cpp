// vidconv in pipes between other programs.
#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

const std::string blur = " --kernel gaussian:sigma=2 ";

Digests digests_of_file(const std::string& clip) {
  const Result result = shell(vidconv() + " " + clip + " -o md5:" + blur);
  EXPECT_TRUE(succeeded(result));
  return parse_digests(result.out);
}

class Pipe : public CliTest {
 protected:
  // Runs the line, which writes `name`, and has ffmpeg digest the frames there.
  Digests judge_line(const std::string& line, std::string_view name,
                     const std::string& input_options = "") const {
    EXPECT_TRUE(succeeded(shell(line)));
    return judge_digests(path(name), input_options);
  }
};

TEST_F(Pipe, FileDigestsAreThoseOfTheFilteredFrames) {
  const Digests digests = digests_of_file(clip());
  EXPECT_EQ(digests.frames.size(), 20U);
  EXPECT_EQ(digests, judge_line(vidconv() + " " + path("clip.mp4") + blur + "--codec ffv1 -o " +
                                    path("out.mkv"),
                                "out.mkv"));
}

TEST_F(Pipe, Y4mBetweenFfmpegAndFfmpeg) {
  const Digests digests = digests_of_file(clip());
  EXPECT_EQ(digests,
            judge_line("ffmpeg -v error -i " + path("clip.mp4") + " -f yuv4mpegpipe - | " +
                           vidconv() + " - -o -" + blur +
                           "| ffmpeg -v error -f yuv4mpegpipe -i - -c:v ffv1 " + path("out.mkv"),
                       "out.mkv"));
}

TEST_F(Pipe, RawBetweenFfmpegAndFfmpeg) {
  const Digests digests = digests_of_file(clip());
  const std::string raw = "-f rawvideo -s 128x72 -pix_fmt yuv420p -r 25";
  EXPECT_EQ(digests,
            judge_line("ffmpeg -v error -i " + path("clip.mp4") + " -f rawvideo - | " + vidconv() +
                           " - --raw 128x72:yuv420p@25 -o - --format raw" + blur +
                           "| ffmpeg -v error " + raw + " -i - -c:v ffv1 " + path("out.mkv"),
                       "out.mkv"));
}

// ffmpeg writes the input and reads the output.
class Y4m : public Pipe, public testing::WithParamInterface<std::string> {};

TEST_P(Y4m, KeepsItsDepth) {
  const std::string format = "-pix_fmt " + GetParam();
  const std::string in = make_clip("in.nut", format + " -strict -1 -c:v rawvideo");
  const Digests digests = digests_of_file(in);
  EXPECT_EQ(digests.frames.size(), 20U);
  EXPECT_EQ(digests, judge_line("ffmpeg -v error -i " + in + " -strict -1 -f yuv4mpegpipe - | " +
                                    vidconv() + " - -o -" + blur + "> " + path("out.y4m"),
                                "out.y4m"));
  EXPECT_EQ(probe(path("out.y4m"), "stream=pix_fmt"), Arguments{GetParam()});
}

INSTANTIATE_TEST_SUITE_P(Formats, Y4m,
                         testing::Values("yuv420p", "yuv422p", "yuv444p", "gray", "yuv420p10le",
                                         "yuv422p10le", "yuv420p12le", "yuv422p12le", "yuv444p12le",
                                         "gray12le", "yuv420p14le", "yuv420p16le", "yuv422p16le",
                                         "yuv444p16le", "gray16le"),
                         [](const auto& instance) { return instance.param; });

// NUT is the format for pipes that keeps times, tags and the other streams.
TEST_F(Pipe, NutInAndOut) {
  ffmpeg(
      "-f lavfi -i testsrc2=size=128x72:rate=25:duration=0.8 -f lavfi -i sine=duration=0.8 -vf "
      "'select=not(mod(n\\,3))+not(mod(n\\,4))' -fps_mode vfr -c:v libx264 -bf 2 -c:a aac "
      "-metadata title=Pipes -metadata:s:a language=fra " +
      path("in.mkv"));
  const std::string nut = path("in.nut");
  ffmpeg("-i " + path("in.mkv") + " -map 0 -c copy " + nut);
  const Digests digests = digests_of_file(nut);
  EXPECT_EQ(digests, digests_of_file(path("in.mkv")));
  const Result in = shell("cat " + nut + " | " + vidconv() + " - -o md5:" + blur);
  EXPECT_TRUE(succeeded(in));
  EXPECT_EQ(parse_digests(in.out), digests);

  EXPECT_EQ(judge_line("cat " + nut + " | " + vidconv() +
                           " - -o - --format nut --codec ffv1 --copy-times" + blur + "> " +
                           path("out.nut"),
                       "out.nut"),
            digests);
  EXPECT_EQ(frame_times(path("out.nut")), frame_times(nut));
  EXPECT_EQ(packet_hashes(path("out.nut"), "a"), packet_hashes(path("in.mkv"), "a"));
  EXPECT_EQ(probe(path("out.nut"), "format_tags=title"), Arguments{"Pipes"});
  EXPECT_EQ(probe(path("out.nut"), "stream_tags=language", "a"), Arguments{"fra"});
}

TEST_F(Pipe, ContainerOnStdin) {
  const std::string in = make_clip("in.mkv", "-pix_fmt yuv420p -c:v libx264");
  const Digests digests = digests_of_file(in);
  const Result result = shell("cat " + in + " | " + vidconv() + " - -o md5:" + blur);
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(parse_digests(result.out), digests);
}

TEST_F(Pipe, ChainIsOneFilterAfterTheOther) {
  const std::string raw = " --raw 64x48:yuv444p ", pattern = " pattern:64x48:yuv444p#5 ";
  const Result two = shell(vidconv() + pattern + "-o - --format raw --kernel box:size=5 | " +
                           vidconv() + " -" + raw + "-o md5: --kernel sharpen");
  const Result one = shell(vidconv() + pattern + "-o md5: --kernel box:size=5 --kernel sharpen");
  EXPECT_TRUE(succeeded(two));
  EXPECT_TRUE(succeeded(one));
  EXPECT_EQ(parse_digests(one.out), parse_digests(two.out));
  EXPECT_EQ(parse_digests(one.out).frames.size(), 5U);
}

TEST_F(Pipe, ReaderThatClosesEarly) {
  // 500 frames are far more than fit into a pipe.
  const Result result = shell("set +o pipefail; " + vidconv() +
                              " pattern:320x180#500 -o - --kernel box | head -c 100000 | wc -c; "
                              "exit ${PIPESTATUS[0]}");
  EXPECT_NE(result.out.find("100000"), std::string::npos);
  EXPECT_TRUE(refused(result, exit_output, {"vidconv"}));
}

TEST_F(Pipe, StdinIsLeftAloneWhereItIsNotTheInput) {
  const Result result = shell("printf 'still here' | { " + vidconv() + " " + clip() +
                              " -o null: --kernel box; cat; }");
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.out, "still here");
}

TEST_F(Pipe, TerminalsAreNeitherReadNorFilled) {
  if (shell("command -v script").exit_code != 0) GTEST_SKIP() << "script is not installed";
  const Result reads =
      shell("script -qec '" + vidconv() + " - -o null: --kernel box' /dev/null < /dev/null");
  EXPECT_EQ(reads.exit_code, exit_input);
  EXPECT_TRUE(has_line_with(reads.out, {"'-'", "standard input is a terminal"}));
  const Result fills = shell("script -qec '" + vidconv() +
                             " pattern:64x48#3 -o - --kernel box' /dev/null < /dev/null");
  EXPECT_EQ(fills.exit_code, exit_output);
  EXPECT_TRUE(has_line_with(fills.out, {"'-'", "standard output is a terminal"}));
}

// Frames pass a filter that copies unchanged, whatever the pixel format.
class RawFormat : public CliTest, public testing::WithParamInterface<std::string> {};

TEST_P(RawFormat, IdentityCopies) {
  // An odd size, so that chroma is rounded up.
  const std::string raw = "-f rawvideo -pix_fmt " + GetParam() + " ";
  ffmpeg("-f lavfi -i testsrc=size=67x35:duration=0.2 " + raw + path("in.raw"));
  const Result result = run_vidconv(
      {"-", "--raw", "67x35:" + GetParam(), "-o", "-", "--format", "raw", "--kernel", "identity"},
      path("in.raw"));
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result.out, read_file(path("in.raw")));
}

INSTANTIATE_TEST_SUITE_P(PixelFormats, RawFormat,
                         testing::Values("gray", "gray10le", "gray16le", "yuv420p", "yuv422p",
                                         "yuv444p", "yuv420p10le", "yuv422p10le", "yuv444p10le",
                                         "yuv420p16le", "yuv422p16le", "yuv444p16le", "gbrp",
                                         "gbrp10le", "gbrp16le", "nv12", "p010le"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace vidconv::test
