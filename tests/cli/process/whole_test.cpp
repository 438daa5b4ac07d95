// Damage is reported correctly: for each kind of file that was once wrongly called damaged, a
// complete file gives no message, and an incomplete one does.
#include <functional>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Whole : public CliTest {
 protected:
  static constexpr const char* source = "-f lavfi -i testsrc2=size=64x48:rate=25:duration=2 ";
  static constexpr const char* x264 = "-c:v libx264 -preset ultrafast -bf 2 -g 10 ";

  std::string make(const std::string& name, const std::string& arguments) const {
    ffmpeg("-y " + arguments + " " + path(name));
    return path(name);
  }

  // Expects all frames that ffmpeg finds, also with --strict; a pipe gives the same if the
  // container can be read from one.
  void expect_whole(const std::string& file, bool can_be_piped = true) const {
    const std::string filter = " -o md5: --kernel identity --strict ";
    const Result result = shell(vidconv() + " " + file + filter);
    EXPECT_EQ(result.exit_code, exit_done) << result.err;
    EXPECT_EQ(parse_digests(result.out).frames, judge_digests(file).frames);
    if (!can_be_piped) return;
    const Result piped = shell("cat " + file + " | " + vidconv() + " -" + filter);
    EXPECT_EQ(piped.exit_code, exit_done) << piped.err;
  }

  // Expects that the first `part` of the file counts as damaged.
  void expect_cut(const std::string& file, double part) const {
    const std::string bytes = read_file(file);
    const std::string cut = path("cut-" + std::filesystem::path(file).filename().string());
    write_file(cut,
               bytes.substr(0, static_cast<std::size_t>(part * static_cast<double>(bytes.size()))));
    const Result result = run_vidconv({cut, "-o", "md5:", "--kernel", "identity"});
    EXPECT_EQ(result.exit_code, exit_damaged) << result.err;
    EXPECT_FALSE(parse_digests(result.out).frames.empty());
  }
};

// The headers count in ticks of half a frame.
TEST_F(Whole, H264InAvi) {
  make("h264.mp4", std::string(source) + x264);
  const std::string file = make("h264.avi", "-i " + path("h264.mp4") + " -c copy");
  expect_whole(file);
  for (const double part : {0.8, 0.99}) expect_cut(file, part);
}

TEST_F(Whole, AviWithDroppedFrames) {
  const std::string file =
      make("dropped.avi",
           std::string(source) + "-vf 'select=not(between(n\\,10\\,30))' -fps_mode vfr -c:v mpeg4");
  expect_whole(file);
  for (const double part : {0.8, 0.99}) expect_cut(file, part);
}

TEST_F(Whole, OurOwnAviOfAVariableRate) {
  const std::string vfr =
      make("vfr.mkv", std::string(source) +
                          "-vf 'select=not(mod(n\\,3))+not(mod(n\\,4))' -fps_mode vfr " + x264);
  const std::string file = path("ours.avi");
  ASSERT_EQ(run_vidconv({vfr, "-o", file, "--kernel", "identity"}).exit_code, exit_done);
  expect_whole(file);
  for (const double part : {0.8, 0.99}) expect_cut(file, part);
}

TEST_F(Whole, FragmentsThatBeginLater) {
  shell("cd " + path("") + " && ffmpeg -v error " + source + x264 +
        "-f dash -seg_duration 0.4 -init_seg_name init.mp4 -media_seg_name 'chunk$Number$.m4s' "
        "list.mpd");
  const std::string file = path("later.mp4");
  write_file(file, read_file(path("init.mp4")) + read_file(path("chunk3.m4s")) +
                       read_file(path("chunk4.m4s")));
  expect_whole(file);
  for (const double part : {0.8, 0.99}) expect_cut(file, part);
}

// The header of a live recording does not know its length yet.
TEST_F(Whole, FragmentsWhoseHeaderKnowsNoLength) {
  const std::string file =
      make("live.mp4",
           std::string(source) + x264 + "-movflags frag_keyframe+empty_moov+default_base_moof");
  const std::string known = probe(file, "stream=duration_ts").at(0);
  std::string bytes = read_file(file);
  // Behind the box's name are its version, two times, and the ticks of a second.
  bytes.replace(bytes.find("mdhd") + 20, 4, "\xff\xff\xff\xff");
  write_file(file, bytes);
  // Later versions of FFmpeg ignore it.
  const std::string length = probe(file, "stream=duration_ts").at(0);
  ASSERT_TRUE(length == "4294967295" || length == known) << length;
  expect_whole(file);
}

class Held : public Whole, public testing::WithParamInterface<std::string> {
 protected:
  // There are ten pictures; the sixth is shown for three seconds, the last for five.
  std::string animation() const {
    return make("held.gif",
                "-f lavfi -i testsrc2=size=64x48:rate=10:duration=1 -vf "
                "'setpts=if(gt(N\\,5)\\,PTS+3/TB\\,PTS)' -fps_mode passthrough -final_delay 500");
  }
};

TEST_P(Held, ToTheEnd) {
  std::string file = animation();
  if (GetParam() != "gif") {
    file = path("held." + GetParam());
    // Alpha is left out, because FFmpeg's own decoders of WebM ignore it.
    ASSERT_EQ(run_vidconv({animation(), "-o", file, "--kernel", "identity", "--pix-fmt", "yuv420p"})
                  .exit_code,
              exit_done);
  }
  expect_whole(file);
  for (const double part : {0.9, 0.99}) expect_cut(file, part);
}

INSTANTIATE_TEST_SUITE_P(Containers, Held, testing::Values("gif", "flv", "webm", "mkv"),
                         [](const auto& test) { return test.param; });

class JoinedTs : public Whole, public testing::WithParamInterface<std::string> {
 protected:
  std::string part(const std::string& start) const {
    return read_file(make("part.ts", std::string(source) +
                                         "-f lavfi -i sine=duration=2 -c:v mpeg2video -bf 2 -b:v "
                                         "600k -c:a mp2 -output_ts_offset " +
                                         start));
  }
  std::string segments() const {
    make("s%d.ts", std::string(source) + "-f lavfi -i sine=duration=2 " + x264 +
                       "-c:a aac -f segment -segment_time 0.4");
    std::string all;
    for (const char number : {'0', '1', '2', '3', '4'})
      all += read_file(path(std::string("s") + number + ".ts"));
    return all;
  }
};

TEST_P(JoinedTs, IsWholeUnlessSomethingIsMissing) {
  const std::string& kind = GetParam();
  const std::string bytes = kind == "segments"  ? segments()
                            : kind == "forward" ? part("0") + part("500")
                                                : part("0") + part("0") + part("0");
  const std::string file = path(kind + ".ts");
  write_file(file, bytes);
  expect_whole(file);
  // Packets of 188 bytes are missing in the first part.
  constexpr std::size_t packet = 188;
  const std::size_t at = bytes.size() / packet / 8 * packet;
  write_file(file, bytes.substr(0, at) + bytes.substr(at + 20 * packet));
  EXPECT_EQ(run_vidconv({file, "-o", "null:", "--kernel", "identity"}).exit_code, exit_damaged);
}

INSTANTIATE_TEST_SUITE_P(Kinds, JoinedTs, testing::Values("again", "forward", "segments"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace vidconv::test
