// No encoder or decoder prints to stderr by itself, nor keeps a failing run from ending: the sweep
// walks all encoders of this build and decodes their output.
#include "tests/cli/support/cli_test.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace vidconv::test {
namespace {

class CapturedStderr : public CliTest {
 protected:
  // Expects nothing on stderr but our own lines.
  static void expect_only_ours(const Result& result) {
    const std::vector<std::string> lines = split_lines(result.err);
    EXPECT_EQ(lines.size(), result.exit_code == 0 ? 0U : 1U) << result.err;
    for (const std::string& line : lines) {
      EXPECT_TRUE(line.starts_with("vidconv: ") && line.ends_with("]")) << line;
    }
  }
  Result run(const Arguments& arguments) const {
    Process process(command(arguments));
    const Result result = process.wait(std::chrono::seconds(60));
    EXPECT_FALSE(result.timed_out);
    return result;
  }
  static bool has_svt() { return avcodec_find_encoder_by_name("libsvtav1"); }
};

TEST_F(CapturedStderr, AreNotPrintedByCodecs) {
  int encoded = 0;
  void* at = nullptr;
  while (const AVCodec* codec = av_codec_iterate(&at)) {
    if (!av_codec_is_encoder(codec) || codec->type != AVMEDIA_TYPE_VIDEO) continue;
    SCOPED_TRACE(codec->name);
    const std::string out = path(std::string(codec->name) + ".nut");
    const Result made =
        run({"pattern:176x144#6", "-q", "-o", out, "--codec", codec->name, "--kernel", "identity"});
    expect_only_ours(made);
    if (made.exit_code != 0) continue;
    ++encoded;
    expect_only_ours(run({out, "-q", "-o", "null:", "--kernel", "identity"}));
    std::filesystem::remove(out);
  }
  EXPECT_GT(encoded, 20);
}

TEST_F(CapturedStderr, AreTheReasonOfARefusal) {
  if (!has_svt()) GTEST_SKIP() << "this FFmpeg has no libsvtav1";
  const Result small = run({"pattern:16400x64#1", "-q", "-o", path("a.mkv"), "--codec", "libsvtav1",
                            "--kernel", "identity"});
  EXPECT_TRUE(refused(small, exit_output, {"libsvtav1", "16384"}));
  expect_only_ours(small);
}

TEST_F(CapturedStderr, OfFailingRunsEnd) {
  if (!has_svt()) GTEST_SKIP() << "this FFmpeg has no libsvtav1";
  const std::string out = path("a.mkv");
  const Arguments base{"-q", "-o", out, "--codec", "libsvtav1", "--kernel", "identity", "--strict"};
  const auto with = [&](Arguments more) {
    more.insert(more.end(), base.begin(), base.end());
    const Result result = run(more);
    expect_only_ours(result);
    EXPECT_FALSE(std::filesystem::exists(out));
    return result.exit_code;
  };
  // The encoder fails before the first frame, and after some.
  EXPECT_EQ(with({"pattern:64x64#3", "--start", "100"}), exit_input);
  EXPECT_EQ(with({"pattern:64x64#3", "--encoder-opt", "svtav1-params=tune=9"}), exit_command_line);
  ffmpeg("-i " + clip() + " -an " + path("in.y4m"));
  write_file(path("bad.y4m"), read_file(path("in.y4m")) + "FRAMX");
  EXPECT_EQ(with({path("bad.y4m")}), exit_damaged);
}

// In the middle of its work: one line of ours, escaped, and what is in it names no option.
TEST_F(CapturedStderr, InTheMiddleAreOurs) {
  for (const bool fails : {false, true})
    for (const std::string more : {"", " -q", " --progress json"}) {
      SCOPED_TRACE(more);
      std::filesystem::remove(path("a.mkv"));
      const Result result =
          shell("LD_PRELOAD=" VIDCONV_FAULTS
                " ASAN_OPTIONS=verify_asan_link_order=0 VIDCONV_FAULT='encoder " +
                std::string(fails ? "fails" : "complains") + "' " + vidconv() +
                " pattern:64x48#20 -o " + path("a.mkv") + " --kernel identity" + more);
      EXPECT_EQ(result.exit_code, fails ? exit_output : exit_done);
      EXPECT_EQ(result.err.find("all is well"), std::string::npos) << result.err;
      EXPECT_EQ(result.err.find('\x1b'), std::string::npos) << result.err;
      for (const std::string& line : split_lines(result.err))
        EXPECT_TRUE(line.starts_with("vidconv: ") || line.starts_with("{")) << line;
      const bool said = fails || more != " -q";
      EXPECT_EQ(said,
                has_line_with(result.err, {"libx264", "the `crf` is\\u001b[2J ill",
                                           fails ? "[output-unwritable]" : "[encoder-said]"}));
    }
}

}  // namespace
}  // namespace vidconv::test
