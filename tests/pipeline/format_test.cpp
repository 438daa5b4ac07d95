#include "pipeline/format.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

extern "C" {
#include <libavutil/imgutils.h>
}

namespace vidconv {
namespace {

TEST(Format, SaysWhatFfmpegSays) {
  for (const PixelFormat& format : formats()) {
    SCOPED_TRACE(format.name);
    EXPECT_EQ(av_get_pix_fmt(format.name.c_str()), format.id);
    EXPECT_EQ(find_format(format.id), &format);
    for (const auto& [width, height] : {std::pair{1, 1}, {7, 5}, {16, 16}, {33, 2}})
      EXPECT_EQ(format.packed_bytes(width, height),
                static_cast<std::size_t>(av_image_get_buffer_size(format.id, width, height, 1)));
  }
}

// Copying every component copies the picture: no byte of a row is left out or belongs to two.
TEST(Format, ComponentsCoverEveryByteOnce) {
  constexpr int width = 6;
  for (const PixelFormat& format : formats()) {
    SCOPED_TRACE(format.name);
    for (int p = 0; p < format.planes; ++p) {
      std::multiset<std::size_t> bytes;
      for (const Component& c : format.components) {
        if (c.plane != p) continue;
        for (int x = 0; x < format.width_of(c, width); ++x)
          for (int b = 0; b < c.sample.bytes(); ++b)
            bytes.insert(static_cast<std::size_t>(c.offset + x * c.step * c.sample.bytes() + b));
      }
      EXPECT_EQ(bytes.size(), format.row_bytes(p, width));
      EXPECT_EQ(std::set<std::size_t>(bytes.begin(), bytes.end()).size(), bytes.size());
      EXPECT_EQ(*bytes.rbegin(), format.row_bytes(p, width) - 1);
    }
  }
}

TEST(Format, KnowsNv12AndP010) {
  const PixelFormat& nv12 = *find_format(AV_PIX_FMT_NV12);
  ASSERT_EQ(nv12.components.size(), 3u);
  EXPECT_EQ(nv12.components[2].name, 'V');
  EXPECT_EQ(nv12.components[2].plane, 1);
  EXPECT_EQ(nv12.components[2].offset, 1);
  EXPECT_EQ(nv12.components[2].step, 2);
  EXPECT_EQ(nv12.components[2].subsampling, (Subsampling{2, 2}));
  const PixelFormat& p010 = *find_format(AV_PIX_FMT_P010);
  EXPECT_EQ(p010.components[0].sample, (SampleType{Storage::u16, 10, 6}));
}

TEST(Format, KindsOfComponents) {
  using Kind = Component::Kind;
  const auto kinds = [](AVPixelFormat id) {
    std::vector<Kind> all;
    for (const Component& c : find_format(id)->components) all.push_back(c.kind);
    return all;
  };
  EXPECT_EQ(kinds(AV_PIX_FMT_GRAY8), (std::vector{Kind::luma}));
  EXPECT_EQ(kinds(AV_PIX_FMT_YUVA420P),
            (std::vector{Kind::luma, Kind::chroma, Kind::chroma, Kind::alpha}));
  EXPECT_EQ(kinds(AV_PIX_FMT_ARGB),
            (std::vector{Kind::colour, Kind::colour, Kind::colour, Kind::alpha}));
}

TEST(Format, NearestKeepsDepthAndAlpha) {
  EXPECT_EQ(nearest_format(AV_PIX_FMT_PAL8).components.size(), 4u);
  EXPECT_EQ(nearest_format(AV_PIX_FMT_YUYV422).id, AV_PIX_FMT_YUV422P);
  EXPECT_EQ(nearest_format(AV_PIX_FMT_YUV420P10BE).id, AV_PIX_FMT_YUV420P10);
  EXPECT_GE(nearest_format(AV_PIX_FMT_YUV422P14).components[0].sample.depth, 14);
}

TEST(Format, FullRangeLeavesTheName) {
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  EXPECT_EQ(without_range(AV_PIX_FMT_YUVJ422P, range), AV_PIX_FMT_YUV422P);
  EXPECT_EQ(range, AVCOL_RANGE_JPEG);
  range = AVCOL_RANGE_MPEG;
  EXPECT_EQ(without_range(AV_PIX_FMT_YUV420P10, range), AV_PIX_FMT_YUV420P10);
  EXPECT_EQ(range, AVCOL_RANGE_MPEG);
}

}  // namespace
}  // namespace vidconv
