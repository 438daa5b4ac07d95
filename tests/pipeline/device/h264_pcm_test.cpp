// Tests the writer of uncompressed H.264 that NVENC's double is made of: libavcodec gives back what
// was written.
#include "tests/doubles/h264_pcm.h"

#include <gtest/gtest.h>

#include "tests/pipeline/support/support.h"
#include "tests/support/thinning.h"

namespace vidconv::test {
namespace {

// Returns noise with runs of zeros and ones in it, which need bytes of emulation prevention.
PcmPlanes picture(const PcmVideo& video, unsigned seed) {
  PcmPlanes planes;
  for (std::size_t p = 0; p < 3; ++p) {
    const int by = p == 0 || video.full_chroma ? 1 : 2;
    planes[p].resize(static_cast<std::size_t>(video.width / by * (video.height / by)));
    for (std::uint16_t& sample : planes[p]) {
      seed = seed * 1664525 + 1013904223;
      sample = static_cast<std::uint16_t>(seed >> 30 == 0 ? (seed >> 16) & ((1u << video.depth) - 1)
                                                          : (seed >> 28) & 1);
    }
  }
  return planes;
}

std::string packed(const PcmVideo& video, const PcmPlanes& planes) {
  std::string bytes;
  for (const auto& plane : planes)
    for (const std::uint16_t sample : plane) {
      bytes += static_cast<char>(sample & 0xff);
      if (video.depth > 8) bytes += static_cast<char>(sample >> 8);
    }
  return bytes;
}

void expect_same(const PcmVideo& video, const std::vector<int>& order) {
  std::vector<std::string> shown(order.size());
  std::string stream = pcm_headers(video);
  int references = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool reference = i == 0 || order[i] > order[i - 1];
    const PcmPlanes planes = picture(video, static_cast<unsigned>(order[i]) + 1);
    shown[static_cast<std::size_t>(order[i])] = packed(video, planes);
    stream += pcm_picture(video, {i == 0, reference, references, order[i]}, planes);
    references += reference;
  }
  const TempDir dir;
  write_file(dir / "a.h264", stream);
  const Contents contents = read_all(dir / "a.h264");
  EXPECT_FALSE(contents.damage.any()) << contents.damage.first_error;
  EXPECT_TRUE(contents.pictures == shown)
      << video.width << "x" << video.height << " of " << video.depth << " bits";
}

TEST(H264Pcm, EverySizeAndFormat) {
  for (const int depth : {8, 10})
    for (const bool full_chroma : {false, true})
      for (int width = 1; width <= 40; ++width) {
        if (!is_taken(static_cast<std::size_t>(width / 2 + depth / 2), 3)) continue;
        for (const int height : {width, 41 - width, 17, 18}) {
          if (!full_chroma && (width % 2 != 0 || height % 2 != 0)) continue;
          expect_same({width, height, full_chroma, depth}, {0, 1});
        }
      }
}

TEST(H264Pcm, OrderOfDisplay) {
  expect_same({.width = 32, .height = 16, .reorder = 1}, {0, 3, 1, 2, 6, 4, 5, 7});
}

TEST(H264Pcm, Colours) {
  const PcmVideo video{.width = 16,
                       .height = 16,
                       .full_range = true,
                       .primaries = AVCOL_PRI_BT709,
                       .transfer = AVCOL_TRC_SMPTE170M,
                       .matrix = AVCOL_SPC_BT470BG};
  const TempDir dir;
  write_file(dir / "a.h264",
             pcm_headers(video) + pcm_picture(video, {.idr = true}, picture(video, 1)));
  const auto source = open_source(dir / "a.h264", {});
  EXPECT_EQ(source->video().range, AVCOL_RANGE_JPEG);
  EXPECT_EQ(source->video().primaries, AVCOL_PRI_BT709);
  EXPECT_EQ(source->video().transfer, AVCOL_TRC_SMPTE170M);
  EXPECT_EQ(source->video().matrix, AVCOL_SPC_BT470BG);
}

}  // namespace
}  // namespace vidconv::test
