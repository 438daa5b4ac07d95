// Impossible sizes, and sizes beyond the limit, are refused in one line before memory is allocated,
// and no output is left.
#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Size : public CliTest {
 protected:
  // Runs with 2 GB of address space, which the program itself needs.
  Result filter(const std::string& input, const std::string& options = "") const {
    return shell(limited() + vidconv() + " " + input + " --kernel box --threads 1 -o " +
                 path("out/a.mkv") + " " + options);
  }
  void TearDown() override {
    EXPECT_TRUE(left_over || std::filesystem::is_empty(path("out"))) << "something was left";
  }
  void SetUp() override { std::filesystem::create_directory(path("out")); }

  static std::string limited() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return "";  // the sanitizer's shadow memory does not fit
#else
    return "ulimit -v 2000000; ";
#endif
  }

  // Writes a y4m file with this header and many bytes.
  std::string y4m(const std::string& header) const {
    write_file(path("in.y4m"), "YUV4MPEG2 " + header + "\nFRAME\n" + std::string(300000, 'A'));
    return path("in.y4m");
  }

  bool left_over = false;
};

struct Header {
  std::string name, text;
  std::vector<std::string> parts;
};
void PrintTo(const Header& header, std::ostream* out) { *out << header.text; }

class Y4mHeader : public Size, public testing::WithParamInterface<Header> {};

TEST_P(Y4mHeader, IsRefused) {
  const std::string in = y4m(GetParam().text);
  for (const std::string& input : {in, "- <" + in, "<(cat " + in + ")"})
    for (const std::string options : {"", "--linear", "--compare side", "--verify"})
      EXPECT_TRUE(refused(filter(input, options), exit_input, GetParam().parts))
          << input << ' ' << options;
}

const std::string limit = "has more than 268435456 pixels; --max-pixels N";
const Header headers[] = {
    {"HeightOfInt", "W1 H2147483647 F25:1 C420jpeg", {"1x2147483647", limit, "[too-large]"}},
    {"AlmostAWord", "W2147483646 H2147483646", {"2147483646x2147483646", limit}},
    {"WrapsToLittle", "W65536 H65537", {"65536x65537", limit}},
    {"LongRow", "W268435456 H1", {"268435456x1", "larger than FFmpeg can hold", "[too-large]"}},
    {"Beyond64Bits", "W18446744073709551617 H16", {"W18446744073709551617", "not a width"}},
    {"LetterBehind", "W10x H16", {"'W10x' is not a width", "[input-unreadable]"}},
    {"Plus", "W16 H+5", {"'H+5' is not a height"}},
    {"Blank", "W 16 H16", {"'W' is not a width"}},
    {"Negative", "W16 H-16", {"16x-16", "no pixels"}},
    {"Nothing", "F25:1", {"no pixels"}},
    {"RateWithoutColon", "W16 H16 F25", {"'F25' is not a frame rate"}},
    {"RateOfNothing", "W16 H16 F25:0", {"'F25:0' is not a frame rate"}},
    {"AspectAndMore", "W16 H16 A1:1:1", {"'A1:1:1' is not an aspect ratio"}},
};
INSTANTIATE_TEST_SUITE_P(Table, Y4mHeader, testing::ValuesIn(headers),
                         [](const auto& instance) { return instance.param.name; });

TEST_F(Size, OfADescriptionIsACommandLine) {
  write_file(path("in.raw"), std::string(1000, 'A'));
  for (const std::string size : {"20000x20000", "99999999999999999999x2"}) {
    EXPECT_TRUE(refused(filter("pattern:" + size), exit_command_line, {limit, "[command-line]"}));
    EXPECT_TRUE(refused(filter(path("in.raw") + " --raw " + size + ":gray"), exit_command_line,
                        {limit, "[command-line]"}));
  }
  EXPECT_TRUE(refused(filter("pattern:16384x16384:rgba64le"), exit_command_line,
                      {"larger than FFmpeg can hold"}));
}

// Returns a GIF of 43 bytes with a picture of one pixel on a screen of this size.
std::string gif(unsigned width, unsigned height) {
  const auto word = [](unsigned n) {
    return std::string{static_cast<char>(n & 255), static_cast<char>(n >> 8)};
  };
  return "GIF89a" + word(width) + word(height) + std::string("\x80\0\0\0\0\0\xff\xff\xff", 9) +
         std::string("\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0;", 16);
}

TEST_F(Size, OfAGifIsKnownBeforeItIsDecoded) {
  write_file(path("large.gif"), gif(20000, 20000));
  write_file(path("in.gif"), gif(3000, 3000));
  EXPECT_TRUE(
      refused(filter(path("large.gif")), exit_input, {"20000x20000", limit, "[too-large]"}));
  EXPECT_TRUE(refused(filter("- <" + path("in.gif"), "--max-pixels 8999999"), exit_input,
                      {"3000x3000", "more than 8999999 pixels; --max-pixels N"}));
}

TEST_F(Size, OfEveryCodecIsLimited) {
  left_over = true;
  for (const std::string codec : {"png", "mjpeg", "libx264", "mpeg2video", "ffv1", "rawvideo"}) {
    SCOPED_TRACE(codec);
    ffmpeg("-f lavfi -i testsrc2=size=640x480:duration=0.08 -pix_fmt " +
           std::string(codec == "png" ? "rgb24" : "yuv420p") + " -strict unofficial -c:v " + codec +
           " -y " + path("in.mkv"));
    EXPECT_TRUE(refused(filter(path("in.mkv"), "--max-pixels 307199"), exit_input,
                        {"640x480", "more than 307199 pixels", "--max-pixels", "[too-large]"}));
    EXPECT_TRUE(std::filesystem::is_empty(path("out")));
    EXPECT_TRUE(succeeded(filter(path("in.mkv"), "--max-pixels 307200 -y")));
    std::filesystem::remove(path("out/a.mkv"));
  }
}

// Frames that were decoded before are kept.
TEST_F(Size, ThatGrowsMidstreamIsDamage) {
  left_over = true;
  std::string both;
  for (const std::string size : {"64x48", "640x480"}) {
    ffmpeg("-f lavfi -i testsrc2=size=" + size + ":duration=0.4 -c:v libx264 -bf 0 " +
           path(size + ".ts"));
    both += read_file(path(size + ".ts"));
  }
  write_file(path("in.ts"), both);
  const Result result = filter(path("in.ts"), "--max-pixels 10000 --codec ffv1");
  EXPECT_TRUE(refused(result, exit_damaged,
                      {"640x480 exceeds", "10000; --max-pixels N lets larger ones in"}));
  EXPECT_EQ(frame_times(path("out/a.mkv")).size(), 10U);
}

TEST_F(Size, OfAKernelPictureIsLimited) {
  write_file(path("k.pgm"), "P5 3 3 255\n" + std::string(9, '\x10'));
  write_file(path("large.pgm"), "P5 100000 100000 255\n");
  EXPECT_TRUE(refused(filter("pattern:64x48#1", "--max-pixels 8 --kernel file:" + path("k.pgm")),
                      exit_command_line, {"3x3", "more than the 8 pixels of --max-pixels"}));
  EXPECT_TRUE(refused(filter("pattern:64x48#1", "--kernel file:" + path("large.pgm")),
                      exit_command_line, {"100000x100000", "513x513"}));
}

// Only one frame beyond 512 MiB is in memory at a time: here three buffers instead of nine.
TEST_F(Size, ThatIsHugeTakesLittleMoreThanAPicture) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "its shadow does not fit";
#endif
  EXPECT_TRUE(succeeded(shell("ulimit -v 2700000; " + vidconv() +
                              " pattern:16384x16384:rgb24#2 --kernel identity --threads 1 --device "
                              "cpu -o null:")));
}

}  // namespace
}  // namespace vidconv::test
