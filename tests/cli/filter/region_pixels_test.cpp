// --start and --duration give the same frames as the whole input, wherever the container seeks to.
#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

struct Kind {
  std::string name, encoding;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class Part : public CliTest, public testing::WithParamInterface<Kind> {
 protected:
  // Makes three seconds with sound.
  std::string film() const {
    const auto& [name, encoding] = GetParam();
    ffmpeg(
        "-f lavfi -i testsrc2=size=64x48:rate=25:duration=3 -f lavfi -i sine=duration=3 "
        "-shortest -pix_fmt yuv420p " +
        encoding + " " + path(name));
    return path(name);
  }
};

TEST_P(Part, HasTheFramesOfTheWhole) {
  const std::string input = film();
  const std::vector<std::string> whole = judge_digests(input).frames;
  // The times come from a copy, because not every container has a time for each frame.
  EXPECT_TRUE(succeeded(
      run_vidconv({input, "-o", path("whole.mkv"), "--codec", "ffv1", "--kernel", "identity"})));
  const std::vector<std::string> times = frame_times(path("whole.mkv"));
  ASSERT_EQ(whole.size(), times.size());
  for (const char* start : {"0.01", "1.0", "1.47", "2.9"}) {
    SCOPED_TRACE(start);
    std::size_t first = 0;
    while (std::stod(times[first]) < std::stod(start) - 1e-3) ++first;
    const Result result =
        run_vidconv({input, "-o", "md5:", "--kernel", "identity", "--start", start});
    EXPECT_TRUE(succeeded(result));
    EXPECT_EQ(parse_digests(result.out).frames,
              std::vector(whole.begin() + static_cast<std::ptrdiff_t>(first), whole.end()));
  }
}

const std::string x264 = "-c:a aac -c:v libx264 -preset ultrafast -bf 2 ";

INSTANTIATE_TEST_SUITE_P(
    Containers, Part,
    testing::Values(Kind{"h264.ts", x264 + "-g 12"},
                    Kind{"open.ts", x264 + "-x264-params open-gop=1:keyint=12:scenecut=0"},
                    Kind{"refresh.ts", x264 + "-bf 0 -x264-params intra-refresh=1:keyint=12"},
                    Kind{"one-key.ts", x264 + "-g 999"},
                    Kind{"mpeg2.ts", "-c:v mpeg2video -bf 2 -g 12"},
                    Kind{"hevc.ts",
                         "-c:v libx265 -preset ultrafast -x265-params "
                         "log-level=error:pools=1:keyint=12:min-keyint=12:open-gop=1:bframes=2"},
                    Kind{"mpeg1.mpg", "-c:v mpeg1video -bf 2 -g 12"},
                    Kind{"h264.mp4", x264 + "-g 12"}, Kind{"h264.mkv", x264 + "-g 12"},
                    Kind{"open.mkv", x264 + "-x264-params open-gop=1:keyint=12"},
                    Kind{"mpeg4.avi", "-c:v mpeg4 -bf 2 -g 12"}, Kind{"h264.flv", x264 + "-g 12"},
                    Kind{"vp9.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 12"},
                    Kind{"elementary.h264", "-an " + x264 + "-g 12"},
                    Kind{"ffv1.nut", "-c:v ffv1"}),
    [](const auto& test) {
      std::string name = test.param.name;
      for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
      return name;
    });

}  // namespace
}  // namespace vidconv::test
