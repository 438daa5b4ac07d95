#include "pipeline/av/convert/frame_converter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/av/frame_layout.h"
#include "pipeline/av/pool.h"

namespace vidconv {
namespace {

using Kind = Component::Kind;

struct Matrix {
  AVColorSpace name;
  double kr, kb;
};
constexpr Matrix matrices[] = {{AVCOL_SPC_BT709, 0.2126, 0.0722},
                               {AVCOL_SPC_SMPTE170M, 0.299, 0.114},
                               {AVCOL_SPC_BT2020_NCL, 0.2627, 0.0593}};

double get(const Frame& frame, std::size_t i, int x, int y) {
  const ConstBytePlane plane = frame.component(i);
  const SampleType& sample = frame.format().components[i].sample;
  const auto at = static_cast<std::ptrdiff_t>(x) * plane.step;
  if (sample.storage == Storage::f32)
    return static_cast<double>(plane.as<const float>().row(y)[at]);
  if (sample.storage == Storage::u8) return plane.as<const std::uint8_t>().row(y)[at];
  return plane.as<const std::uint16_t>().row(y)[at] >> sample.shift;
}

void set(Frame& frame, std::size_t i, double value) {
  const BytePlane plane = frame.component(i);
  const SampleType& sample = frame.format().components[i].sample;
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x) {
      const auto at = static_cast<std::ptrdiff_t>(x) * plane.step;
      if (sample.storage == Storage::f32)
        plane.as<float>().row(y)[at] = static_cast<float>(value);
      else if (sample.storage == Storage::u8)
        plane.as<std::uint8_t>().row(y)[at] = static_cast<std::uint8_t>(value);
      else
        plane.as<std::uint16_t>().row(y)[at] =
            static_cast<std::uint16_t>(static_cast<int>(value) << sample.shift);
    }
}

// One colour, in the codes of a format and as it is meant.
struct Colour {
  double red = 0, green = 0, blue = 0, alpha = 1;
  double grey(const Matrix& m) const {
    return m.kr * red + (1 - m.kr - m.kb) * green + m.kb * blue;
  }
};

// Fills the frame with codes near to the wanted parts of their range, and returns the colour.
Colour fill(Frame& frame, std::array<double, 4> parts, bool full, const Matrix& m) {
  std::array<double, 3> signals{};
  std::size_t n = 0;
  Colour colour;
  bool yuv = false;
  for (std::size_t i = 0; i < frame.format().components.size(); ++i) {
    const Component& c = frame.format().components[i];
    const bool real = c.sample.storage == Storage::f32;
    const double max = c.sample.max(), eighth = real ? 0 : std::ldexp(1, c.sample.depth - 8);
    const double code = real ? parts[n % 4] : std::floor(parts[n % 4] * max);
    set(frame, i, code);
    if (c.kind == Kind::padding) continue;
    ++n;
    if (c.kind == Kind::alpha) {
      colour.alpha = code / max;
    } else if (c.kind == Kind::chroma) {
      yuv = true;
      signals[n - 1] = (code - std::ldexp(1, c.sample.depth - 1)) / (full ? max : 224 * eighth);
    } else {
      signals[n - 1] = full || real ? code / max : (code - 16 * eighth) / (219 * eighth);
    }
  }
  if (yuv) {
    colour.red = signals[0] + 2 * (1 - m.kr) * signals[2];
    colour.blue = signals[0] + 2 * (1 - m.kb) * signals[1];
    colour.green = (signals[0] - m.kr * colour.red - m.kb * colour.blue) / (1 - m.kr - m.kb);
  } else if (frame.format().components[0].kind == Kind::luma) {
    colour.red = colour.green = colour.blue = signals[0];
  } else {
    colour = {signals[0], signals[1], signals[2], colour.alpha};
  }
  return colour;
}

void check(const Frame& from, const Colour& colour, const VideoInfo& video, const Matrix& m,
           const PixelFormat& to) {
  FrameConverter converter(video, to, 2);
  const Frame made = converter.convert(from);
  ASSERT_EQ(&made.format(), &to);
  EXPECT_EQ(made.number(), from.number());
  EXPECT_EQ(made.av().pts, from.av().pts);
  std::size_t n = 0;

  for (std::size_t i = 0; i < to.components.size(); ++i) {
    const Component& c = to.components[i];

    const double grey = colour.grey(m);
    const double wanted = c.kind == Kind::luma ? grey
                          : c.kind == Kind::colour
                              ? std::array{colour.red, colour.green, colour.blue}[n++]
                          : c.kind == Kind::alpha ? colour.alpha
                                                  : 0;
    if (c.kind == Kind::padding) continue;
    const bool real = c.sample.storage == Storage::f32;
    const double max = c.sample.max(), signal = std::clamp(wanted, 0.0, 1.0);
    for (const auto& [x, y] : {std::pair{0, 0}, {12, 8}, {5, 3}})
      EXPECT_NEAR(get(made, i, x, y), signal * max, real ? 2e-6 : 0.5 + 2e-6 * max)
          << from.format().name << " to " << to.name << ", component " << i << " at " << x << ","
          << y;
  }
}

// Every format becomes every format of colours or grey, by each matrix and range, as near to real
// arithmetic as its codes allow.
TEST(FrameConverter, ColoursAreThoseOfRealArithmetic) {
  int ways = 0;
  for (const PixelFormat& from : formats()) {
    FramePool pool(aligned_layout(from, 13, 9), plain_memory);
    for (const bool full : {false, true}) {
      const Matrix& m = matrices[static_cast<std::size_t>(ways) % std::size(matrices)];
      VideoInfo video;
      video.format = &from;
      video.width = 13;
      video.height = 9;
      video.range = full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
      video.matrix = m.name;
      Frame frame(pool.get(), 7);
      frame.av().pts = 1234;
      const Colour colour = fill(frame, {0.55, 0.4, 0.62, 0.3}, full, m);
      for (const PixelFormat& to : formats())
        if (ColourConverter::makes(to) && (&to != &from || !full)) {
          check(frame, colour, video, m, to);
          ++ways;
        }
    }
  }
  EXPECT_GT(ways, 4000);
}

TEST(FrameConverter, SharesWhatNeedsNoConversion) {
  const PixelFormat& yuv420p = *find_format(AV_PIX_FMT_YUV420P);
  FramePool pool(aligned_layout(yuv420p, 16, 16), plain_memory);
  VideoInfo video;
  video.format = &yuv420p;
  video.width = video.height = 16;
  const Frame frame(pool.get(), 0);
  FrameConverter converter(video, yuv420p, 1);
  EXPECT_EQ(converter.convert(frame).av().data[0], frame.av().data[0]);
}

TEST(FrameConverter, RefusesAMatrixWithoutAWay) {
  VideoInfo video;
  video.format = find_format(AV_PIX_FMT_YUV444P);
  video.width = video.height = 16;
  video.matrix = AVCOL_SPC_YCGCO;
  EXPECT_THROW(FrameConverter(video, *find_format(AV_PIX_FMT_RGB24), 1), Error);
  EXPECT_NO_THROW(FrameConverter(video, *find_format(AV_PIX_FMT_GRAY8), 1));
}

}  // namespace
}  // namespace vidconv
