// pattern:WxH[:PIXFMT][@FPS][#FRAMES]: a moving picture out of integer arithmetic, the same on
// every machine. It has what filters show themselves on: smooth areas, edges, fine detail.
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "pipeline/source/source_kinds.h"
#include "pipeline/source/source_steady.h"

namespace vidconv {
namespace {

constexpr std::int64_t default_frames = 250;
constexpr std::string_view prefix = "pattern:";

// After so many the pattern begins anew, before its arithmetic overflows.
constexpr std::int64_t most_frames = (std::int64_t{1} << 48) - 1;

// All levels are in 0..65535.
constexpr int full = 65535;

// Up and down again once in 2 * 65536 steps.
int triangle(std::int64_t phase) {
  const int p = static_cast<int>(phase & 0x1ffff);
  return p <= full ? p : 0x1ffff - p;
}

std::uint32_t scramble(std::uint32_t v) {
  v ^= v >> 16;
  v *= 0x7feb352d;
  v ^= v >> 15;
  v *= 0x846ca68b;
  return v ^ (v >> 16);
}

// One moment of the pattern; positions are those of luma samples.
class Moment {
 public:
  Moment(int width, int height, std::int64_t n)
      : n_(n & most_frames),
        size_(std::max(1, std::min(width, height))),
        disc_x_(static_cast<int>(std::int64_t{triangle(n_ * 2500)} * width >> 16)),
        disc_y_(static_cast<int>(std::int64_t{triangle(n_ * 3700 + 40000)} * height >> 16)),
        letters_top_(height * 5 / 8),
        letters_bottom_(height * 7 / 8) {}

  // `hue` makes the components differ: 0 for luma and R.
  int level(int x, int y, int hue) const {
    if (in_disc(x, y)) return full - shade(x, y, hue + 2) / 4;
    if (hue == 0 && y >= letters_top_ && y < letters_bottom_) return letter(x, y) ? 60000 : 6000;
    return shade(x, y, hue);
  }

 private:
  // A slope that drifts; each hue drifts its own way.
  int shade(int x, int y, int hue) const {
    const std::int64_t slope = std::int64_t{x} * (2 + hue) + std::int64_t{y} * (3 - hue);
    return triangle((slope << 16) / size_ + n_ * 900 * (hue + 1));
  }

  bool in_disc(int x, int y) const {
    const std::int64_t dx = x - disc_x_, dy = y - disc_y_, radius = size_ / 6;
    return dx * dx + dy * dy < radius * radius;
  }

  // Cells of 8x8 with blots of 5x6 in them, scrolling to the left by a pixel a frame.
  bool letter(int x, int y) const {
    const std::int64_t column = x + n_, row = y - letters_top_;
    const int i = static_cast<int>(column % 8), j = static_cast<int>(row % 8);
    if (i >= 5 || j >= 6) return false;
    const auto cell = static_cast<std::uint32_t>(column / 8 * 131 + row / 8);
    return scramble(cell) >> (j * 5 + i) & 1;
  }

  const std::int64_t n_;
  const int size_, disc_x_, disc_y_, letters_top_, letters_bottom_;
};

template <class T>
T sample_of(int level, SampleType type) {
  if constexpr (std::is_same_v<T, float>)
    return static_cast<float>(level) / full;
  else
    return static_cast<T>(level >> (16 - type.depth) << type.shift);
}

template <class T>
void paint(const Moment& moment, const Component& c, int hue, Plane<T> plane) {
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x) {
      int level = moment.level(x * c.subsampling.x, y * c.subsampling.y, hue);
      if (c.kind == Component::Kind::chroma)
        level = 16384 + level / 2;  // colours a screen can show
      if (c.kind == Component::Kind::luma) level = 4096 + level / 8 * 7;  // inside limited range
      if (c.kind == Component::Kind::padding) level = 0;
      plane.row(y)[static_cast<std::ptrdiff_t>(x) * plane.step] = sample_of<T>(level, c.sample);
    }
}

class PatternSource final : public SteadySource {
 public:
  PatternSource(VideoInfo info, const SourceOptions& options, std::int64_t frames)
      : SteadySource(info, options, frames) {}

  bool takes_order() override { return true; }

 private:
  bool skip_to(std::int64_t) override { return true; }

  bool read(Frame& frame, std::int64_t index) override {
    const Moment moment(frame.width(), frame.height(), index);
    for (std::size_t i = 0; i < frame.format().components.size(); ++i) {
      const Component& c = frame.format().components[i];
      const int hue = static_cast<int>(i);
      switch (c.sample.storage) {
        case Storage::u8:
          paint(moment, c, hue, frame.component(i).as<std::uint8_t>());
          break;
        case Storage::u16:
          paint(moment, c, hue, frame.component(i).as<std::uint16_t>());
          break;
        case Storage::f32:
          paint(moment, c, hue, frame.component(i).as<float>());
          break;
      }
    }
    return true;
  }
};

}  // namespace

std::unique_ptr<Source> open_pattern_source(const std::string& input,
                                            const SourceOptions& options) {
  const PictureSpec spec = parse_picture_spec(std::string_view(input).substr(prefix.size()),
                                              "the pattern", options.max_pixels);
  if (spec.swapped)
    throw Error(Fault::usage, "cannot draw the pattern", input,
                "its samples are not in this machine's order of bytes", "use " + spec.format->name);
  VideoInfo info;
  info.width = spec.width;
  info.height = spec.height;
  info.format = spec.format ? spec.format : find_format(AV_PIX_FMT_YUV420P);
  info.frame_rate = spec.frame_rate;
  info.range = spec.range;
  return std::make_unique<PatternSource>(info, options, spec.frames.value_or(default_frames));
}

}  // namespace vidconv
