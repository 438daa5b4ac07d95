// In inputs whose clock restarts midway, frames and sound have the times that ffmpeg gives them.
#include <algorithm>
#include <cmath>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

struct Jumping {
  std::string name, encoding;
  std::vector<double> starts;  // start of each piece, seconds
  bool says = true;            // whether a message comes: libavformat follows some jumps by itself
};

void PrintTo(const Jumping& jumping, std::ostream* out) { *out << jumping.name; }

class Jumps : public CliTest, public testing::WithParamInterface<Jumping> {
 protected:
  // Makes a file of pieces of two seconds of picture and sound, one behind the other.
  std::string joined() const {
    const Jumping& jumping = GetParam();
    std::string bytes;
    for (const double start : jumping.starts) {
      const std::string part = path("part." + jumping.name.substr(jumping.name.find('.') + 1));
      ffmpeg(
          "-y -f lavfi -i testsrc2=size=64x48:rate=25:duration=2 -f lavfi -i sine=duration=2 "
          "-pix_fmt yuv420p " +
          jumping.encoding + " -output_ts_offset " + std::to_string(start) + " " + part);
      bytes += read_file(part);
    }
    write_file(path(jumping.name), bytes);
    return path(jumping.name);
  }
};

std::vector<double> packet_times(const std::string& file, const std::string& stream) {
  std::vector<double> times;
  for (const std::string& line : probe(file, "packet=pts_time", stream))
    if (!line.empty()) times.push_back(std::stod(line));
  std::ranges::sort(times);
  return times;
}

constexpr double a_frame = 0.04;

TEST_P(Jumps, GoOnAsWithFfmpeg) {
  const std::string input = joined(), ours = path("ours.mkv"), theirs = path("theirs.mkv");
  const Result result = run_vidconv({input, "-o", ours, "--kernel", "identity", "--codec", "ffv1"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(has_line_with(result.err, {"times jump", "--copy-times"}) == true, GetParam().says)
      << result.err;
  ffmpeg("-i " + input + " -map 0 -c:v ffv1 -c:a copy -fps_mode passthrough " + theirs);
  double shift[2] = {};
  for (const std::string stream : {"v:0", "a:0"}) {
    SCOPED_TRACE(stream);
    const std::vector<double> found = packet_times(ours, stream);
    const std::vector<double> expected = packet_times(theirs, stream);
    ASSERT_EQ(found.size(), expected.size());
    double worst = 0;
    const double by = shift[stream == "a:0"] = found[0] - expected[0];
    for (std::size_t i = 0; i < found.size(); ++i)
      worst = std::max(worst, std::abs(found[i] - expected[i] - by));
    EXPECT_LT(worst, a_frame);
    const double length = static_cast<double>(2 * GetParam().starts.size());
    EXPECT_NEAR(found.back() - found.front(), length, 2.5 * a_frame);
  }
  // Sound and picture are moved by the same time, to begin at 0.
  EXPECT_NEAR(shift[0], shift[1], a_frame / 2);
  EXPECT_NEAR(shift[0], 0, 2.5 * a_frame);
}

INSTANTIATE_TEST_SUITE_P(
    Containers, Jumps,
    testing::Values(
        Jumping{"again.mpg", "-c:v mpeg2video -bf 2 -c:a mp2 -f vob", {0, 0, 0}},
        Jumping{"again.ts", "-c:v libx264 -preset ultrafast -bf 2 -g 25 -c:a aac", {0, 0, 0}},
        Jumping{"forward.ts", "-c:v mpeg2video -bf 2 -c:a mp2", {0, 1000}},
        Jumping{"back.ts", "-c:v libx264 -preset ultrafast -bf 2 -g 25 -c:a aac", {1000, 0}},
        Jumping{"there_and_back.ts", "-c:v mpeg2video -bf 2 -c:a mp2", {5000, 20000, 100}},
        // Their clock has 33 bits: 26.5 hours.
        Jumping{"wraps.ts", "-c:v mpeg2video -bf 2 -c:a mp2", {95441.2}, false}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::ranges::replace(name, '.', '_');
      return name;
    });

class InStep : public CliTest, public testing::WithParamInterface<std::string> {
 protected:
  // Returns the times in seconds at which the value `key` that ffmpeg's filters measure rises above
  // `least` after a while below it.
  std::vector<double> beginnings(const std::string& filters, const std::string& key,
                                 const std::string& least) const {
    const std::string found = output_of(
        "ffmpeg -v quiet -copyts -i " + path("out.mkv") + " " + filters +
        "metadata=print:key=" + key +
        ":file=- -f null - | awk '/pts_time/ {split($0, a, \"pts_time:\"); time = a[2]} "
        "/=/ {split($0, b, \"=\"); if (b[2] != \"-inf\" && b[2] > " +
        least + ") {if (!seen || time - last > 0.3) print time; last = time; seen = 1}}'");
    std::vector<double> times;
    for (const std::string& line : split_lines(found)) times.push_back(std::stod(line));
    return times;
  }
};

// There are a flash and a click each second, before and after each joint of two pieces.
TEST_P(InStep, ClicksStayWithFlashes) {
  std::string bytes;
  const std::string part = path("part." + GetParam());
  for (const std::string start : {"0", "3000", "0"}) {
    ffmpeg(
        "-y -f lavfi -i color=black:s=64x48:r=25:d=2,drawbox=c=white:t=fill:enable="
        "'gte(t\\,0.5)*lt(mod(t-0.5\\,1)\\,0.04)' -f lavfi -i "
        "aevalsrc='if(gte(t\\,0.5)*lt(mod(t-0.5\\,1)\\,0.02)\\,sin(2*PI*1000*t)\\,0)':s=48000:d=2 "
        "-c:v mpeg2video -bf 2 -c:a mp2 -output_ts_offset " +
        start + (GetParam() == "mpg" ? " -f vob " : " ") + part);
    bytes += read_file(part);
  }
  write_file(path("joined." + GetParam()), bytes);
  EXPECT_TRUE(succeeded(run_vidconv({path("joined." + GetParam()), "-o", path("out.mkv"),
                                     "--kernel", "identity", "--codec", "ffv1"})));
  const std::vector<double> flashes =
      beginnings("-vf signalstats,", "lavfi.signalstats.YAVG", "150");
  const std::vector<double> clicks =
      beginnings("-af asetnsamples=n=240:p=0,astats=metadata=1:reset=1,a",
                 "lavfi.astats.Overall.RMS_level", "-20");
  ASSERT_EQ(flashes.size(), 6u);
  ASSERT_EQ(clicks.size(), 6u);
  for (std::size_t i = 0; i < flashes.size(); ++i) {
    EXPECT_NEAR(flashes[i] - flashes[0], static_cast<double>(i), a_frame);
    EXPECT_NEAR(clicks[i] - flashes[i], clicks[0] - flashes[0], 0.01);
  }
}

INSTANTIATE_TEST_SUITE_P(Containers, InStep, testing::Values("ts", "mpg"),
                         [](const auto& test) { return test.param; });

class CopyTimes : public CliTest {};

TEST_F(CopyTimes, LeavesAJump) {
  std::string bytes;
  for (const std::string start : {"0", "1000"}) {
    ffmpeg("-y -f lavfi -i testsrc2=size=64x48:duration=0.4 -c:v mpeg2video -output_ts_offset " +
           start + " " + path("part.ts"));
    bytes += read_file(path("part.ts"));
  }
  write_file(path("jumps.ts"), bytes);
  for (const bool leave : {false, true}) {
    Arguments words{path("jumps.ts"), "-o", path("out.mkv"), "-y", "--kernel", "identity"};
    if (leave) words.push_back("--copy-times");
    EXPECT_TRUE(succeeded(run_vidconv(words)));
    const std::vector<std::string> times = frame_times(path("out.mkv"));
    ASSERT_EQ(times.size(), 20u);
    EXPECT_NEAR(std::stod(times[19]) - std::stod(times[0]), leave ? 1000.36 : 0.76, 0.08);
  }
}

// Matroska's times are trusted: a jump there does not mean that the clock has restarted.
TEST_F(CopyTimes, LeavesWhatMatroskaSays) {
  make_clip("jumps.mkv",
            "-c:v mjpeg -fps_mode passthrough -vf setpts='if(gte(N\\,10)\\,PTS+20/TB\\,PTS)'");
  EXPECT_TRUE(
      succeeded(run_vidconv({path("jumps.mkv"), "-o", path("out.mkv"), "--kernel", "identity"})));
  const std::vector<std::string> times = frame_times(path("out.mkv"));
  ASSERT_EQ(times.size(), 20u);
  EXPECT_NEAR(std::stod(times[10]) - std::stod(times[9]), 20.04, 0.01);
}

}  // namespace
}  // namespace vidconv::test
