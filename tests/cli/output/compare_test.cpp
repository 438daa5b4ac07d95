// --compare through files: ffmpeg crops the halves.
#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Compare : public CliTest {
 protected:
  // Filters `in.mkv` losslessly into `name`.
  std::string filtered(const std::string& name, const Arguments& more) const {
    Arguments arguments{path("in.mkv"), "-o", path(name), "--kernel", "gaussian:sigma=2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_TRUE(succeeded(run_vidconv(arguments)));
    return path(name);
  }
  // Returns the digests of the frames that ffmpeg's filter gives.
  static std::vector<std::string> digests(const std::string& file, const std::string& filter) {
    const Result result = shell("ffmpeg -v error -nostdin -i " + file + " -vf " + filter +
                                " -fps_mode passthrough -f framemd5 -");
    EXPECT_TRUE(succeeded(result));
    std::vector<std::string> found;
    for (const std::string& line : split_lines(result.out))
      if (!line.starts_with('#')) found.push_back(line.substr(line.rfind(' ') + 1));
    EXPECT_EQ(found.size(), 20U);
    return found;
  }
};

TEST_F(Compare, HalvesAreTheOriginalAndTheFiltered) {
  for (const std::string format : {"yuv420p", "yuv422p10le", "gbrp"}) {
    SCOPED_TRACE(format);
    const std::string in = make_clip("in.mkv", "-c:v ffv1 -pix_fmt " + format);
    const std::string out = filtered("out.mkv", {"-y"});

    const std::string side = filtered("side.mkv", {"-y", "--compare", "side"});
    EXPECT_EQ(probe(side, "stream=width,height"), std::vector<std::string>{"256,72"});
    // A white line of two columns, or of one chroma sample, is drawn where the halves meet.
    EXPECT_EQ(digests(side, "crop=126:72:0:0"), digests(in, "crop=126:72:0:0"));
    EXPECT_EQ(digests(side, "crop=128:72:128:0"), digests(out, "null"));
    EXPECT_NE(digests(side, "crop=128:72:128:0"), digests(in, "null"));

    const std::string split = filtered("split.mkv", {"-y", "--compare", "split"});
    EXPECT_EQ(probe(split, "stream=width,height"), std::vector<std::string>{"128,72"});
    EXPECT_EQ(digests(split, "crop=64:72:0:0"), digests(in, "crop=64:72:0:0"));
    EXPECT_EQ(digests(split, "crop=60:72:68:0"), digests(out, "crop=60:72:68:0"));
    EXPECT_EQ(frame_times(split), frame_times(in));
  }
}

TEST_F(Compare, FlipTakesTurns) {
  const std::string in = make_clip("in.mkv", "-c:v ffv1 -pix_fmt yuv420p");
  const std::vector<std::string> before = digests(in, "null"),
                                 after = digests(filtered("out.mkv", {}), "null"),
                                 turns = digests(filtered("flip.mkv", {"--compare", "flip:0.2"}),
                                                 "null");
  for (std::size_t i = 0; i < turns.size(); ++i)  // 25 frames a second
    EXPECT_EQ(turns[i], (i / 5 % 2 == 0 ? before : after)[i]) << "frame " << i;
}

}  // namespace
}  // namespace vidconv::test
