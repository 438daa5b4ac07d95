// Options of the container and of the pixels that go into it.
#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class OutputOptions : public CliTest {
 protected:
  Result filter(const std::string& name, const Arguments& more) const {
    Arguments all{"pattern:64x48#5", "-o", path(name), "-y", "--kernel", "box"};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }
};

TEST_F(OutputOptions, OfTheMuxer) {
  const auto header_first = [&] {
    const std::string bytes = read_file(path("a.mp4"));
    return bytes.find("moov") < bytes.find("mdat");
  };
  EXPECT_TRUE(succeeded(filter("a.mp4", {})));
  EXPECT_FALSE(header_first());
  EXPECT_TRUE(succeeded(filter("a.mp4", {"--muxer-opt", "movflags=+faststart"})));
  EXPECT_TRUE(header_first());
  EXPECT_EQ(frame_times(path("a.mp4")).size(), 5u);

  // Beside the flag that keeps tags without a place of their own.
  ffmpeg("-i " + clip() + " -c copy -movflags use_metadata_tags -metadata com.example.tag=kept " +
         path("tagged.mp4"));
  EXPECT_TRUE(succeeded(run_vidconv({path("tagged.mp4"), "-o", path("a.mp4"), "-y", "--kernel",
                                     "box", "--muxer-opt", "movflags=+faststart"})));
  EXPECT_TRUE(header_first());
  EXPECT_EQ(probe(path("a.mp4"), "format_tags=com.example.tag"), std::vector<std::string>{"kept"});

  EXPECT_TRUE(refused(filter("b.mp4", {"--muxer-opt", "movflag=+faststart"}), exit_command_line,
                      {"movflag=+faststart", "mp4 has no option", "(did you mean 'movflags'?)"}));
  EXPECT_TRUE(refused(filter("b.mp4", {"--muxer-opt", "movflags=+fast"}), exit_command_line,
                      {"--muxer-opt movflags=+fast"}));
  EXPECT_TRUE(refused(filter("b.mp4", {"--muxer-opt", "faststart"}), exit_command_line,
                      {"--muxer-opt", "key=value"}));
  EXPECT_TRUE(refused(filter("b.y4m", {"--muxer-opt", "a=b"}), exit_command_line, {"--muxer-opt"}));
  EXPECT_FALSE(std::filesystem::exists(path("b.mp4")));
}

TEST_F(OutputOptions, PixelFormat) {
  const Result result = filter("a.mkv", {"--pix-fmt", "yuv444p10le"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(
      has_line_with(result.err, {"--pix-fmt yuv444p10le: yuv420p is converted", "[converted]"}));
  EXPECT_EQ(probe(path("a.mkv"), "stream=pix_fmt"), std::vector<std::string>{"yuv444p10le"});
  const Result same = filter("a.mkv", {"--pix-fmt", "yuv420p"});
  EXPECT_TRUE(succeeded(same));
  EXPECT_FALSE(has_line_with(same.err, {"[converted]"}));
  EXPECT_TRUE(refused(filter("b.mkv", {"--pix-fmt", "yuv420"}), exit_command_line,
                      {"--pix-fmt", "(did you mean 'yuv420p'?)"}));
  EXPECT_TRUE(refused(filter("b.mkv", {"--pix-fmt", "gbrapf32le"}), exit_command_line,
                      {"libx264 does not take it", "yuv420p"}));
  EXPECT_TRUE(refused(filter("b.y4m", {"--pix-fmt", "yuv444p"}), exit_command_line, {"--pix-fmt"}));
  EXPECT_FALSE(std::filesystem::exists(path("b.mkv")));
}

// All frames in one packet, as its encoder makes them.
TEST_F(OutputOptions, AnimatedWebp) {
  EXPECT_TRUE(succeeded(filter("a.webp", {})));
  const std::string bytes = read_file(path("a.webp"));
  std::size_t pictures = 0;
  for (std::size_t at = 0; (at = bytes.find("ANMF", at)) != std::string::npos; ++at) ++pictures;
  EXPECT_EQ(pictures, 5u);
  EXPECT_TRUE(succeeded(filter("p%d.webp", {})));
  for (const char* name : {"p1.webp", "p5.webp"})
    EXPECT_EQ(probe(path(name), "stream=codec_name"), std::vector<std::string>{"webp"});
  EXPECT_TRUE(refused(filter("q%d.webp", {"--codec", "libwebp_anim"}), exit_output,
                      {"one picture of all frames", "libwebp"}));
  EXPECT_FALSE(std::filesystem::exists(path("q1.webp")));
}

}  // namespace
}  // namespace vidconv::test
