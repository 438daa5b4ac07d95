// --gallery shows one frame through every filter on a sheet.
#include <algorithm>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Gallery : public CliTest {};

// Each tile of the sheet equals the filtered frame, byte for byte.
TEST_F(Gallery, GalleryDrawsFilters) {
  const std::string picture = "pattern:40x30:rgb24#1", sheet = path("sheet.png");
  const std::vector<std::string> filters = {"identity", "box:size=5", "sobel", "kirsch", "emboss"};
  Arguments draw = {picture, "-o", sheet, "--gallery"};
  for (const std::string& filter : filters) {
    draw.push_back("--kernel");
    draw.push_back(filter);
  }
  EXPECT_TRUE(succeeded(run_vidconv(draw)));
  constexpr std::size_t width = 4 * 328 + 8, height = 2 * (25 + 30 + 8) + 8;
  ffmpeg("-i " + sheet + " -f rawvideo -pix_fmt rgb24 " + path("sheet.rgb"));
  const std::string pixels = read_file(path("sheet.rgb"));
  ASSERT_EQ(pixels.size(), 3 * width * height);
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const Result alone =
        run_vidconv({picture, "-o", "-", "--format", "raw", "--kernel", filters[i]});
    ASSERT_EQ(alone.out.size(), 3u * 40 * 30);
    const std::size_t left = 8 + i % 4 * 328, top = i / 4 * 63 + 25;
    for (std::size_t y = 0; y < 30; ++y)
      ASSERT_EQ(pixels.substr(3 * ((top + y) * width + left), 3 * 40),
                alone.out.substr(3 * 40 * y, 3 * 40))
          << filters[i] << ", row " << y;
    const std::string label =
        pixels.substr(3 * ((top - 15) * width + left), 3 * 12 * filters[i].size());
    EXPECT_NE(label.find('\0'), std::string::npos) << filters[i];
  }
}

// On the sheet of all filters, dark results are multiplied: dog, the last filter of the table that
// is of one picture, but not identity, the first.
TEST_F(Gallery, GalleryShowsDarkResultsWithAGain) {
  const std::string picture = "pattern:40x30:rgb24#1", sheet = path("sheet.png");
  EXPECT_TRUE(succeeded(run_vidconv({picture, "-o", sheet, "--gallery"})));
  ffmpeg("-i " + sheet + " -f rawvideo -pix_fmt rgb24 " + path("sheet.rgb"));
  const std::string pixels = read_file(path("sheet.rgb"));
  constexpr std::size_t width = 4 * 328 + 8, step_y = 25 + 30 + 8, over_time = 3, pictures = 22,
                        tiles = pictures + over_time;
  ASSERT_EQ(pixels.size(), 3 * width * ((tiles + 3) / 4 * step_y + 8));
  const auto tile = [&](std::size_t i) {
    std::string rows;
    for (std::size_t y = 0; y < 30; ++y)
      rows += pixels.substr(3 * ((i / 4 * step_y + 25 + y) * width + 8 + i % 4 * 328), 3 * 40);
    return rows;
  };
  const auto alone = [&](const std::string& filter) {
    return run_vidconv({picture, "-o", "-", "--format", "raw", "--kernel", filter}).out;
  };
  EXPECT_EQ(tile(0), alone("identity"));
  EXPECT_NE(tile(pictures - 1), alone("dog"));
  const std::vector<std::string> multiplied = {alone("dog:scale=4"), alone("dog:scale=8"),
                                               alone("dog:scale=16"), alone("dog:scale=32")};
  EXPECT_NE(std::ranges::find(multiplied, tile(pictures - 1)), multiplied.end());
}

// A tile of a filter over time shows the first frame behind as many as it looks back.
TEST_F(Gallery, FiltersOverTimeReadTheFramesAround) {
  const std::string video = "pattern:40x30:rgb24#9", sheet = path("sheet.png");
  const std::vector<std::pair<std::string, std::size_t>> filters = {
      {"identity", 0},
      {"time:1 2 1:scale=auto", 1},
      {"time-exp:decay=0.5", 8},
      {"time:-1 0 1:abs=1:anchor=0", 0},
      {"time-box:size=4:every=3", 3},
      {"volume:0 1 0|1 2 1:scale=auto", 1}};
  Arguments draw = {video, "-o", sheet, "--gallery"};
  for (const auto& [filter, frame] : filters) draw.insert(draw.end(), {"--kernel", filter});
  ASSERT_TRUE(succeeded(run_vidconv(draw)));
  constexpr std::size_t width = 4 * 328 + 8;
  ffmpeg("-i " + sheet + " -f rawvideo -pix_fmt rgb24 " + path("sheet.rgb"));
  const std::string pixels = read_file(path("sheet.rgb"));
  for (std::size_t i = 0; i < filters.size(); ++i) {
    SCOPED_TRACE(filters[i].first);
    const std::string all =
        run_vidconv({video, "-o", "-", "--format", "raw", "--kernel", filters[i].first}).out;
    const bool every = filters[i].first.find("every=3") != std::string::npos;
    const std::size_t size = 3 * 40 * 30, result = filters[i].second / (every ? 3 : 1);
    ASSERT_EQ(all.size(), (every ? 3 : 9) * size);
    const std::size_t left = 8 + i % 4 * 328, top = i / 4 * 63 + 25;
    for (std::size_t y = 0; y < 30; ++y)
      ASSERT_EQ(pixels.substr(3 * ((top + y) * width + left), 3 * 40),
                all.substr(result * size + 3 * 40 * y, 3 * 40))
          << y;
  }
}

TEST_F(Gallery, GalleryRefusesWhatItHasNoUseFor) {
  for (const Arguments& more : std::vector<Arguments>{{"--crf", "20"},
                                                      {"--encoder-opt", "tune=film"},
                                                      {"--codec", "png"},
                                                      {"--preset", "slow"},
                                                      {"--bitrate", "5M"},
                                                      {"--pix-fmt", "gray"},
                                                      {"--audio", "none"},
                                                      {"--muxer-opt", "a=b"},
                                                      {"--frames", "2"},
                                                      {"--duration", "1"},
                                                      {"--linear"},
                                                      {"--range", "clamp"},
                                                      {"--scan", "interlaced"},
                                                      {"--variant", "cpu-reference"},
                                                      {"--slots", "2"},
                                                      {"--benchmark"},
                                                      {"--verify"},
                                                      {"--explain"},
                                                      {"--device", "cuda"},
                                                      {"--decoder", "nvdec"}}) {
    Arguments all{"pattern:40x30#1", "-o", path("a.png"), "--gallery", "--kernel", "box"};
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_TRUE(refused(run_vidconv(all), exit_command_line, {more[0], "gallery"}));
    EXPECT_FALSE(std::filesystem::exists(path("a.png")));
  }
  // These options do have an effect on a gallery.
  EXPECT_TRUE(succeeded(run_vidconv({"pattern:40x30#3",
                                     "-o",
                                     path("a.png"),
                                     "--gallery",
                                     "--kernel",
                                     "box",
                                     "--border",
                                     "reflect",
                                     "--planes",
                                     "luma",
                                     "--threads",
                                     "2",
                                     "--device",
                                     "cpu",
                                     "--max-pixels",
                                     "5000",
                                     "--start",
                                     "0.04",
                                     "--strict",
                                     "--video",
                                     "1",
                                     "--stats",
                                     path("s.json"),
                                     "-q"})));
}

TEST_F(Gallery, GalleryOfAVideo) {
  const std::string sheet = path("sheet.jpg");
  EXPECT_TRUE(succeeded(run_vidconv({clip(), "-o", sheet, "--gallery", "--at", "0.4"})));
  EXPECT_EQ(probe(sheet, "stream=codec_name,width"), (std::vector<std::string>{"mjpeg,1320"}));
  EXPECT_TRUE(refused(run_vidconv({clip(), "-o", sheet, "--gallery"}), exit_output, {"sheet.jpg"}));
  EXPECT_TRUE(refused(run_vidconv({clip(), "-o", path("a.png"), "--gallery", "--at", "99"}),
                      exit_input, {"clip.mp4", "ends before that time"}));
  EXPECT_TRUE(refused(run_vidconv({clip(), "-o", path("a.mp4"), "--gallery"}), exit_command_line,
                      {"a.mp4", ".png"}));
  EXPECT_TRUE(refused(run_vidconv({clip(), "-o", path("a.mp4"), "--kernel", "box", "--at", "1"}),
                      exit_command_line, {"--at"}));
}

}  // namespace
}  // namespace vidconv::test
