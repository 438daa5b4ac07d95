// Interlaced pictures are filtered field by field: as if each field were a picture of its own.
#include <gtest/gtest.h>

#include <cstring>

#include "pipeline/work/light.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

// Returns the rows of one field of every plane, packed.
std::string field_of(const Frame& frame, int field) {
  std::string bytes;
  for (int p = 0; p < frame.format().planes; ++p)
    for (int y = field; y < frame.format().rows(p, frame.height()); y += 2)
      bytes.append(reinterpret_cast<const char*>(frame.row(p, y)),
                   frame.format().row_bytes(p, frame.width()));
  return bytes;
}

std::vector<Frame> frames_of(const std::string& input) {
  const auto source = open_source(input, {});
  std::vector<Frame> frames;
  while (auto item = source->next()) frames.push_back(std::move(std::get<Frame>(*item)));
  return frames;
}

// Works in linear light if a video says what its codes mean.
Work make_some_work(const PixelFormat& format, const VideoInfo* video) {
  const FilterSpec chain[] = {FilterSpec::parse("gaussian:sigma=1.5"), FilterSpec::parse("sobel")};
  if (!video) return make_work(chain, format, {}, {});
  return make_light_work(chain, format, {}, make_light_plan(*video, Codes::all, {}));
}

Frame filtered(const Frame& frame, Scan scan, Device device, const VideoInfo* light = nullptr) {
  ProcessorOptions options;
  options.device = device;
  options.scan = scan;
  const auto processor =
      make_processor(make_some_work(frame.format(), light), frame.width(), frame.height(), options);
  processor->submit(frame.share());
  return std::move(*processor->collect());
}

// Filters one field of `frame` as a picture.
std::string filtered_field(const Frame& frame, int field, const std::string& format,
                           const VideoInfo* light = nullptr) {
  const int height = (frame.height() + 1 - field) / 2;
  auto pictures = frames_of("pattern:" + std::to_string(frame.width()) + "x" +
                            std::to_string(height) + ":" + format + "#1");
  Frame picture = std::move(pictures.front());
  for (int p = 0; p < frame.format().planes; ++p)
    for (int y = 0; y < height; ++y)
      std::memcpy(picture.row(p, y), frame.row(p, 2 * y + field),
                  frame.format().row_bytes(p, frame.width()));
  return test::packed(filtered(picture, Scan::progressive, Device::cpu, light));
}

// In these formats, chroma rows belong to the field of the same luma rows.
TEST(Scan, FieldsAreFilteredAsPictures) {
  for (const Device device : test::all_devices())
    for (const std::string format : {"gray", "yuv444p10le", "rgb24", "gbrp16le"})
      for (const int height : {1, 2, 3, 7, 12, 40}) {
        SCOPED_TRACE(format + " " + std::to_string(height));
        const auto frames = frames_of("pattern:33x" + std::to_string(height) + ":" + format + "#1");
        const Frame result = filtered(frames.front(), Scan::interlaced, device);
        EXPECT_EQ(field_of(result, 0), filtered_field(frames.front(), 0, format));
        if (height > 1) {
          EXPECT_EQ(field_of(result, 1), filtered_field(frames.front(), 1, format));
        }
      }
}

TEST(Scan, FieldsAreFilteredAsPicturesInLinearLight) {
  for (const Device device : test::all_devices())
    for (const std::string format : {"gray", "yuv444p10le", "yuv422p", "gbrp16le"})
      for (const int height : {1, 2, 3, 7, 12, 40}) {
        SCOPED_TRACE(format + " " + std::to_string(height));
        const std::string input = "pattern:33x" + std::to_string(height) + ":" + format + "#1";
        VideoInfo video = open_source(input, {})->video();
        video.transfer = AVCOL_TRC_SMPTE2084;
        video.matrix = AVCOL_SPC_BT2020_NCL;
        const auto frames = frames_of(input);
        const Frame result = filtered(frames.front(), Scan::interlaced, device, &video);
        EXPECT_TRUE(field_of(result, 0) == filtered_field(frames.front(), 0, format, &video));
        if (height > 1) {
          EXPECT_TRUE(field_of(result, 1) == filtered_field(frames.front(), 1, format, &video));
        }
      }
}

TEST(Scan, FramesSayThemselvesHowTheyAreFiltered) {
  for (const std::string format : {"yuv420p", "nv12"}) {
    auto frames = frames_of("pattern:64x48:" + format + "#1");
    Frame& frame = frames.front();
    const auto picture = [&](Scan scan) {
      return test::packed(filtered(frame, scan, Device::cpu));
    };
    EXPECT_NE(picture(Scan::interlaced), picture(Scan::progressive));
    EXPECT_EQ(picture(Scan::automatic), picture(Scan::progressive));
    set_interlaced(frame.av(), true, true);
    EXPECT_EQ(picture(Scan::automatic), picture(Scan::interlaced));
  }
}

}  // namespace
}  // namespace vidconv
