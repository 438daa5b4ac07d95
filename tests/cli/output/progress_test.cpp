// Tests the text of the bar, and the totals of real files.
#include "src/run/progress.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;

Progress halfway() {
  Progress p;
  p.decoded = p.filtered = p.encoded = 1234;
  p.seconds = 61.5;
  p.position = 49.36;
  p.bytes = 45'600'000;
  p.stages = {{"decode", 1}, {"convolve", 2}, {"encode", 30}};
  return p;
}

// Splits a line into facts, two spaces apart; the bar counts as one.
std::vector<std::string> facts(const std::string& line) {
  const std::string text = std::regex_replace(line, std::regex(R"(\[[# ]*\])"), "[]");
  const std::regex gap("  +");
  std::vector<std::string> list(std::sregex_token_iterator(text.begin(), text.end(), gap, -1), {});
  std::erase(list, "");
  return list;
}

TEST(Bar, AtEveryWidth) {
  const std::vector<Total> totals = {{2468, true, 98.72}, {2468, false, 98.72}, {2468, true, {}},
                                     {{}, false, 98.72},  {{}, false, {}},      {10, true, {}},
                                     {0, true, 0.0}};
  for (const Total& total : totals) {
    for (const Progress& p : {halfway(), Progress{}}) {
      std::vector<std::string> before;
      for (int columns = 1; columns <= 200; ++columns) {
        const std::string line = progress_bar(p, total, columns);
        ASSERT_LT(line.size(), static_cast<std::size_t>(columns)) << line;
        ASSERT_EQ(line.find_first_of("\n\r\033"), std::string::npos);
        // A wider line has all facts of a narrower one, and each fact is complete.
        const std::vector<std::string> now = facts(line);
        for (const std::string& fact : before)
          ASSERT_NE(std::ranges::find(now, fact), now.end())
              << "'" << fact << "' is gone at " << columns << ": " << line;
        before = now;
        // Colour changes nothing but the escape codes.
        const std::string coloured = progress_bar(p, total, columns, true);
        ASSERT_EQ(std::regex_replace(coloured, std::regex("\033\\[[0-9]*m"), ""), line);
      }
    }
  }
}

TEST(Bar, HasEveryFactWhereThereIsRoom) {
  const std::string line = progress_bar(halfway(), {2468, true, 98.72}, 200);
  EXPECT_EQ(facts(line), (std::vector<std::string>{" 50%", "[]", "1234/2468", "20.1 fps", "0.80x",
                                                   "45.6 MB", "ETA 1:02", "limit: encode"}));
  EXPECT_NE(line.find("[" + std::string(20, '#') + std::string(20, ' ') + "]"), std::string::npos)
      << line;
}

TEST(Bar, NoFalsePercent) {
  for (const Total& total : {Total{}, Total{10, true, {}}, Total{10, false, {}},
                             Total{{}, false, 3.0}, Total{0, true, {}}}) {
    const std::string line = progress_bar(halfway(), total, 200);
    EXPECT_EQ(line.find('%'), std::string::npos) << line;
    EXPECT_EQ(line.find("ETA"), std::string::npos) << line;
    EXPECT_NE(line.find("1234 frames"), std::string::npos) << line;
    EXPECT_NE(line.find("1:02"), std::string::npos) << line;  // the time since the start instead
    EXPECT_TRUE(json::parse(progress_json(halfway(), total)).at("percent").is_null());
  }
}

TEST(Bar, PercentByTimeWhereFramesAreAnEstimate) {
  EXPECT_NEAR(*fraction_done(halfway(), {9999, false, 98.72}), 0.5, 1e-9);
  EXPECT_NEAR(*fraction_done(halfway(), {2468, true, 500.0}), 0.5, 1e-9);
  Progress slow;  // two frames of 4 s, in a range that ends in the second
  slow.encoded = 2;
  slow.position = 8;
  EXPECT_EQ(fraction_done(slow, {{}, false, 5.0}), 1.0);
  EXPECT_EQ(fraction_done(slow, {{}, false, 3.0}), std::nullopt);
  // The number of frames is an estimate as well.
  for (const Total& total : {Total{9999, false, 98.72}, Total{{}, false, 98.72}})
    EXPECT_NE(progress_bar(halfway(), total, 200).find("1234/~2468"), std::string::npos);
  EXPECT_NE(progress_bar(halfway(), {9999, false, {}}, 200).find("1234/~9999"), std::string::npos);
}

TEST(Bar, Bytes) {
  EXPECT_EQ(byte_count(0), "0 B");
  EXPECT_EQ(byte_count(999), "999 B");
  EXPECT_EQ(byte_count(1000), "1.0 kB");
  EXPECT_EQ(byte_count(999'949), "999.9 kB");
  EXPECT_EQ(byte_count(999'950), "1.0 MB");
  EXPECT_EQ(byte_count(12'300'000'000), "12.3 GB");
}

class Totals : public CliTest {
 protected:
  // Returns the last line of --progress json.
  json last(const std::string& input, const std::string& more = "") const {
    const Result result =
        shell(vidconv() + " " + input + " -o null: --kernel box --progress json " + more);
    EXPECT_TRUE(succeeded(result));
    json object;
    for (const std::string& line : split_lines(result.err))
      if (line.starts_with('{')) object = json::parse(line);
    return object;
  }
  // Expects that the announced total is the number of frames.
  void expect_exact(const json& p) const {
    EXPECT_TRUE(p.at("total_is_exact")) << p;
    EXPECT_EQ(p.at("total"), p.at("frame")) << p;
    EXPECT_EQ(p.at("percent"), 100) << p;
  }
  // Expects no exact number of frames, but a correct percentage.
  void expect_by_time(const json& p, double tolerance = 1) const {
    EXPECT_FALSE(p.at("total_is_exact")) << p;
    ASSERT_FALSE(p.at("percent").is_null()) << p;
    EXPECT_NEAR(p.at("percent").get<double>(), 100, tolerance) << p;
  }
};

constexpr const char* vfr =
    "-vf select='not(mod(n\\,3))+not(mod(n\\,4))' -fps_mode vfr -c:v libx264 -bf 2";

TEST_F(Totals, OfFilesWithAnIndex) {
  expect_exact(last(clip()));
  expect_exact(last(make_clip("vfr.mp4", vfr)));
  ffmpeg("-ss 0.3 -i " + clip() + " -c copy " + path("edited.mp4"));  // an edit list
  expect_exact(last(path("edited.mp4")));
  expect_exact(last("pattern:64x48#7"));
  expect_exact(last("pattern:64x48", "--start 1 --frames 9"));
  const json part = last(clip(), "--frames 5");
  EXPECT_EQ(part.at("total"), 5);
  EXPECT_EQ(part.at("percent"), 100);
}

TEST_F(Totals, OfOtherFilesAreByTime) {
  expect_by_time(last(make_clip("steady.mkv", "-c:v libx264 -bf 2")));
  expect_by_time(last(make_clip("vfr.mkv", vfr)), 8);  // the last frame's duration is not known
  expect_by_time(last(make_clip("steady.ts", "-c:v mpeg2video -bf 2")), 6);
  expect_by_time(last(path("steady.mkv"), "--frames 1000"));
  const json few = last(path("steady.mkv"), "--frames 5");
  EXPECT_EQ(few.at("total"), 5);
  EXPECT_EQ(few.at("percent"), 100);
  expect_by_time(last(make_clip("later.mkv", "-c:v libx264 -output_ts_offset 5")));
  EXPECT_EQ(last(path("vfr.mkv")).at("total"), 10);
}

TEST_F(Totals, OfY4mFilesAreBySize) {
  ffmpeg("-i " + clip() + " -pix_fmt yuv420p " + path("a.y4m"));
  expect_by_time(last(path("a.y4m")));
  EXPECT_EQ(last(path("a.y4m")).at("total"), 20);
  EXPECT_EQ(last(path("a.y4m"), "--start 0.2 --frames 1000").at("total"), 15);
  // Frames with parameters are larger, so that there are fewer than announced: all of them come.
  EXPECT_TRUE(
      succeeded(shell("sed 's/^FRAME$/FRAME XWORDS/' " + path("a.y4m") + " > " + path("b.y4m"))));
  EXPECT_EQ(last(path("b.y4m")).at("frame"), 20);
}

TEST_F(Totals, OfParts) {
  for (const std::string& input : {clip(), make_clip("vfr.mp4", vfr), make_clip("a.mkv", vfr)}) {
    SCOPED_TRACE(input);
    // The last frame may be shown long before the range ends.
    expect_by_time(last(input, "--start 0.2"), 35);
    expect_by_time(last(input, "--duration 0.4"), 35);
    expect_by_time(last(input, "--start 0.2 --duration 0.4"), 35);
  }
  const json part = last(clip(), "--start 0.2 --duration 0.4");
  EXPECT_EQ(part.at("total"), part.at("frame"));
}

TEST_F(Totals, OfPipesAreNotKnown) {
  ffmpeg("-i " + clip() + " -pix_fmt yuv420p " + path("a.y4m"));
  ffmpeg("-i " + clip() + " -c copy -an -f mpegts " + path("a.ts"));
  for (const std::string name : {"a.y4m", "a.ts"}) {
    SCOPED_TRACE(name);
    const json p = last("-", "< <(cat " + path(name) + ")");
    EXPECT_EQ(p.at("frame"), 20);
    EXPECT_TRUE(p.at("total").is_null()) << p;
    EXPECT_TRUE(p.at("percent").is_null()) << p;
    EXPECT_TRUE(p.at("eta_seconds").is_null()) << p;
  }
  expect_exact(last(
      "- --raw 128x72:yuv420p@25", "< " + [&] {
        ffmpeg("-i " + clip() + " -pix_fmt yuv420p -f rawvideo " + path("a.raw"));
        return path("a.raw");
      }()));
}

// Tests the lines that are drawn on a terminal made by `script`.
class Terminal : public CliTest {
 protected:
  std::vector<std::string> drawn(const std::string& environment, int columns) const {
    const std::string line = "stty cols " + std::to_string(columns) + "; env " + environment + " " +
                             vidconv() +
                             " pattern:320x240#400 -o null: --kernel gaussian:sigma=4 --device cpu "
                             "--threads 1 --range clamp";
    const Result result = shell("script -qec '" + line + "' /dev/null </dev/null");
    EXPECT_TRUE(succeeded(result));
    std::vector<std::string> lines;
    std::string now;
    for (const char c : result.out) {
      if (c == '\r' || c == '\n') {
        if (!now.empty()) lines.push_back(now);
        now.clear();
      } else {
        now += c;
      }
    }
    return lines;
  }
};

TEST_F(Terminal, TheBarFitsAndGoes) {
  if (shell("command -v script").exit_code != 0) GTEST_SKIP() << "script is not installed";
  for (const int columns : {20, 47, 120}) {
    for (const std::string environment :
         {"TERM=xterm NO_COLOR=", "TERM=xterm NO_COLOR=1", "TERM=dumb NO_COLOR="}) {
      SCOPED_TRACE(environment + " " + std::to_string(columns));
      const std::vector<std::string> lines = drawn(environment, columns);
      ASSERT_FALSE(lines.empty());
      const bool dumb = environment.starts_with("TERM=dumb");
      const bool coloured = environment == "TERM=xterm NO_COLOR=";
      bool bar = false, colour = false;
      for (const std::string& line : lines) {
        if (line.starts_with("vidconv: ")) continue;
        EXPECT_FALSE(dumb && line.find('\033') != std::string::npos) << line;
        colour |= line.find("\033[32m") != std::string::npos;
        const std::string seen = std::regex_replace(line, std::regex("\033\\[[0-9]*[mK]"), "");
        EXPECT_LT(seen.size(), static_cast<std::size_t>(columns)) << seen;
        bar |= seen.find('%') != std::string::npos;
      }
      EXPECT_TRUE(bar);
      EXPECT_EQ(colour, coloured && columns > 20);
      EXPECT_TRUE(lines.back().find("vidconv: 400 frames in") != std::string::npos) << lines.back();
    }
  }
}

TEST_F(Terminal, NothingIsDrawnElsewhere) {
  const Result result = run_vidconv({"pattern:64x48#50", "-o", "null:", "--kernel", "box"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.err.find_first_of("\r\033%"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace vidconv::test
