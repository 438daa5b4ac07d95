// Makes pattern:WxH[:PIXFMT][@FPS][#FRAMES], a moving picture out of integer arithmetic, the same
// on every machine. It has what filters show themselves on: smooth areas, edges, fine detail.
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "pipeline/source/source_kinds.h"
#include "pipeline/source/source_steady.h"

namespace vidconv {
namespace {

constexpr std::int64_t default_frames = 250;
constexpr std::string_view prefix = "pattern:";

// The pattern begins anew after so many frames, before its arithmetic overflows.
constexpr std::int64_t most_frames = (std::int64_t{1} << 48) - 1;

// All levels are in 0..65535.
constexpr int full = 65535;

// Goes up and down again once in 2 * 65536 steps.
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

// The place that the columns or rows of a slope have come to, in steps of 65536 over a size.
struct Steps {
  std::uint32_t whole, rest;  // modulo 2^32: a triangle needs 17 bits
};
Steps steps_to(std::int64_t slope, int size) {
  return {static_cast<std::uint32_t>((slope << 16) / size),
          static_cast<std::uint32_t>((slope << 16) % size)};
}

// One moment of one component of the pattern; positions are those of luma samples.
class Moment {
 public:
  // `hue` makes the components differ: 0 for luma and R, up to 3.
  Moment(int width, int height, std::int64_t n, int hue, int columns, int apart)
      : n_(n & most_frames),
        size_(std::max(1, std::min(width, height))),
        hue_(hue),
        apart_(apart),
        disc_x_(static_cast<int>(std::int64_t{triangle(n_ * 2500)} * width >> 16)),
        disc_y_(static_cast<int>(std::int64_t{triangle(n_ * 3700 + 40000)} * height >> 16)),
        letters_top_(height * 5 / 8),
        letters_bottom_(height * 7 / 8) {
    for (int i = 0; i < columns; ++i) {
      const Steps across = steps_to(std::int64_t{i} * apart_ * (2 + hue_), size_);
      wholes_.push_back(across.whole);
      rests_.push_back(across.rest);
    }
  }

  // Sets the levels of the row at `y`.
  void levels(int y, std::uint16_t* row) const {
    if (hue_ == 0 && y >= letters_top_ && y < letters_bottom_)
      letters(y, row);
    else
      shades(y, row);
    disc(y, row);
  }

 private:
  // Draws a slope that drifts; each hue drifts its own way. Does as shade() does, without a
  // division for each sample.
  void shades(int y, std::uint16_t* row) const {
    const Steps down = steps_to(std::int64_t{y} * (3 - hue_), size_);
    const auto begin = down.whole + static_cast<std::uint32_t>(n_ * 900 * (hue_ + 1));
    // Rests of at least this much make another whole step.
    const std::uint32_t missing = static_cast<std::uint32_t>(size_) - down.rest;
    const std::uint32_t* const wholes = wholes_.data();
    const std::uint32_t* const rests = rests_.data();
    const std::size_t count = wholes_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t carry = rests[i] >= missing ? 1 : 0;
      const std::uint32_t phase = (wholes[i] + begin + carry) & 0x1ffff;
      row[i] = static_cast<std::uint16_t>(std::min(phase, 0x1ffff - phase));
    }
  }

  int shade(int x, int y, int hue) const {
    const std::int64_t slope = std::int64_t{x} * (2 + hue) + std::int64_t{y} * (3 - hue);
    return triangle((slope << 16) / size_ + n_ * 900 * (hue + 1));
  }

  // Draws another slope, darkened.
  void disc(int y, std::uint16_t* row) const {
    const std::int64_t dy = y - disc_y_, radius = size_ / 6;
    if (dy * dy >= radius * radius) return;
    const auto last = std::min<std::int64_t>(std::ssize(wholes_) - 1, (disc_x_ + radius) / apart_);
    for (auto i = std::max<std::int64_t>(0, (disc_x_ - radius) / apart_); i <= last; ++i) {
      const int x = static_cast<int>(i) * apart_;
      const std::int64_t dx = x - disc_x_;
      if (dx * dx + dy * dy < radius * radius)
        row[i] = static_cast<std::uint16_t>(full - shade(x, y, hue_ + 2) / 4);
    }
  }

  // Draws cells of 8x8 with blots of 5x6 in them, scrolling to the left by a pixel a frame.
  void letters(int y, std::uint16_t* row) const {
    const int below = y - letters_top_, j = below % 8;
    std::int64_t cell = -1;
    std::uint32_t blots = 0;  // in this row of the cell
    for (std::size_t k = 0; k < wholes_.size(); ++k) {
      const std::int64_t column = static_cast<std::int64_t>(k) * apart_ + n_;
      if (cell != column / 8) {
        cell = column / 8;
        const auto seed = static_cast<std::uint32_t>(cell * 131 + below / 8);
        blots = j < 6 ? scramble(seed) >> (j * 5) & 31 : 0;
      }
      row[k] = blots >> (column % 8) & 1 ? 60000 : 6000;
    }
  }

  const std::int64_t n_;
  const int size_, hue_, apart_, disc_x_, disc_y_, letters_top_, letters_bottom_;
  std::vector<std::uint32_t> wholes_, rests_;  // one per column
};

template <class T>
T sample_of(int level, SampleType type) {
  if constexpr (std::is_same_v<T, float>)
    return static_cast<float>(level) / full;
  else
    return static_cast<T>(level >> (16 - type.depth) << type.shift);
}

template <class T>
void paint(Frame& frame, std::int64_t index, std::size_t component) {
  const Component& c = frame.format().components[component];
  const Plane<T> plane = frame.component(component).as<T>();
  const Moment moment(frame.width(), frame.height(), index, static_cast<int>(component),
                      plane.width, c.subsampling.x);
  const SampleType sample = c.sample;
  std::vector<std::uint16_t> levels(static_cast<std::size_t>(plane.width));
  for (int y = 0; y < plane.height; ++y) {
    moment.levels(y * c.subsampling.y, levels.data());
    const auto fill = [&](auto level_of) {
      T* const to = plane.row(y);
      const std::uint16_t* const from = levels.data();
      const auto all = [&](std::ptrdiff_t step) {  // a vector at a time where it is known
        for (std::ptrdiff_t x = 0; x < plane.width; ++x)
          to[x * step] = sample_of<T>(level_of(from[x]), sample);
      };
      if (plane.step == 1)
        all(1);
      else
        all(plane.step);
    };
    switch (c.kind) {
      case Component::Kind::chroma:
        fill([](int level) { return 16384 + level / 2; });  // colours a screen can show
        break;
      case Component::Kind::luma:
        fill([](int level) { return 4096 + level / 8 * 7; });  // inside limited range
        break;
      case Component::Kind::padding:
        fill([](int) { return 0; });
        break;
      case Component::Kind::colour:
      case Component::Kind::alpha:
        fill([](int level) { return level; });
        break;
    }
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
    for (std::size_t i = 0; i < frame.format().components.size(); ++i) {
      switch (frame.format().components[i].sample.storage) {
        case Storage::u8:
          paint<std::uint8_t>(frame, index, i);
          break;
        case Storage::u16:
          paint<std::uint16_t>(frame, index, i);
          break;
        case Storage::f32:
          paint<float>(frame, index, i);
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
