#include "pipeline/av/format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

extern "C" {
#include <libavutil/imgutils.h>
}

#include "pipeline/av/convert/convert.h"
#include "pipeline/av/frame_layout.h"
#include "tests/sample_types.h"

namespace vidconv {
namespace {

TEST(Format, SaysWhatFfmpegSays) {
  for (const PixelFormat& format : formats()) {
    SCOPED_TRACE(format.name);
    EXPECT_EQ(av_get_pix_fmt(format.name.c_str()), format.id);
    EXPECT_EQ(find_format(format.id), &format);
    for (const auto& [width, height] : {std::pair{1, 1}, {7, 5}, {16, 16}, {33, 2}})
      EXPECT_EQ(packed_bytes(format, width, height),
                static_cast<std::size_t>(av_image_get_buffer_size(format.id, width, height, 1)));
  }
}

// Copying every component copies the picture: no byte of a row is left out or belongs to two.
TEST(Format, ComponentsCoverEveryByteOnce) {
  for (const PixelFormat& format : formats())
    for (const int width : {1, 2, 5, 6, 8}) {
      SCOPED_TRACE(format.name + " " + std::to_string(width));
      for (int p = 0; p < format.planes; ++p) {
        std::multiset<std::size_t> bytes;
        for (const Component& c : format.components) {
          if (c.plane != p) continue;
          for (int x = 0; x < format.width_of(c, width); ++x)
            for (int b = 0; b < c.sample.bytes(); ++b)
              bytes.insert(static_cast<std::size_t>(format.offset_of(c, width) +
                                                    x * c.step * c.sample.bytes() + b));
        }
        EXPECT_EQ(bytes.size(), format.row_bytes(p, width));
        EXPECT_EQ(std::set<std::size_t>(bytes.begin(), bytes.end()).size(), bytes.size());
        EXPECT_EQ(*bytes.rbegin(), format.row_bytes(p, width) - 1);
      }
    }
}

TEST(Format, WhatCannotBeConvertedIsNamed) {
  FramePtr frame = make_frame();
  frame->format = AV_PIX_FMT_VAAPI;
  frame->width = 16;
  frame->height = 8;
  Converter converter(*find_format(AV_PIX_FMT_RGB24), AVCOL_RANGE_UNSPECIFIED,
                      AVCOL_SPC_UNSPECIFIED, plain_memory);
  try {
    converter.convert(*frame);
    ADD_FAILURE() << "converted";
  } catch (const Error& error) {
    EXPECT_EQ(error.value().text(), "vaapi 16x8 to rgb24");
  }
}

// The kernels' tests go through all the kinds of samples that there are.
TEST(Format, EveryKindOfSampleIsTested) {
  for (const PixelFormat& format : formats())
    for (const Component& c : format.components)
      EXPECT_NE(std::ranges::find(test::all_sample_types, c.sample),
                std::end(test::all_sample_types))
          << format.name << ": " << c.sample.depth << " bits, shift " << c.sample.shift;
}

// Every format of libavutil is in the table, or has a reason to tell people. Nothing is forgotten.
TEST(Format, EveryFormatIsInTheTableOrSaysWhyNot) {
  const AVPixFmtDescriptor* desc = nullptr;
  while ((desc = av_pix_fmt_desc_next(desc))) {
    SCOPED_TRACE(desc->name);
    const AVPixelFormat id = av_pix_fmt_desc_get_id(desc);
    const std::string why = why_not_filtered(id);
    EXPECT_EQ(find_format(id) != nullptr, why.empty()) << why;
    if (!why.empty() && !(desc->flags & AV_PIX_FMT_FLAG_HWACCEL)) {
      EXPECT_EQ(why_not_filtered(nearest_format(id).id), "");
    }
  }
}

// Planar and grey words of 8 to 16 bits in native order are read off the descriptor by other rules
// than the table's; other formats are promised by name.
TEST(Format, NothingThatFitsIsMissing) {
  const AVPixFmtDescriptor* desc = nullptr;
  while ((desc = av_pix_fmt_desc_next(desc))) {
    const std::string name = desc->name;
    const bool one_word_a_sample = desc->comp[0].step == (desc->comp[0].depth > 8 ? 2 : 1);
    const bool grey = desc->nb_components == 1;
    if (desc->comp[0].depth < 8 || desc->comp[0].depth > 16 || !one_word_a_sample) continue;
    if (!(desc->flags & AV_PIX_FMT_FLAG_PLANAR) && !grey) continue;
    if (desc->flags & (AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL |
                       AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT))
      continue;
    if (name.starts_with("yuvj")) continue;
    EXPECT_NE(find_format(av_get_pix_fmt(desc->name)), nullptr) << name;
  }
  for (const char* name :
       {"nv12",    "nv21",    "nv16",      "nv24",   "nv42",     "nv20",    "p010",    "p016",
        "p210",    "p216",    "p410",      "p416",   "rgb24",    "bgr24",   "rgba",    "bgra",
        "argb",    "abgr",    "rgb48",     "bgr48",  "rgba64",   "bgra64",  "yuyv422", "uyvy422",
        "yvyu422", "0rgb",    "rgb0",      "0bgr",   "bgr0",     "grayf32", "gbrpf32", "gbrapf32",
        "ya8",     "ya16",    "y210",      "ayuv64", "yuv420p9", "gray14",  "yuv410p", "gbrp14",
        "gray9",   "yuv440p", "yuva422p12"})
    EXPECT_NE(find_format(av_get_pix_fmt(name)), nullptr) << name;
}

TEST(Format, SaysWhatIsWrongWithTheOthers) {
  const auto says = [](AVPixelFormat id, const char* words) {
    return why_not_filtered(id).find(words) != std::string::npos;
  };
  EXPECT_TRUE(says(AV_PIX_FMT_PAL8, "palette"));
  EXPECT_TRUE(says(AV_PIX_FMT_RGB565, "8 to 16 bits"));
  EXPECT_TRUE(says(AV_PIX_FMT_X2RGB10, "words of their own"));
  EXPECT_TRUE(says(AV_PIX_FMT_UYYVYY411, "words of their own"));
  EXPECT_TRUE(says(AV_PIX_FMT_MONOBLACK, "8 to 16 bits"));
  EXPECT_TRUE(says(AV_PIX_FMT_XYZ12, "XYZ"));
  EXPECT_TRUE(says(AV_PIX_FMT_BAYER_BGGR8, "Bayer"));
  EXPECT_TRUE(says(AV_PIX_FMT_YUVJ420P, "yuv420p"));
  EXPECT_TRUE(says(AV_PIX_FMT_VAAPI, "device"));
  EXPECT_TRUE(says(AV_PIX_FMT_NONE, "know"));
  EXPECT_TRUE(says(av_pix_fmt_swap_endianness(AV_PIX_FMT_GRAY12),
                   find_format(AV_PIX_FMT_GRAY12)->name.c_str()));
}

TEST(Format, EveryFormatOfTheTableHasItsSwappedTwin) {
  for (const PixelFormat& format : formats())
    if (const AVPixelFormat twin = av_pix_fmt_swap_endianness(format.id); twin != AV_PIX_FMT_NONE) {
      EXPECT_EQ(find_format(twin), nullptr);
      EXPECT_EQ(find_swapped(twin), &format);
      EXPECT_EQ(&nearest_format(twin), &format);
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
  EXPECT_EQ(kinds(AV_PIX_FMT_YA8), (std::vector{Kind::luma, Kind::alpha}));
  EXPECT_EQ(kinds(AV_PIX_FMT_0RGB),
            (std::vector{Kind::colour, Kind::colour, Kind::colour, Kind::padding}));
  EXPECT_EQ(kinds(AV_PIX_FMT_YUYV422),
            (std::vector{Kind::luma, Kind::chroma, Kind::chroma, Kind::padding}));
}

TEST(Format, NearestKeepsDepthAndAlpha) {
  EXPECT_EQ(nearest_format(AV_PIX_FMT_PAL8).components.size(), 4u);
  EXPECT_EQ(nearest_format(AV_PIX_FMT_UYYVYY411).id, AV_PIX_FMT_YUV411P);
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
