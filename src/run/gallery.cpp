#include "src/run/gallery.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

extern "C" {
#include <libswscale/swscale.h>
}

#include "kernels/filter/presets.h"
#include "pipeline/av/convert/convert.h"
#include "pipeline/filter/processor.h"
#include "pipeline/work/timed_work.h"
#include "src/run/hidden.h"
#include "src/run/label.h"

namespace vidconv {
namespace {

// Sizes are in pixels of the sheet.
constexpr int tile_width = 320, gap = 8, label_height = 25, label_top = 4;
constexpr int columns = 4;
constexpr std::uint8_t paper = 255, ink = 0, pale_ink = 96;

struct Tile {
  std::vector<FilterSpec> filters;  // the one that is shown, and those that hide something
  std::string name, parameters;     // the label
  bool may_gain = false;            // nobody asked for exactly this filter
};

// Returns a preset's numeric defaults: these are what a user will want to change.
std::string defaults(const Preset& preset) {
  std::string text;
  for (const Parameter& p : preset.parameters)
    if (p.fallback && p.choices.empty()) text += fmt::format("{}={:g} ", p.name, *p.fallback);
  return text;
}

std::vector<Tile> tiles_for(const GalleryOptions& options) {
  std::vector<Tile> tiles;
  const std::vector<FilterSpec>& filters = options.filters;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const std::string& text = filters[i].text();
    const std::size_t end = std::min(text.find(':'), text.size());
    tiles.push_back({options.originals ? std::vector{filters[i].for_all_frames()}
                                       : with_hidden_places(filters, i),
                     text.substr(0, end), text.substr(end)});
  }
  if (!tiles.empty()) return tiles;
  for (const Preset& preset : presets())
    tiles.push_back(
        {{FilterSpec::parse(preset.name)}, std::string(preset.name), defaults(preset), true});
  // Tiles of other pictures come last.
  std::stable_partition(tiles.begin(), tiles.end(),
                        [](const Tile& t) { return !t.filters[0].is_over_time(); });
  return tiles;
}

// Returns the frame with square pixels, scaled down to tile_width if it is wider, in its own format
// if swscale can write it.
Frame small_frame(const Frame& frame, AVRational sample_aspect) {
  const PixelFormat& format = sws_isSupportedOutput(frame.format().id) > 0
                                  ? frame.format()
                                  : *find_format(AV_PIX_FMT_YUV444P);
  const double aspect = sample_aspect.num > 0 ? av_q2d(sample_aspect) : 1;
  const double shown_width = frame.width() * aspect;
  const double factor = std::min(1.0, tile_width / shown_width);
  Converter converter(format, AVCOL_RANGE_UNSPECIFIED, AVCOL_SPC_UNSPECIFIED, plain_memory);
  converter.scale_to(std::max(1, static_cast<int>(std::lround(shown_width * factor))),
                     std::max(1, static_cast<int>(std::lround(frame.height() * factor))));
  return Frame(converter.convert(frame.av()), 0);
}

// The frames of a source, made small, as far as they are asked for.
class SmallFrames {
 public:
  explicit SmallFrames(Source& source) : source_(source) {}

  // Returns so many frames, or all where there are fewer; at least one.
  const std::vector<std::shared_ptr<const Frame>>& first(std::int64_t count) {
    while (!ended_ && std::ssize(frames_) < count) {
      auto item = source_.next();
      ended_ = !item;
      if (!item) break;
      if (const auto* frame = std::get_if<Frame>(&*item))
        frames_.push_back(
            std::make_shared<const Frame>(small_frame(*frame, source_.video().sample_aspect)));
    }
    if (frames_.empty())
      throw Error(MessageKind::no_frame, "cannot draw a gallery", "",
                  "the input has no frame there", "choose an earlier time with --at");
    return frames_;
  }
  bool ended() const { return ended_; }

 private:
  Source& source_;
  std::vector<std::shared_ptr<const Frame>> frames_;
  bool ended_ = false;
};

// Returns the first frame with those after it, or, for filters that look back, the first one behind
// as many frames as they look back.
Frame with_window(SmallFrames& frames, const TimedWork& work) {
  const FrameReach reach = work.reach();
  FrameWindow window;
  window.result =
      std::max<std::int64_t>(0, reach.before - reach.phase + reach.every - 1) / reach.every;
  const auto here = [&] { return window.result * reach.every + reach.phase; };
  window.frames = frames.first(here() + reach.after + 1);
  const std::int64_t count = std::ssize(window.frames);
  if (frames.ended()) window.count = count;
  if (here() >= count)
    window.result = std::max<std::int64_t>(0, count - 1 - reach.phase) / reach.every;
  if (here() >= count)
    throw Error(MessageKind::no_frame, "cannot draw a gallery", "",
                "a filter leaves out all frames that there are",
                "choose an earlier time with --at");
  Frame frame = window.frames[static_cast<std::size_t>(here())]->share();
  frame.set_window(std::make_shared<const FrameWindow>(std::move(window)));
  return frame;
}

Frame filtered(SmallFrames& frames, const std::vector<FilterSpec>& filters,
               const GalleryOptions& options) {
  const Frame& frame = *frames.first(1)[0];
  ProcessorOptions how;
  how.slots = 1;
  how.threads = options.threads;
  VideoInfo picture;
  picture.format = &frame.format();
  picture.height = frame.height();
  picture.range = frame.av().color_range;
  picture.matrix = frame.av().colorspace;
  const TimedWork work = in_stages(filters, picture, [&](std::span<const FilterSpec> acting) {
    return make_work(acting, frame.format(), options.planes, options.border, Codes::all,
                     colour_codes(filters, picture, {}));
  });
  const bool staged = is_staged(work);
  const auto processor = (staged ? make_staged_processor : make_cpu_processor)(work, frame.width(),
                                                                               frame.height(), how);
  processor->submit(staged ? with_window(frames, work) : frame.share());
  processor->close();
  return *processor->collect();
}

// Returns the highest level that one byte in a hundred of an RGB picture reaches.
int bright_level(const AVFrame& rgb) {
  std::array<std::int64_t, 256> counts{};
  for (int row = 0; row < rgb.height; ++row) {
    const std::uint8_t* line = rgb.data[0] + static_cast<std::ptrdiff_t>(rgb.linesize[0]) * row;
    for (int i = 0; i < 3 * rgb.width; ++i) ++counts[line[i]];
  }
  const std::int64_t wanted = 3LL * rgb.width * rgb.height / 100;
  int level = 255;
  for (std::int64_t reached = counts[255]; level > 0 && reached < wanted;)
    reached += counts[static_cast<std::size_t>(--level)];
  return level;
}

// Returns the factor that makes a result visible: 1 if it is at least half as bright as the picture
// that was filtered, else the power of 2 that makes it as bright; at most 32, beyond which only
// rounding errors would show.
int gain_for(const AVFrame& rgb, int bright_before) {
  const int level = std::max(bright_level(rgb), 1);
  int gain = 1;
  if (2 * level < bright_before)
    while (gain < 32 && gain * level < bright_before) gain *= 2;
  return gain;
}

void put(const AVFrame& tile, AVFrame& sheet, int x, int y) {
  for (int row = 0; row < tile.height; ++row)
    std::memcpy(sheet.data[0] + static_cast<std::ptrdiff_t>(sheet.linesize[0]) * (y + row) +
                    std::ptrdiff_t{3} * x,
                tile.data[0] + static_cast<std::ptrdiff_t>(tile.linesize[0]) * row,
                static_cast<std::size_t>(3 * tile.width));
}

}  // namespace

FramePtr draw_gallery(Source& source, const GalleryOptions& options) {
  SmallFrames frames(source);
  const Frame& frame = *frames.first(1)[0];
  const std::vector<Tile> tiles = tiles_for(options);
  const int count = static_cast<int>(tiles.size());
  const int across = std::min(columns, count), down = (count + across - 1) / across;
  const int step_x = tile_width + gap, step_y = label_height + frame.height() + gap;

  const PixelFormat& rgb = *find_format(AV_PIX_FMT_RGB24);
  FramePool pool(packed_layout(rgb, across * step_x + gap, down * step_y + gap), plain_memory);
  FramePtr sheet = pool.get();
  sheet->color_range = AVCOL_RANGE_JPEG;
  sheet->colorspace = AVCOL_SPC_RGB;
  std::memset(
      sheet->data[0], paper,
      static_cast<std::size_t>(sheet->linesize[0]) * static_cast<std::size_t>(sheet->height));
  Converter to_rgb(rgb, AVCOL_RANGE_JPEG, AVCOL_SPC_UNSPECIFIED, plain_memory);
  const auto drawn = [&](const std::vector<FilterSpec>& filters) {
    return to_rgb.convert(filtered(frames, filters, options).av());
  };
  const int bright_before = bright_level(*to_rgb.convert(frame.av()));
  for (int i = 0; i < count; ++i) {
    Tile tile = tiles[static_cast<std::size_t>(i)];
    const int x = gap + i % across * step_x, y = i / across * step_y;
    FramePtr result = drawn(tile.filters);
    const bool scales = tile.may_gain && tile.filters[0].make().convolves();
    const int gain = scales ? gain_for(*result, bright_before) : 1;
    if (gain > 1) {
      const std::string scale = fmt::format("scale={}", gain);
      result = drawn({FilterSpec::parse(tile.name + ":" + scale)});
      tile.parameters += scale;
    }
    put(*result, *sheet, x, y + label_height);
    // Letters are cut off at the tile's edge.
    const Plane<std::uint8_t> label{.data = sheet->data[0],
                                    .stride = sheet->linesize[0],
                                    .width = 3 * (x + tile_width),
                                    .height = sheet->height};
    draw_label(label, 3, x, y + label_top, 2, ink, tile.name);
    const int after = x + static_cast<int>(tile.name.size() + 1) * 2 * letter_width;
    // Letters of scale 1 start 7 pixels lower to stand on the same line.
    draw_label(label, 3, after, y + label_top + 7, 1, pale_ink, tile.parameters);
  }
  return sheet;
}

}  // namespace vidconv
