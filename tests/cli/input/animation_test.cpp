// Animations and sequences of pictures keep their times, their number of loops and their comments.
#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Animation : public CliTest {
 protected:
  std::string make(const std::string& name, const std::string& options) const {
    ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=10:duration=0.5 " + options + " " + path(name));
    return path(name);
  }
  std::string filtered(const std::string& input, const std::string& name,
                       const Arguments& more = {}) const {
    Arguments words{input, "-o", path(name), "--kernel", "identity"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_TRUE(succeeded(run_vidconv(words)));
    return path(name);
  }
};

TEST_F(Animation, GifKeepsItsLastDelay) {
  const std::string out = filtered(make("a.gif", "-final_delay 300"), "out.gif");
  EXPECT_EQ(probe(out, "packet=duration_time"),
            (std::vector<std::string>{"0.100000", "0.100000", "0.100000", "0.100000", "3.000000"}));
  const std::string chosen =
      filtered(path("a.gif"), "chosen.gif", {"--muxer-opt", "final_delay=7"});
  EXPECT_EQ(probe(chosen, "packet=duration_time").back(), "0.070000");
}

std::string loops(const std::string& gif) {
  const std::string bytes = read_file(gif);
  const std::size_t at = bytes.find("NETSCAPE2.0\x03\x01");
  return at == bytes.npos ? "none" : std::to_string(static_cast<unsigned char>(bytes[at + 13]));
}

TEST_F(Animation, GifIsShownAgainAsOften) {
  for (const std::string count : {"0", "3", "-1"}) {
    const std::string input = make("in" + count + ".gif", "-loop " + count);
    EXPECT_EQ(loops(input), count == "-1" ? "none" : count);
    EXPECT_EQ(loops(filtered(input, "out" + count + ".gif")), loops(input));
    const Result piped = shell("cat " + input + " | " + vidconv() + " - -y --format gif -o " +
                               path("piped.gif") + " --kernel identity");
    EXPECT_EQ(piped.exit_code, exit_done) << piped.err;
    EXPECT_EQ(loops(path("piped.gif")), loops(input));
  }
}

// FFmpeg's encoder leaves out pixels that have the same index as in the picture before, even if the
// palette differs.
TEST_F(Animation, GifShowsTheColoursOfEachPicture) {
  ffmpeg(
      "-f lavfi -i color=black:s=32x32:r=10:d=0.3 -vf \""
      "drawbox=x=8:y=8:w=16:h=16:c=red:t=fill:enable='not(eq(n,1))',"
      "drawbox=x=8:y=8:w=16:h=16:c=lime:t=fill:enable='eq(n,1)',format=bgra\" -c:v ffv1 " +
      path("changes.mkv"));
  const std::string out = filtered(path("changes.mkv"), "changes.gif");
  EXPECT_EQ(judge_digests(out), judge_digests(path("changes.mkv")));
}

TEST_F(Animation, ApngIsShownAgainAsOften) {
  for (const int plays : {0, 1, 5}) {
    const std::string name = std::to_string(plays) + ".apng";
    make(name, "-f apng -plays " + std::to_string(plays));
    const std::string bytes = read_file(filtered(path(name), "out" + name));
    const std::size_t at = bytes.find("acTL");
    ASSERT_NE(at, bytes.npos);
    EXPECT_EQ(static_cast<int>(bytes[at + 11]), plays);
  }
}

TEST_F(Animation, GifKeepsItsComment) {
  std::string bytes = read_file(make("plain.gif", ""));
  const std::string comment(300, 'c');
  // The comment goes behind the header and its palette: 13 bytes and three for each colour.
  const std::size_t at = 13 + (3U << ((bytes[10] & 7) + 1));
  bytes.insert(at, "\x21\xfe\xff" + comment.substr(0, 255) + "\x2d" + comment.substr(255) + '\0');
  write_file(path("said.gif"), bytes);
  ASSERT_EQ(probe(path("said.gif"), "format_tags=comment", "v"), std::vector<std::string>{comment});
  const std::string out = filtered(path("said.gif"), "out.gif");
  EXPECT_EQ(probe(out, "format_tags=comment", "v"), std::vector<std::string>{comment});
  EXPECT_EQ(judge_digests(out), judge_digests(filtered(path("plain.gif"), "other.gif")));
  // A comment of another container is kept, too.
  ffmpeg("-i " + path("plain.gif") + " -metadata comment=Hello -c:v ffv1 " + path("said.mkv"));
  EXPECT_EQ(probe(filtered(path("said.mkv"), "again.gif"), "format_tags=comment", "v"),
            std::vector<std::string>{"Hello"});
}

TEST_F(Animation, PicturesHaveTheRateThatWasAskedFor) {
  make("%02d.png", "");
  EXPECT_EQ(frame_times(filtered(path("%02d.png"), "usual.mkv", {"--codec", "ffv1"})).at(1),
            "0.040000");
  EXPECT_EQ(frame_times(filtered(path("%02d.png"), "slow.mkv", {"--codec", "ffv1", "--fps", "8"})),
            (std::vector<std::string>{"0.000000", "0.125000", "0.250000", "0.375000", "0.500000"}));
  EXPECT_EQ(
      probe(filtered(path("%02d.png"), "ntsc.mp4", {"--codec", "libx264", "--fps", "30000/1001"}),
            "stream=r_frame_rate")
          .at(0),
      "30000/1001");
  make("bare.h264", "-c:v libx264 -bsf:v 'filter_units=remove_types=6'");
  EXPECT_EQ(frame_times(filtered(path("bare.h264"), "bare.mkv", {"--codec", "ffv1", "--fps", "5"}))
                .size(),
            5u);
}

TEST_F(Animation, ARateIsRefusedWhereItIsKnown) {
  const std::string y4m = make("a.y4m", "-pix_fmt yuv420p");
  for (const std::string& input : {clip(), y4m}) {
    EXPECT_TRUE(refused(run_vidconv({input, "-o", "null:", "--kernel", "box", "--fps", "10"}),
                        exit_command_line, {"--fps", "10", "says itself"}));
  }
  EXPECT_TRUE(
      refused(run_vidconv({"pattern:64x48", "-o", "null:", "--kernel", "box", "--fps", "10"}),
              exit_command_line, {"--fps", "@RATE"}));
  for (const std::string wrong : {"0", "-3", "many", "1/0", "0x10"})
    EXPECT_TRUE(refused(run_vidconv({y4m, "-o", "null:", "--kernel", "box", "--fps=" + wrong}),
                        exit_command_line, {"--fps", wrong, "30000/1001"}));
}

// Sound that begins before the picture, in a container that has no times before 0.
TEST_F(Animation, LeadInsAreNotLost) {
  ffmpeg(
      "-f lavfi -i testsrc2=size=64x48:rate=25:duration=2 -f lavfi -i "
      "sine=sample_rate=48000:duration=2 -c:v "
      "libtheora -c:a libvorbis " +
      path("a.ogv"));
  ASSERT_LT(std::stod(probe(path("a.ogv"), "packet=pts_time", "a:0").at(0)), 0);
  const std::string out = filtered(path("a.ogv"), "out.nut");
  EXPECT_EQ(packet_hashes(out, "a"), packet_hashes(path("a.ogv"), "a"));
}

// As of a transport stream whose counter is about to begin anew: Matroska could say the times, and
// FFmpeg would not read them.
TEST_F(Animation, MatroskaBeginsAtZeroWhereTheVideoBeginsBefore) {
  ffmpeg(
      "-f lavfi -i testsrc2=size=64x48:rate=25:duration=2 -f lavfi -i sine=duration=2 -c:v libx264 "
      "-c:a mp2 -output_ts_offset 95434 -muxdelay 0 " +
      path("before.ts"));
  const std::vector<std::string> before = frame_times(path("before.ts"));
  ASSERT_LT(std::stod(before.at(0)), -9);
  const Result result = run_vidconv(
      {path("before.ts"), "-o", path("out.mkv"), "--kernel", "identity", "--codec", "ffv1"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_FALSE(has_line_with(result.err, {"holds no times before 0"}));
  const Arguments copied{path("before.ts"), "-o",           path("copied.mkv"), "--kernel",
                         "identity",        "--copy-times", "--codec",          "ffv1"};
  EXPECT_TRUE(
      has_line_with(run_vidconv(copied).err, {"holds no times before 0", "9.7", "[not-held]"}));
  const std::vector<std::string> after = frame_times(path("out.mkv"));
  ASSERT_EQ(after.size(), before.size());
  const std::string sound = probe(path("before.ts"), "packet=pts_time", "a").at(0);
  const double first = std::min(std::stod(before[0]), std::stod(sound));
  for (std::size_t i = 0; i < after.size(); ++i)
    EXPECT_NEAR(std::stod(after[i]), std::stod(before[i]) - first, 0.001);
}

}  // namespace
}  // namespace vidconv::test
