// Tests GIF's palettes.
#include "pipeline/encode/palette.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/pipeline/support/support.h"

namespace vidconv::test {
namespace {

using Colour = std::array<std::uint8_t, 4>;  // R G B A

FramePtr picture(int width, int height, auto&& colour_at) {
  FramePool pool(packed_layout(*find_format(AV_PIX_FMT_RGBA), width, height), plain_memory);
  FramePtr frame = pool.get();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const Colour colour = colour_at(x, y);
      std::copy(colour.begin(), colour.end(), frame->data[0] + frame->linesize[0] * y + 4 * x);
    }
  return frame;
}

Colour shown(const AVFrame& frame, int x, int y) {
  std::uint32_t colour;
  std::memcpy(&colour, frame.data[1] + 4 * frame.data[0][frame.linesize[0] * y + x], 4);
  return {static_cast<std::uint8_t>(colour >> 16), static_cast<std::uint8_t>(colour >> 8),
          static_cast<std::uint8_t>(colour), static_cast<std::uint8_t>(colour >> 24)};
}

TEST(Palette, AsManyColoursAsThereIsRoomForAreKept) {
  for (const int colours : {1, 2, 255, 256}) {
    const auto colour_at = [&](int x, int y) {
      const int i = (x + 37 * y) % colours;
      return Colour{static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i * 7),
                    static_cast<std::uint8_t>(255 - i), 255};
    };
    const FramePtr from = picture(41, 23, colour_at);
    const FramePtr to = PaletteMaker().reduce(*from);
    for (int y = 0; y < 23; ++y)
      for (int x = 0; x < 41; ++x) ASSERT_EQ(shown(*to, x, y), colour_at(x, y)) << x << "," << y;
  }
}

// libavcodec's encoder takes the former picture's indices for those of the first palette.
TEST(Palette, TheFirstOneDoesNotComeBackAfterAnother) {
  for (const int colours : {2, 254, 255, 256}) {
    const auto colour_at = [&](int other) {
      return [=](int x, int y) {
        return Colour{static_cast<std::uint8_t>((x + 16 * y) % colours),
                      static_cast<std::uint8_t>(other), 9, 255};
      };
    };
    const auto palette = [](const AVFrame& frame) {
      return std::vector<std::uint8_t>(frame.data[1], frame.data[1] + 1024);
    };
    PaletteMaker maker;
    const FramePtr first = maker.reduce(*picture(16, 16, colour_at(1)));
    EXPECT_EQ(palette(*maker.reduce(*picture(16, 16, colour_at(1)))), palette(*first));
    maker.reduce(*picture(16, 16, colour_at(2)));
    const FramePtr back = maker.reduce(*picture(16, 16, colour_at(1)));
    EXPECT_NE(palette(*back), palette(*first)) << colours;
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x) ASSERT_EQ(shown(*back, x, y), colour_at(1)(x, y));
  }
}

TEST(Palette, LessThanHalfOpaqueIsTransparent) {
  for (const bool many : {false, true}) {
    const auto colour_at = [&](int x, int y) {
      return Colour{static_cast<std::uint8_t>(many ? 3 * x : 7), static_cast<std::uint8_t>(4 * y),
                    90, static_cast<std::uint8_t>(x < 10 ? 127 : 128)};
    };
    const FramePtr to = PaletteMaker().reduce(*picture(60, 60, colour_at));
    for (int y = 0; y < 60; ++y)
      for (int x = 0; x < 60; ++x) ASSERT_EQ(shown(*to, x, y)[3], x < 10 ? 0 : 255);
  }
}

TEST(Palette, ManyColoursComeClose) {
  // The picture is a whole plane of the cube of colours: 65536, of which 256 are to be chosen.
  const auto colour_at = [](int x, int y) {
    return Colour{static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y),
                  static_cast<std::uint8_t>((x + y) / 2), 255};
  };
  const FramePtr to = PaletteMaker().reduce(*picture(256, 256, colour_at));
  std::set<Colour> used;
  double error = 0;
  for (int y = 0; y < 256; ++y)
    for (int x = 0; x < 256; ++x) {
      const Colour is = shown(*to, x, y), was = colour_at(x, y);
      used.insert(is);
      for (std::size_t c = 0; c < 3; ++c) error += std::pow(is[c] - was[c], 2);
    }
  EXPECT_GT(used.size(), 200u);
  EXPECT_LE(used.size(), 256u);
  // Squares of 16x16 codes, each of one colour, are 4.6 off on average; the dither adds as much.
  EXPECT_LT(std::sqrt(error / (256 * 256 * 3)), 10);
}

TEST(Palette, FlatPartsStandStill) {
  const auto colour_at = [](int x, int y) {
    return Colour{static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y), 0, 255};
  };
  PaletteMaker maker;
  const FramePtr from = picture(200, 200, colour_at);
  const FramePtr once = maker.reduce(*from), again = maker.reduce(*from);
  for (int y = 0; y < 200; ++y)
    ASSERT_EQ(std::memcmp(once->data[0] + once->linesize[0] * y,
                          again->data[0] + again->linesize[0] * y, 200),
              0);
}

TEST(Palette, GifsOfFewColoursComeThroughUnchanged) {
  const TempDir dir;
  // FFmpeg quantises the pattern: 256 colours in each frame.
  output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=10:d=0.6 -filter_complex "
      "'split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1' " +
      dir / "in.gif");
  convert(dir / "in.gif", dir / "out.gif", {"identity"});
  const auto hashes = [&](const std::string& name) {
    return output_of("ffmpeg -v error -i " + dir / name + " -pix_fmt rgba -f framemd5 -");
  };
  EXPECT_EQ(hashes("in.gif"), hashes("out.gif"));
  EXPECT_NE(hashes("out.gif").find("5,"), std::string::npos);
}

}  // namespace
}  // namespace vidconv::test
