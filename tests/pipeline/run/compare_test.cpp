// --compare gives the original's bytes where a picture shows the original, and filtered ones
// elsewhere.
#include "pipeline/run/compare.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/pipeline/support/samples.h"
#include "tests/pipeline/support/support.h"

namespace vidconv::test {
namespace {

using Mode = Comparison::Mode;

// Returns what comes of `input`, blurred on the device and joined as `comparison` says, if it does.
std::vector<std::string> filtered_with(const std::string& input, Device device,
                                       std::optional<Comparison> comparison,
                                       SourceOptions options = {}) {
  options.memory = source_options_for(device).memory;
  const auto source = open_source(input, options);
  const VideoInfo& video = source->video();
  const FilterSpec chain[] = {FilterSpec::parse("box")};
  auto processor = make_processor(make_work(chain, *video.format, {}, {}), video.width,
                                  video.height, {.device = device});
  if (comparison) processor = make_compare_processor(std::move(processor), video, *comparison);
  MemorySink sink;
  run(*source, *processor, sink);
  return sink.pictures;
}

struct Size {
  int width, height;
};

int chroma_width(const PixelFormat& format) {
  int widest = 1;
  for (const Component& c : format.components) widest = std::max(widest, c.subsampling.x);
  return widest;
}

// Calls check(format, size, device, before, filtered, joined) with the samples of each component.
template <class Check>
void sweep(Mode mode, const std::vector<Size>& sizes, Check check) {
  const TempDir dir;
  const std::string path = dir / "in.raw";
  unsigned seed = 1;
  for (const Device device : all_devices())
    for (const PixelFormat& format : formats())
      for (const Size size : sizes) {
        const std::string raw = std::to_string(size.width) + "x" + std::to_string(size.height) +
                                ":" + av_get_pix_fmt_name(format.id);
        SCOPED_TRACE(raw + (device == Device::cuda ? " cuda" : " cpu"));
        const std::string before = noise(format.id, size.width, size.height, ++seed);
        write_file(path, before);
        SourceOptions options;
        options.raw = raw;
        const std::string filtered = filtered_with(path, device, {}, options).at(0);
        const std::string joined = filtered_with(path, device, Comparison{mode, 1}, options).at(0);
        const int unit = chroma_width(format);
        const int half = (size.width + unit - 1) / unit * unit;
        const int width = mode == Mode::side ? 2 * half : size.width;
        check(format, size, half, read_samples(format.id, size.width, size.height, before),
              read_samples(format.id, size.width, size.height, filtered),
              read_samples(format.id, width, size.height, joined));
        if (testing::Test::HasFatalFailure()) return;
      }
}

TEST(Compare, SplitIsExactInEveryFormat) {
  sweep(Mode::split, {{9, 1}, {10, 3}, {67, 5}},
        [](const PixelFormat& format, Size size, int, const auto& before, const auto& filtered,
           const auto& joined) {
          const int unit = chroma_width(format), left = size.width / 2 / unit * unit;
          const int right = left + std::max(2, unit);
          for (std::size_t c = 0; c < joined.size(); ++c) {
            const int sx = format.components[c].subsampling.x;
            for (int y = 0; y < joined[c].height; ++y)
              for (int x = 0; x < joined[c].width; ++x) {
                if (x * sx >= left && x * sx < right) continue;
                ASSERT_EQ(joined[c].at(x, y), (x * sx < left ? before : filtered)[c].at(x, y))
                    << "component " << c << " at " << x << "," << y;
              }
          }
        });
}

TEST(Compare, SideIsExactInEveryFormat) {
  sweep(Mode::side, {{1, 1}, {5, 2}, {8, 3}, {67, 5}},
        [](const PixelFormat& format, Size size, int half, const auto& before, const auto& filtered,
           const auto& joined) {
          for (std::size_t c = 0; c < joined.size(); ++c) {
            const int sx = format.components[c].subsampling.x;
            for (int y = 0; y < joined[c].height; ++y)
              for (int x = 0; x < (size.width + sx - 1) / sx; ++x) {
                ASSERT_EQ(joined[c].at(x, y), before[c].at(x, y)) << c << " at " << x << "," << y;
                ASSERT_EQ(joined[c].at(half / sx + x, y), filtered[c].at(x, y))
                    << c << " at " << x << "," << y;
              }
          }
        });
}

TEST(Compare, TheLineIsWhite) {
  // The pictures are full-range grey and limited-range YUV of 10 bits, black with a white line.
  const TempDir dir;
  const std::string path = dir / "in.raw";
  write_file(path, std::string(8 * 2, '\0'));
  SourceOptions grey;
  grey.raw = "8x2:gray";
  EXPECT_EQ(filtered_with(path, Device::cpu, Comparison{}, grey).at(0),
            std::string("\0\0\0\0\xff\xff\0\0\0\0\0\0\xff\xff\0\0", 16));

  const auto word = [](int code) {
    return std::string{static_cast<char>(code & 255), static_cast<char>(code >> 8)};
  };
  std::string yuv;
  for (int i = 0; i < 8; ++i) yuv += word(64);
  for (int i = 0; i < 8; ++i) yuv += word(600);
  write_file(path, yuv);
  SourceOptions limited;
  limited.raw = "8x1:yuv422p10le";
  const std::string joined = filtered_with(path, Device::cpu, Comparison{}, limited).at(0);
  const std::string white = word(940), black = word(64), pink = word(600), none = word(512);
  EXPECT_EQ(joined, black + black + black + black + white + white + black + black + pink + pink +
                        none + pink + pink + pink + none + pink);
}

TEST(Compare, FlipAlternatesByTime) {
  const std::string input = "pattern:16x12@10#23";
  SourceOptions plain;
  const std::vector<std::string> before = read_all(input).pictures;
  const std::vector<std::string> filtered = filtered_with(input, Device::cpu, {});
  const std::vector<std::string> joined =
      filtered_with(input, Device::cpu, Comparison{Mode::flip, 0.5}, plain);
  ASSERT_EQ(joined.size(), 23u);
  for (std::size_t i = 0; i < joined.size(); ++i) {
    EXPECT_NE(before[i], filtered[i]);
    EXPECT_EQ(joined[i], i / 5 % 2 == 0 ? before[i] : filtered[i]) << i;
  }
}

TEST(Compare, PicturesTooNarrowToSplitAreRefused) {
  for (const char* input : {"pattern:1x1:gray", "pattern:3x4:yuv420p", "pattern:2x2:gray"})
    expect_error(Fault::usage, {"`compare`", "narrow", "side"},
                 [&] { filtered_with(input, Device::cpu, Comparison{}); });
}

}  // namespace
}  // namespace vidconv::test
