// mask=FILE with a video, from the command line.
#include <algorithm>
#include <fstream>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class MaskVideoCommand : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4,format=gray -c:v ffv1 " + path("mask.mkv"));
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -pix_fmt yuv420p -c:v libx264 -qp 0 -g 3 " +
           path("in.mkv"));
  }
  Result filter(const std::string& mask, const Arguments& more = {},
                const std::string& output = "md5:") const {
    Arguments all{path("in.mkv"), "-o", output, "--kernel", "gaussian:sigma=3:mask=" + path(mask)};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }
};

TEST_F(MaskVideoCommand, SameBytesOnEveryPath) {
  const Result result = filter("mask.mkv", {"--threads", "1", "--verify"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"10 verified"}));
  for (const Arguments& more :
       {Arguments{"--threads", "3"}, Arguments{"--audit", path("audit.jsonl")}})
    EXPECT_EQ(filter("mask.mkv", more).out, result.out);
  const auto whole = parse_digests(result.out).frames;
  const auto part = parse_digests(filter("mask.mkv", {"--start", "0.2"}).out).frames;
  EXPECT_EQ(part, std::vector(whole.begin() + 5, whole.end()));
}

TEST_F(MaskVideoCommand, SameBytesInParts) {
  const auto encoded = [&](const std::string& name, const Arguments& more) {
    Arguments all{path("in.mkv"), "-o",  path(name), "--kernel", "box:mask=" + path("mask.mkv"),
                  "--codec",      "ffv1"};
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_TRUE(succeeded(run_vidconv(all)));
    return judge_digests(path(name)).all;
  };
  EXPECT_EQ(encoded("parts.mkv", {"--shards", "3", "--jobs", "2"}), encoded("one.mkv", {}));
}

TEST_F(MaskVideoCommand, IsSaid) {
  EXPECT_TRUE(
      has_line_with(filter("mask.mkv", {"--explain"}).out, {"weights that the video", "mask.mkv"}));
  ffmpeg("-i " + path("mask.mkv") + " -frames:v 3 -c copy " + path("short.mkv"));
  const Result result = filter("short.mkv", {"--verify", "--threads", "2"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"short.mkv ends at 0.12 s", "last", "[ended-early]"}));
  EXPECT_EQ(result.err.find("ends at"), result.err.rfind("ends at"));
}

TEST_F(MaskVideoCommand, WhatIsNoMaskIsRefusedBeforeAnythingIsWritten) {
  ffmpeg("-i " + path("mask.mkv") + " -vf scale=48:64 -c:v ffv1 " + path("size.mkv"));
  ffmpeg("-i " + path("mask.mkv") + " -pix_fmt bgr0 -c:v ffv1 " + path("rgb.mkv"));
  ffmpeg("-f lavfi -i sine=d=0.1 " + path("sound.wav"));
  std::ofstream(path("words.txt")) << "these are words\n";
  const auto wrong = [&](const std::string& mask, const std::vector<std::string>& says) {
    EXPECT_TRUE(refused(filter(mask, {}, path("out.mkv")), exit_command_line, says)) << mask;
    EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
  };
  wrong("size.mkv", {"column 23", "48x64", "64x48", "[filter-spec]"});
  wrong("rgb.mkv", {"column 23", "bgr0", "no luma"});
  wrong("sound.wav", {"column 23", "neither PNG nor PGM"});
  wrong("words.txt", {"column 23", "neither PNG nor PGM"});
  wrong("none.mkv", {"column 23", "No such file"});
}

// The part that a damaged mask lacks may be the one to hide.
TEST_F(MaskVideoCommand, DamagedIsAFailure) {
  const std::string whole = read_file(path("mask.mkv"));
  const std::size_t tenth = whole.size() / 10;
  for (std::size_t i = 2; i < 9; ++i) {
    std::string bytes = whole;
    bytes.replace(i * tenth, tenth, tenth, 'x');
    write_file(path("damaged.mkv"), bytes);
    const Result result = filter("damaged.mkv", {}, path("out.mkv"));
    EXPECT_TRUE(refused(result, exit_damaged, {"cannot read the mask", "damaged.mkv", "[damaged]"}))
        << i;
    EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
  }
}

}  // namespace
}  // namespace vidconv::test
