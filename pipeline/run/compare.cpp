#include "pipeline/run/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"
#include "pipeline/run/beside_originals.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

// Return how many luma samples one chroma sample stands for, across and down.
int chroma_width(const PixelFormat& format) {
  int widest = 1;
  for (const Component& c : format.components) widest = std::max(widest, c.subsampling.x);
  return widest;
}
int chroma_height(const PixelFormat& format) {
  int highest = 1;
  for (const Component& c : format.components) highest = std::max(highest, c.subsampling.y);
  return highest;
}

int rounded_up(int width, int to) { return (width + to - 1) / to * to; }

VideoInfo compared_video(VideoInfo video, const Comparison& comparison) {
  if (comparison.mode != Comparison::Mode::side) return video;
  forget_dynamic_hdr(video.hdr);
  if (video.shown.swaps())
    video.height = 2 * rounded_up(video.height, chroma_height(*video.format));
  else
    video.width = 2 * rounded_up(video.width, chroma_width(*video.format));
  return video;
}

// Returns the component's code for white; for alpha and float samples, their largest one.
double white(const Component& c, bool limited) {
  if (c.kind == Component::Kind::chroma) return c.sample.neutral();
  if (c.kind == Component::Kind::luma && limited && c.sample.storage != Storage::f32)
    return 235 << (c.sample.depth - 8);
  return c.sample.max();
}

std::array<std::byte, 4> stored(double code, const SampleType& sample) {
  std::array<std::byte, 4> bytes{};
  if (sample.storage == Storage::f32) {
    const auto value = static_cast<float>(code);
    std::memcpy(bytes.data(), &value, sizeof value);
  } else if (sample.storage == Storage::u16) {
    const auto value = static_cast<std::uint16_t>(static_cast<int>(code) << sample.shift);
    std::memcpy(bytes.data(), &value, sizeof value);
  } else {
    bytes[0] = static_cast<std::byte>(static_cast<int>(code) << sample.shift);
  }
  return bytes;
}

// Describes an area in luma samples; x and y are at the beginning of whole chroma samples.
struct Area {
  int x, y, width, height;
};

// Paints the area white. It includes chroma samples that lie wholly in it, or end with the
// picture's height.
void whiten(Frame& frame, const Area& area, bool limited) {
  const int right = area.x + area.width, bottom = area.y + area.height;
  for (std::size_t i = 0; i < frame.format().components.size(); ++i) {
    const Component& c = frame.format().components[i];
    if (c.fills_up()) continue;
    const std::array<std::byte, 4> code = stored(white(c, limited), c.sample);
    const BytePlane plane = frame.component(i);
    const auto size = static_cast<std::size_t>(c.sample.bytes());
    const int end = bottom == frame.height() ? plane.height : bottom / c.subsampling.y;
    for (int y = rounded_up(area.y, c.subsampling.y) / c.subsampling.y; y < end; ++y)
      for (int x = rounded_up(area.x, c.subsampling.x) / c.subsampling.x;
           x < right / c.subsampling.x; ++x)
        std::memcpy(plane.row(y) + static_cast<std::size_t>(x * plane.step) * size, code.data(),
                    size);
  }
}

// Copies to column `x` and row `y` of `to`, where whole samples of chroma begin.
void copy_whole(const Frame& from, Frame& to, int x, int y) {
  const PixelFormat& format = from.format();
  for (int p = 0; p < format.planes; ++p) {
    const std::size_t bytes = format.row_bytes(p, from.width());
    const std::size_t skip = x ? format.row_bytes(p, x) : 0;
    const int first = y ? format.rows(p, y) : 0;
    for (int row = 0; row < format.rows(p, from.height()); ++row)
      std::memcpy(to.row(p, first + row) + skip, from.row(p, row), bytes);
  }
}

// Returns whether the side that is seen at the left is stored at the right, or at the bottom.
bool left_is_last(const VideoInfo& video) { return video.shown.a + video.shown.c < 0; }

// Copies an area that begins and ends with whole samples of chroma, or with the picture.
void copy_area(const Frame& from, const Area& area, Frame& to) {
  const PixelFormat& format = from.format();
  for (int p = 0; p < format.planes; ++p) {
    const std::size_t skip = area.x ? format.row_bytes(p, area.x) : 0;
    const std::size_t bytes = format.row_bytes(p, area.x + area.width) - skip;
    for (int y = area.y ? format.rows(p, area.y) : 0; y < format.rows(p, area.y + area.height); ++y)
      std::memcpy(to.row(p, y) + skip, from.row(p, y) + skip, bytes);
  }
}

// Holds the area that split shows of the original, the left half as seen, and the line beside it.
struct Split {
  Area original, line;

  Split(const VideoInfo& video) {
    const bool rows = video.shown.swaps(), at_end = left_is_last(video);
    const int unit = rows ? chroma_height(*video.format) : chroma_width(*video.format);
    const int whole = rows ? video.height : video.width, across = rows ? video.width : video.height;
    const int half = at_end ? rounded_up(whole - whole / 2, unit) : whole / 2 / unit * unit;
    const int thick = std::max(2, unit);
    const auto area = [&](int from, int size) {
      return rows ? Area{0, from, across, size} : Area{from, 0, size, across};
    };
    original = at_end ? area(half, whole - half) : area(0, half);
    line = area(at_end ? half - thick : half, thick);
    fits = at_end ? half > thick && half < whole : half > 0 && half + thick < whole;
  }

  bool fits;
};

class CompareProcessor final : public BesideOriginals {
 public:
  CompareProcessor(std::unique_ptr<Processor> filter, const VideoInfo& video,
                   const Comparison& comparison)
      : BesideOriginals(std::move(filter), "compare"),
        comparison_(comparison),
        video_(video),
        limited_(is_limited_range(video)),
        split_(video) {
    if (comparison.mode == Comparison::Mode::split && !split_.fits)
      throw Error(Fault::usage, "`compare`", "split",
                  "a picture " + std::to_string(video.shown.swaps() ? video.height : video.width) +
                      " wide is too narrow for it",
                  "use `compare` side");
    const VideoInfo both = compared_video(video, comparison);
    pool_.emplace(aligned_layout(*video.format, both.width, both.height), plain_memory);
  }

  MemoryUse memory() const override {
    MemoryUse all = ProcessorAround::memory();
    if (pool_) all.host += pool_->bytes();
    return all;
  }

 private:
  Frame see(const Frame& original, Frame filtered) override {
    const bool passed_on = filtered.row(0, 0) == original.row(0, 0);
    switch (comparison_.mode) {
      case Comparison::Mode::split:
        if (passed_on) filtered = copy_of(original);  // the decoder may still read the original
        copy_area(original, split_.original, filtered);
        whiten(filtered, split_.line, limited_);
        break;
      case Comparison::Mode::side:
        return beside(original, filtered);
      case Comparison::Mode::flip:
        if (shows_original(filtered.av().pts) && !passed_on) copy_whole(original, filtered, 0, 0);
        break;
    }
    return filtered;
  }

  Frame copy_of(const Frame& original) {
    FramePtr av = pool_->get();
    copy_properties(original.av(), *av);
    Frame copy(std::move(av), original);
    copy_whole(original, copy, 0, 0);
    return copy;
  }

  Frame beside(const Frame& original, const Frame& filtered) {
    FramePtr av = pool_->get();
    copy_properties(filtered.av(), *av);
    forget_dynamic_hdr(*av);
    Frame both(std::move(av), filtered);
    const bool rows = video_.shown.swaps();
    const int size = rows ? video_.height : video_.width;
    const int half = (rows ? both.height() : both.width()) / 2;
    for (const bool second : {false, true}) {
      const int at = second ? half : 0, end = at + size;
      copy_whole(second == left_is_last(video_) ? original : filtered, both, rows ? 0 : at,
                 rows ? at : 0);
      whiten(
          both,
          rows ? Area{0, end, video_.width, half - size} : Area{end, 0, half - size, video_.height},
          limited_);
    }
    return both;
  }

  bool shows_original(std::int64_t pts) {
    if (!first_pts_) first_pts_ = pts;
    const auto period = static_cast<int>(std::lround(comparison_.seconds * 1e6));
    return av_rescale_q_rnd(pts - *first_pts_, video_.time_base, {period, 1'000'000},
                            AV_ROUND_DOWN) %
               2 ==
           0;
  }

  const Comparison comparison_;
  const VideoInfo video_;
  const bool limited_;
  const Split split_;
  std::optional<FramePool> pool_;  // for side, and for copies that split draws on
  std::optional<std::int64_t> first_pts_;
};

}  // namespace

Comparison parse_comparison(const std::string& text) {
  constexpr std::string_view flip = "flip:";
  Comparison comparison;
  if (same_name(text, "split")) return comparison;
  comparison.mode = Comparison::Mode::side;
  if (same_name(text, "side")) return comparison;
  comparison.mode = Comparison::Mode::flip;
  if (same_name(text, "flip")) return comparison;
  const auto refuse = [&](const std::string& why, const std::string& remedy) {
    throw Error(Fault::usage, "`compare`", shortened(text, longest_value), why, remedy);
  };
  if (!same_name(text.substr(0, flip.size()), flip))
    refuse("no such way to compare" + did_you_mean(text, {"split", "side", "flip"}),
           "use split, side, flip or flip:SECONDS");
  const auto seconds = number_of<double>(text.substr(flip.size()), 0.001, 1000);
  if (!seconds) refuse("not a number of seconds from 0.001 to 1000", "e.g. flip:0.5");
  comparison.seconds = seconds.value_or(1);
  return comparison;
}

InputInfo compared(InputInfo input, const Comparison& comparison) {
  for (InputVideo& video : input.videos) video.info = compared_video(video.info, comparison);
  return input;
}

std::unique_ptr<Processor> make_compare_processor(std::unique_ptr<Processor> filter,
                                                  const VideoInfo& video,
                                                  const Comparison& comparison) {
  return std::make_unique<CompareProcessor>(std::move(filter), video, comparison);
}

}  // namespace vidconv
