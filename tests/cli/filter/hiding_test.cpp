// Filters that hide: mosaic and fill, boxes that are held, and that nothing else is touched. The
// samples are judged by tests/judge/hiding_test.py.
#include <fstream>
#include <utility>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Hiding : public CliTest {
 protected:
  static Result filter(const std::string& kernel, const Arguments& more = {},
                       const std::string& input = "pattern:70x54@25#6") {
    Arguments all{input, "-o", "md5:", "--kernel", kernel};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string boxes(const std::string& lines) const { return write("boxes.jsonl", lines); }
};

TEST_F(Hiding, SameBytesOnEveryPath) {
  for (const std::string kernel :
       {"mosaic:size=7", "mosaic:size=9:region=5,7,33,20;50%,50%,50%,50%",
        "fill:tomato:invert=1:region=9,9,9,9", "mosaic:size=2..30@f0-f5",
        "fill:#123:region=3,3,40,40:feather=5", "mosaic:size=12:mask=edges:sobel"}) {
    SCOPED_TRACE(kernel);
    const Result result = filter(kernel, {"--threads", "1", "--verify"});
    EXPECT_TRUE(succeeded(result));
    EXPECT_TRUE(has_line_with(result.err, {"6 verified"}));
    for (const Arguments& more : {Arguments{"--threads", "3"}, Arguments{"--slots", "1"}})
      EXPECT_EQ(filter(kernel, more).out, result.out);
  }
}

TEST_F(Hiding, BlocksAreCountedFromWhatIsSeen) {
  ffmpeg("-f lavfi -i testsrc2=s=99x65:r=25:d=0.2 -pix_fmt yuv444p -c:v libx264 -qp 0 " +
         path("plain.mp4"));
  for (const char* turn : {"90", "180", "270"}) {
    SCOPED_TRACE(turn);
    EXPECT_TRUE(succeeded(shell("ffmpeg -v error -y -display_rotation " + std::string(turn) +
                                " -i " + path("plain.mp4") + " -c copy " + path("in.mp4") +
                                " || ffmpeg -v error -y -i " + path("plain.mp4") +
                                " -c copy -metadata:s:v rotate=" + turn + " " + path("in.mp4"))));
    ffmpeg("-y -i " + path("in.mp4") + " -c:v libx264 -qp 0 " + path("upright.mp4"));
    const auto seen = [&](const std::string& name) {
      EXPECT_TRUE(succeeded(run_vidconv({path(name), "-y", "-o", path("out-" + name), "--kernel",
                                         "mosaic:size=8:region=10,20,30,35", "--codec", "libx264",
                                         "--encoder-opt", "qp=0"})));
      return judge_digests(path("out-" + name)).all;
    };
    EXPECT_EQ(seen("in.mp4"), seen("upright.mp4"));
  }
}

// FFmpeg scales down by means and up by repeating: the same blocks, where they fit the picture.
TEST_F(Hiding, AMosaicIsWhatFfmpegsPixelizeMakes) {
  EXPECT_TRUE(succeeded(run_vidconv({"pattern:64x48:gray@25#3", "-o", path("in.mkv"), "--codec",
                                     "ffv1", "--kernel", "identity"})));
  const Result filters = shell("ffmpeg -v error -filters");
  if (filters.out.find(" pixelize ") == std::string::npos) GTEST_SKIP() << "no pixelize here";
  ffmpeg("-i " + path("in.mkv") + " -vf pixelize=w=8:h=8:m=avg -c:v ffv1 " + path("judge.mkv"));
  const Result ours = run_vidconv(
      {path("in.mkv"), "-o", path("ours.mkv"), "--codec", "ffv1", "--kernel", "mosaic:size=8"});
  EXPECT_TRUE(succeeded(ours));
  const Result psnr = shell("ffmpeg -v info -i " + path("ours.mkv") + " -i " + path("judge.mkv") +
                            " -lavfi psnr -f null - 2>&1 | grep -o 'min:[0-9.inf]*'");
  // It rounds down, we to the nearest: a level at most.
  EXPECT_TRUE(psnr.out == "min:inf\n" || std::stod(psnr.out.substr(4)) > 48) << psnr.out;
}

// Bits below a code, signs of zeros and payloads of NaN stay outside, and --audit agrees.
TEST_F(Hiding, ACopyCopies) {
  std::string samples;
  for (int i = 0; i < 16 * 8 * 3 / 2 * 2; ++i) samples += static_cast<char>(i * 37 + i / 256);
  const std::string raw = write("p010.raw", samples);
  std::string floats;
  for (int i = 0; i < 4 * 16 * 8; ++i)
    floats.append(i % 3 == 0 ? std::string("\x00\x00\x00\x80", 4)
                             : std::string("\x45\x23\xC1\x7F", 4));
  const std::string real = write("float.raw", floats);
  for (const auto& pair : {std::pair(raw, "16x8:p010le"), {real, "16x8:gbrapf32le"}}) {
    SCOPED_TRACE(pair.second);
    const std::string kept = read_file(pair.first);
    const Result all =
        run_vidconv({pair.first, "--raw", pair.second, "-y", "-o", path("out.raw"), "--format",
                     "raw", "--kernel", "gaussian:sigma=2:region=2,2,4,2:alpha=separate", "--audit",
                     path("audit.jsonl")});
    EXPECT_TRUE(succeeded(all));
    const std::string out = read_file(path("out.raw"));
    ASSERT_EQ(out.size(), kept.size());
    // The first two rows are outside.
    const std::size_t row = 16 * (pair.first == raw ? 2u : 4u);
    EXPECT_EQ(out.substr(0, 2 * row), kept.substr(0, 2 * row));
    if (pair.first == real) {
      EXPECT_EQ(out.substr(3 * 8 * row), kept.substr(3 * 8 * row));  // alpha
    }
    const Result identity =
        run_vidconv({pair.first, "--raw", pair.second, "-y", "-o", path("out.raw"), "--format",
                     "raw", "--kernel", "identity", "--variant", "reference"});
    EXPECT_TRUE(succeeded(identity));
    EXPECT_EQ(read_file(path("out.raw")), kept);
  }
}

TEST_F(Hiding, BoxesAreHeld) {
  const std::string two = boxes(
      "{\"frame\": 2, \"id\": 1, \"box\": [10, 8, 16, 12]}\n"
      "{\"frame\": 3, \"id\": 1, \"box\": [20, 8, 16, 12]}\n");
  const auto frames = [&](const std::string& options) {
    const Result result = filter("mosaic:size=4", {"--regions", two + options});
    EXPECT_TRUE(succeeded(result)) << result.err;
    return parse_digests(result.out).frames;
  };
  const auto region = [&](const std::string& place) {
    return parse_digests(filter("mosaic:size=4:region=" + place).out).frames;
  };
  const auto none = parse_digests(filter("identity").out).frames;
  const auto first = region("10,8,16,12"), last = region("20,8,16,12"), both = region("10,8,26,12");
  EXPECT_EQ(frames(""), (std::vector{none[0], none[1], first[2], last[3], none[4], none[5]}));
  EXPECT_EQ(frames(":hold=1"),
            (std::vector{none[0], first[1], first[2], last[3], last[4], none[5]}));
  EXPECT_EQ(frames(":hold=0.08s"),
            (std::vector{first[0], first[1], first[2], last[3], last[4], last[5]}));
  EXPECT_EQ(frames(":hold=40ms"), frames(":hold=1"));
  EXPECT_EQ(frames(":grow=0%,1"),
            (std::vector{none[0], first[1], both[2], both[3], last[4], none[5]}));
  EXPECT_EQ(frames(":grow=0%,40ms"), frames(":grow=0%,1"));
}

TEST_F(Hiding, BoxesWithoutAFilterHaveADefault) {
  const std::string lines = boxes(
      "{\"frame\": 0, \"box\": [10, 8, 16, 12]}\n"
      "{\"frame\": 0, \"box\": [40, 30, 9, 9], \"filter\": 1}\n");
  const auto first_frame = [](const Result& result) {
    EXPECT_TRUE(succeeded(result));
    return parse_digests(result.out).frames.at(0);
  };
  const std::string wanted = first_frame(
      filter("mosaic:size=4:region=40,30,9,9", {"--kernel", "fill:red:region=10,8,16,12"}));
  EXPECT_EQ(first_frame(filter("mosaic:size=4", {"--kernel", "fill:red", "--regions", lines,
                                                 "--regions-default", "2"})),
            wanted);
  EXPECT_EQ(
      first_frame(filter("mosaic:size=4", {"--regions", lines, "--regions-default", "fill:red"})),
      wanted);
}

// A point of light becomes what the picture shows, on luma as it is, on chroma half as large.
TEST_F(Hiding, APictureIsAPointSpread) {
  const std::string spread =
      write("spread.pgm",
            std::string("P5 3 3 255\n") + std::string("\xFF\x00\x00\x00\x00\x00\x00\x00\x00", 9));
  std::string picture(9 * 9, '\0');
  picture[4 * 9 + 4] = '\xFF';
  const std::string point = write("point.raw", picture);
  const auto lit = [&](const std::string& more) {
    const Result result = run_vidconv({point, "--raw", "9x9:gray", "-y", "-o", path("out.raw"),
                                       "--format", "raw", "--kernel", "file:" + spread + more});
    EXPECT_TRUE(succeeded(result));
    return read_file(path("out.raw")).find('\xFF');
  };
  EXPECT_EQ(lit(""), 3u * 9 + 3);
  EXPECT_EQ(lit(":flip=1"), 5u * 9 + 5);
  EXPECT_EQ(lit(":units=plane"), 5u * 9 + 5);  // as a matrix: correlation

  ffmpeg("-f lavfi -i color=white:s=5x5,format=gray -frames:v 1 " + path("box.png"));
  const std::string box = filter("box:size=5").out;
  EXPECT_EQ(filter("file:" + path("box.png")).out, box);
  EXPECT_NE(filter("file:" + path("box.png") + ":units=plane").out, box);
  for (const char* name : {"box.jpg", "box.bmp", "box.tiff", "box.webp"}) {
    const Result made =
        shell("ffmpeg -v error -y -i " + path("box.png") + " -frames:v 1 " + path(name));
    if (made.exit_code != 0) continue;  // an FFmpeg without that encoder
    EXPECT_EQ(filter("file:" + path(name)).out, box) << name;
  }
  ffmpeg("-f lavfi -i testsrc=s=8x8 -frames:v 1 -pix_fmt rgb24 " + path("colour.bmp"));
  EXPECT_TRUE(refused(filter("file:" + path("colour.bmp")), exit_command_line,
                      {"column 6", "colour.bmp", "in colour"}));
  write("cut.jpg", "\xFF\xD8\xFF\xE0 and nothing else");
  EXPECT_TRUE(
      refused(filter("file:" + path("cut.jpg")), exit_command_line, {"cut.jpg", "cannot read"}));
}

TEST_F(Hiding, ReportsAndGalleriesShowNothingHidden) {
  const auto report = [&](const std::string& kernel, const Arguments& more = {}) {
    Arguments all{"pattern:64x48@25#3", "-y",   "-o",       path("out.mkv"),
                  "--kernel",           kernel, "--report", path("page.html")};
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_TRUE(succeeded(run_vidconv(all)));
    return read_file(path("page.html")).find("\"before\":null") != std::string::npos;
  };
  EXPECT_FALSE(report("gaussian"));
  for (const char* kernel : {"gaussian:region=0,0,9,9", "mosaic", "fill:black"}) {
    EXPECT_TRUE(report(kernel)) << kernel;
    EXPECT_FALSE(report(kernel, {"--show-originals"})) << kernel;
  }
  // Each tile shows one filter, and what the others hide stays so.
  const auto tiles_are_alike = [&](const Arguments& more) {
    Arguments all{"pattern:64x48@25#3",
                  "-y",
                  "-o",
                  path("sheet.png"),
                  "--gallery",
                  "--kernel",
                  "fill:black:region=0,0,50%,100%",
                  "--kernel",
                  "fill:white:region=50%,0,50%,100%"};
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_TRUE(succeeded(run_vidconv(all)));
    const auto tile = [&](int x) {
      const std::string name = path("tile" + std::to_string(x) + ".png");
      ffmpeg("-y -i " + path("sheet.png") + " -vf crop=64:48:" + std::to_string(x) + ":25 " + name);
      return judge_digests(name).all;
    };
    return tile(8) == tile(336);
  };
  EXPECT_TRUE(tiles_are_alike({}));
  EXPECT_FALSE(tiles_are_alike({"--show-originals"}));
  EXPECT_TRUE(refused(filter("box", {"--show-originals"}), exit_command_line, {"--report"}));
}

TEST_F(Hiding, WhatCannotBeIsRefusedWithItsColumn) {
  for (const auto& [kernel, words] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"mosaic:size=0", {"column 13", "size", "1"}},
           {"mosaic:size=5000", {"column 13", "4096"}},
           {"mosaic:size=4.5", {"column 13", "whole"}},
           {"mosaic:size=-3", {"column 13"}},
           {"mosaic:size=big", {"column 13"}},
           {"mosaic:16", {"column 8", "size=16"}},
           {"mosaic:block=8", {"column 8", "block"}},
           {"mosaic:size=8:size=9", {"column 15", "already"}},
           {"mosaic:size=8:scale=2", {"column 15", "scale", "none"}},
           {"mosaic:size=8:anchor=1,1", {"column 15", "anchor", "none"}},
           {"mosaic:bias=0.5:size=8", {"column 8", "bias"}},
           {"mosaic:size=8..4@10", {"column"}},
           {"fill", {"column 5", "':'"}},
           {"fill:", {"column 6", "colour"}},
           {"fill:blak", {"column 6", "black"}},
           {"fill:#12345", {"column 6", "#rrggbb"}},
           {"fill:#1234567", {"column 6", "#rrggbb"}},
           {"fill:#gggggg", {"column 6", "#rrggbb"}},
           {"fill:0x12", {"column 6", "#rrggbb"}},
           {"fill:12,13,14", {"column 6", "no colour"}},
           {"fill:black:scale=2", {"column 12", "scale"}},
           {"fill:black:rotate=90", {"column 12", "rotate"}},
           {"fill:black:ease=in", {"column", "ease"}},
           {"fill:black:colour=white", {"column 12", "colour"}},
           {"gaussian:mask=edges:fill", {"column"}},
           {"gaussian:mask=edges:(fill:black)", {"column 22", "look at the picture"}},
           {"gaussian:units=luma", {"column 10", "units"}},
           {"row:1 2 1:units=plane", {"column 11", "picture"}}})
    EXPECT_TRUE(refused(filter(kernel), exit_command_line, words)) << kernel;
}

TEST_F(Hiding, WhatBoxesCannotBeIsRefused) {
  const std::string one = boxes("{\"frame\": 0, \"box\": [1, 1, 9, 9]}\n");
  for (const auto& [options, words] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {":hold=", {"hold", "frames"}},
           {":hold=-1", {"hold"}},
           {":hold=1.5", {"hold", "0.5s"}},
           {":hold=1h", {"hold"}},
           {":hold=5s5", {"hold"}},
           {":hold=99999s", {"hold"}},
           {":hold=1:holds=5", {"column", "hold"}},
           {":grow=5,5", {"grow"}},
           {":grow=15", {"grow", "percentage"}},
           {":grow=-5%", {"grow"}},
           {":grow=5%,", {"grow"}},
           {":grow=5%,x", {"grow"}},
           {":grow=5s,5%", {"grow"}},
           {":grow=0.5s", {}}}) {
    const Result result = filter("box", {"--regions", one + options});
    if (words.empty())
      EXPECT_TRUE(succeeded(result)) << options;
    else
      EXPECT_TRUE(refused(result, exit_command_line, words)) << options;
  }
  const auto with_default = [&](const std::string& text, const std::string& kernel = "box") {
    return filter(kernel, {"--regions", one, "--regions-default", text});
  };
  for (const char* text : {"0", "2", "99999999999999999999", "-1", "gaussian:sigma=x", "nothing",
                           "fill:black:region=0,0,5,5", "mosaic:size=0"})
    EXPECT_TRUE(refused(with_default(text), exit_command_line, {"--regions-default"})) << text;
  EXPECT_TRUE(
      refused(with_default("1", "box:region=0,0,5,5"), exit_command_line, {"place of its own"}));
  EXPECT_TRUE(refused(filter("box", {"--regions-default", "1"}), exit_command_line, {"--regions"}));
}

}  // namespace
}  // namespace vidconv::test
