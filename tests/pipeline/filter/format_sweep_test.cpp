// Takes every pixel format from a raw file through a filter to bytes, on every device, and compares
// them with plain loops over what FFmpeg reads in the same bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/av/convert/convert.h"
#include "tests/pipeline/support/samples.h"
#include "tests/pipeline/support/support.h"

extern "C" {
#include <libavutil/imgutils.h>
}

namespace vidconv::test {
namespace {

// Gains are exact in floats too: the taps' quotient is a power of two.
constexpr int taps[3][3] = {{1, 2, 1}, {-2, 9, 2}, {1, 3, -1}};
constexpr const char* sweep_filter = "matrix:1 2 1;-2 9 2;1 3 -1:scale=1/16";

std::uint32_t filtered(const Samples& s, int x, int y, const AVPixFmtDescriptor& desc) {
  if (desc.flags & AV_PIX_FMT_FLAG_FLOAT) {
    float sum = 0;
    for (int j = 0; j < 3; ++j) {
      float row = 0;
      for (int i = 0; i < 3; ++i)
        row = std::fma(static_cast<float>(taps[j][i]) / 16,
                       std::bit_cast<float>(s.at(x + i - 1, y + j - 1)), row);
      sum += row;
    }
    return std::bit_cast<std::uint32_t>(sum);
  }
  int sum = 8;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) sum += taps[j][i] * static_cast<int>(s.at(x + i - 1, y + j - 1));
  const int max = (1 << desc.comp[0].depth) - 1;
  return static_cast<std::uint32_t>(std::clamp(sum >> 4, 0, max));
}

// Filters luma and colours, because the filter is a sharpener; with `all` the other components too.
std::string filter_raw(const std::string& path, AVPixelFormat id, int width, int height,
                       Device device, bool all, const SourceOptions& more = {}) {
  SourceOptions options = more;
  options.raw =
      std::to_string(width) + "x" + std::to_string(height) + ":" + av_get_pix_fmt_name(id);
  const auto source = open_source(path, options);
  const FilterSpec chain[] = {FilterSpec::parse(sweep_filter)};
  PlaneSelection planes;
  if (all) planes.mode = PlaneSelection::Mode::all;
  const auto processor = make_processor(make_work(chain, *source->video().format, planes, {}),
                                        width, height, {.device = device});
  MemorySink sink;
  run(*source, *processor, sink);
  EXPECT_EQ(sink.pictures.size(), 1u);
  return sink.pictures.at(0);
}

bool is_filtered(const AVPixFmtDescriptor& desc, int component, bool all) {
  const bool alpha = (desc.flags & AV_PIX_FMT_FLAG_ALPHA) && component == desc.nb_components - 1;
  return all || (!alpha && (component == 0 || (desc.flags & AV_PIX_FMT_FLAG_RGB)));
}

void expect_filtered(AVPixelFormat in, AVPixelFormat out, int width, int height, bool all,
                     const std::string& before, const std::string& after) {
  const AVPixFmtDescriptor& desc = *av_pix_fmt_desc_get(in);
  const auto from = read_samples(in, width, height, before);
  const auto to = read_samples(out, width, height, after);
  for (std::size_t c = 0; c < from.size(); ++c)
    for (int y = 0; y < from[c].height; ++y)
      for (int x = 0; x < from[c].width; ++x)
        ASSERT_EQ(to[c].at(x, y), is_filtered(desc, static_cast<int>(c), all)
                                      ? filtered(from[c], x, y, desc)
                                      : from[c].at(x, y))
            << "component " << c << " at " << x << "," << y;
}

TEST(FormatSweep, EveryFormatOnEveryDevice) {
  const TempDir dir;
  const std::string path = dir / "in.raw";
  unsigned seed = 1;
  for (const Device device : all_devices())
    for (const PixelFormat& format : formats())
      for (const auto& [width, height] :
           {std::pair{1, 1}, {2, 1}, {1, 3}, {5, 4}, {7, 5}, {34, 9}, {67, 33}, {130, 18}}) {
        SCOPED_TRACE(format.name + " " + std::to_string(width) + "x" + std::to_string(height) +
                     (device == Device::cuda ? " cuda" : " cpu"));
        const std::string before = noise(format.id, width, height, ++seed);
        write_file(path, before);
        const bool all = (seed + seed / 8) % 2 == 0;  // each size both ways
        const std::string after = filter_raw(path, format.id, width, height, device, all);
        ASSERT_EQ(after.size(), before.size());
        expect_filtered(format.id, format.id, width, height, all, before, after);
        // Nothing is left to chance: a second run gives the same, bytes between the samples
        // included.
        ASSERT_TRUE(after == filter_raw(path, format.id, width, height, device, all));
      }
}

TEST(FormatSweep, PaddingIsCopied) {
  const TempDir dir;
  const std::string path = dir / "in.raw";
  for (const Device device : all_devices())
    for (const PixelFormat& format : formats()) {
      SCOPED_TRACE(format.name);
      const std::string before = noise(format.id, 7, 3, 5);
      write_file(path, before);
      const std::string after = filter_raw(path, format.id, 7, 3, device, true);
      for (const Component& c : format.components) {
        if (c.kind != Component::Kind::padding) continue;
        ASSERT_GT(format.width_of(c, 7), 0);
        for (int y = 0; y < 3; ++y)
          for (int x = 0; x < format.width_of(c, 7); ++x) {
            const auto at =
                format.row_bytes(0, 7) * static_cast<std::size_t>(y) +
                static_cast<std::size_t>(format.offset_of(c, 7) + x * c.step * c.sample.bytes());
            const auto bytes = static_cast<std::size_t>(c.sample.bytes());
            EXPECT_EQ(after.substr(at, bytes), before.substr(at, bytes));
          }
      }
    }
}

TEST(FormatSweep, SwappedBytesAreTurned) {
  const TempDir dir;
  const std::string path = dir / "in.raw";
  int twins = 0;
  for (const PixelFormat& format : formats()) {
    const AVPixelFormat twin = av_pix_fmt_swap_endianness(format.id);
    if (twin == AV_PIX_FMT_NONE) continue;
    SCOPED_TRACE(av_get_pix_fmt_name(twin));
    ++twins;
    const std::string before = noise(twin, 7, 5, 3);
    write_file(path, before);
    std::string said;
    SourceOptions options;
    options.notify = [&](MessageKind, const std::string& line) { said += line; };
    const std::string after = filter_raw(path, twin, 7, 5, Device::cpu, false, options);
    expect_filtered(twin, format.id, 7, 5, false, before, after);
    EXPECT_NE(said.find(format.name), std::string::npos) << said;
    expect_error(Fault::usage, {"order of bytes", format.name},
                 [&] { open_source(std::string("pattern:8x8:") + av_get_pix_fmt_name(twin), {}); });
  }
  EXPECT_GT(twins, 40);
}

// A decoder gives such frames: PNG and DPX of 16 bits are big-endian.
TEST(FormatSweep, FramesOfSwappedBytesAreConvertedExactly) {
  constexpr int width = 7, height = 5;
  for (const PixelFormat& format : formats()) {
    const AVPixelFormat twin = av_pix_fmt_swap_endianness(format.id);
    if (twin == AV_PIX_FMT_NONE) continue;
    SCOPED_TRACE(av_get_pix_fmt_name(twin));
    const std::string bytes = noise(twin, width, height, 9);
    const FramePtr from = make_frame();
    from->format = twin;
    from->width = width;
    from->height = height;
    av_image_fill_arrays(from->data, from->linesize,
                         reinterpret_cast<const std::uint8_t*>(bytes.data()), twin, width, height,
                         1);
    Converter converter(nearest_format(twin), AVCOL_RANGE_UNSPECIFIED, AVCOL_SPC_UNSPECIFIED,
                        plain_memory);
    const Frame frame(converter.convert(*from), 0);
    ASSERT_EQ(&frame.format(), &format);
    const auto before = read_samples(twin, width, height, bytes);
    const auto after = read_samples(format.id, width, height, packed(frame));
    for (std::size_t c = 0; c < before.size(); ++c) EXPECT_EQ(after[c].values, before[c].values);
  }
}

// The pattern looks the same in every format: a component's codes depend only on its depth and
// place.
TEST(FormatSweep, PatternDrawsEveryFormat) {
  for (const PixelFormat& format : formats())
    for (const auto& size_in_pixels : {std::pair{1, 1}, {5, 3}, {66, 37}}) {
      SCOPED_TRACE(format.name);
      const int width = size_in_pixels.first, height = size_in_pixels.second;
      const AVPixFmtDescriptor& desc = *av_pix_fmt_desc_get(format.id);
      const bool rgb = desc.flags & AV_PIX_FMT_FLAG_RGB, is_float = desc.comp[0].depth == 32;
      const bool coloured = desc.nb_components > 2;
      const std::string size = std::to_string(width) + "x" + std::to_string(height);
      const auto frame = [&](const std::string& name) {
        const Contents c = read_all("pattern:" + size + ":" + name + "#1");
        return read_samples(av_get_pix_fmt(name.c_str()), width, height, c.pictures.at(0));
      };
      // A twin has 16 bits and the same chroma planes.
      const std::string twin = rgb                                                  ? "gbrap16"
                               : !coloured                                          ? "gray16"
                               : desc.log2_chroma_w == 0 && desc.log2_chroma_h == 0 ? "yuva444p16"
                                                                                    : "";
      const auto drawn = frame(format.name);
      if (twin.empty()) continue;  // the components' positions differ; the sizes were right
      const auto deep = frame(twin);
      for (std::size_t c = 0; c < drawn.size() && c < deep.size(); ++c)
        for (int y = 0; y < height; ++y)
          for (int x = 0; x < width; ++x) {
            const std::uint32_t got = drawn[c].at(x, y), want = deep[c].at(x, y);
            if (is_float) {
              ASSERT_EQ(std::lround(65535 * std::bit_cast<float>(got)), std::lround(want));
            } else {
              ASSERT_EQ(got, want >> (16 - desc.comp[0].depth));
            }
          }
    }
}

}  // namespace
}  // namespace vidconv::test
