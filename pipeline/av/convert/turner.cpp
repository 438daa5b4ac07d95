#include "pipeline/av/convert/turner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "kernels/filter/turn.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace vidconv {
namespace {

std::vector<Component> samples_of(const PixelFormat& format) {
  std::vector<Component> all;
  std::ranges::copy_if(format.components, std::back_inserter(all),
                       [](const Component& c) { return c.kind != Component::Kind::padding; });
  return all;
}

bool is_alike(const PixelFormat& format) {
  return std::ranges::all_of(format.components, [](const Component& c) {
    return c.subsampling.x == c.subsampling.y && !c.fills_up();
  });
}

// Returns the format with the most planes whose components are those of `format`, each subsampled
// as `subsampling` says; nullptr where there is none.
template <class Subsampled>
const PixelFormat* format_with(const PixelFormat& format, bool same_place,
                               Subsampled&& subsampling) {
  const std::vector<Component> wanted = samples_of(format);
  const PixelFormat* best = nullptr;
  for (const PixelFormat& other : formats()) {
    const std::vector<Component> has = samples_of(other);
    const bool fits = std::ranges::equal(has, wanted, [&](const Component& a, const Component& b) {
      const bool same =
          same_place ? a.sample == b.sample
                     : a.sample.depth == b.sample.depth && a.sample.storage == b.sample.storage;
      return a.name == b.name && same && a.subsampling == subsampling(b);
    });
    if (fits && (!best || other.planes > best->planes)) best = &other;
  }
  return best;
}

// Returns the format that a picture needs before its rows can become columns.
const PixelFormat& turnable(const PixelFormat& format) {
  const PixelFormat* whole = format_with(format, false, [](const Component&) {
    return Subsampling{1, 1};
  });
  return whole ? *whole : format;
}

const PixelFormat* crosswise(const PixelFormat& format) {
  if (is_alike(format)) return &format;
  return format_with(format, true, [](const Component& c) {
    return Subsampling{c.subsampling.y, c.subsampling.x};
  });
}

const PixelFormat& format_to_turn(const VideoInfo& video) {
  const PixelFormat& format = *video.format;
  return !video.shown.swaps() || crosswise(format) ? format : turnable(format);
}

// Gives the position of the first chroma sample right of and below the first luma sample, in halves
// of luma samples.
struct ChromaSiting {
  AVChromaLocation location;
  int x, y;
};
constexpr ChromaSiting sitings[] = {{AVCHROMA_LOC_LEFT, 0, 1},       {AVCHROMA_LOC_CENTER, 1, 1},
                                    {AVCHROMA_LOC_TOPLEFT, 0, 0},    {AVCHROMA_LOC_TOP, 1, 0},
                                    {AVCHROMA_LOC_BOTTOMLEFT, 0, 2}, {AVCHROMA_LOC_BOTTOM, 1, 2}};

// Returns where chroma lies in the turned picture; unspecified where FFmpeg has no word for it.
AVChromaLocation turned_siting(const VideoInfo& video) {
  const PixelFormat& format = format_to_turn(video);
  const auto* chroma = std::ranges::find(sitings, video.chroma_location, &ChromaSiting::location);
  if (chroma == std::end(sitings) || format.components.size() < 3) return AVCHROMA_LOC_UNSPECIFIED;
  const Subsampling subsampling = format.components[1].subsampling;
  // Samples are counted from the other end here: with an odd size, the last chroma sample stands
  // for a single luma sample.
  const auto reversed = [](int at, int size, int of) {
    return of == 2 ? (size % 2 ? -at : 2 - at) : at;
  };
  const Orientation& o = video.shown;
  const int x = o.a + o.b < 0 ? reversed(chroma->x, video.width, subsampling.x) : chroma->x;
  const int y = o.c + o.d < 0 ? reversed(chroma->y, video.height, subsampling.y) : chroma->y;
  const auto* found = std::ranges::find_if(sitings, [&](const ChromaSiting& s) {
    return s.x == (o.swaps() ? y : x) && s.y == (o.swaps() ? x : y);
  });
  return found == std::end(sitings) ? AVCHROMA_LOC_UNSPECIFIED : found->location;
}

bool is_upside_down(const VideoInfo& video) { return !video.shown.swaps() && video.shown.d < 0; }

// Returns whether lines change fields: counted from the other end, they do where their number is
// even.
bool swaps_fields(const VideoInfo& video) { return is_upside_down(video) && video.height % 2 == 0; }

AVFieldOrder turned_order(const VideoInfo& video) {
  if (video.field_order <= AV_FIELD_PROGRESSIVE) return video.field_order;
  if (video.shown.swaps()) return AV_FIELD_PROGRESSIVE;
  if (!swaps_fields(video)) return video.field_order;
  constexpr std::pair<AVFieldOrder, AVFieldOrder> pairs[] = {{AV_FIELD_TT, AV_FIELD_BB},
                                                             {AV_FIELD_TB, AV_FIELD_BT}};
  for (const auto& [a, b] : pairs) {
    if (video.field_order == a) return b;
    if (video.field_order == b) return a;
  }
  return video.field_order;
}

}  // namespace

VideoInfo turned(const VideoInfo& video) {
  VideoInfo result = video;
  result.turned = true;
  result.shown = {};
  if (video.shown.is_upright()) return result;
  forget_dynamic_hdr(result.hdr);
  result.chroma_location = turned_siting(video);
  result.field_order = turned_order(video);
  if (!video.shown.swaps()) return result;
  result.format = crosswise(format_to_turn(video));
  std::swap(result.width, result.height);
  if (video.sample_aspect.num > 0) result.sample_aspect = av_inv_q(video.sample_aspect);
  return result;
}

std::string changed_by_turning(const VideoInfo& video) {
  const VideoInfo result = turned(video);
  std::string text =
      fmt::format("{}x{} becomes {}x{}", video.width, video.height, result.width, result.height);
  if (!video.shown.swaps()) text.clear();
  if (result.format != video.format)
    text += fmt::format(", {} becomes {}", video.format->name, result.format->name);
  return text;
}

std::string lost_by_turning(const VideoInfo& video) {
  return video.field_order > AV_FIELD_PROGRESSIVE && video.shown.swaps()
             ? "the video is interlaced, and its fields are columns where it is turned: they are "
               "filtered together, and the output is not interlaced"
             : "";
}

Turner::Turner(const VideoInfo& video, const FrameMemory& memory)
    : from_(video),
      to_(turned(video)),
      pool_(aligned_layout(*to_.format, to_.width, to_.height, memory.rows), memory) {
  if (const PixelFormat& format = format_to_turn(video); &format != video.format)
    converter_.emplace(format, AVCOL_RANGE_UNSPECIFIED, AVCOL_SPC_UNSPECIFIED, memory);
}

std::size_t Turner::memory() const {
  return pool_.bytes() + (converter_ ? converter_->memory() : 0);
}

Frame Turner::turn(const Frame& frame) {
  if (!converter_) return turn_samples(frame);
  return turn_samples(Frame(converter_->convert(frame.av()), frame));
}

Frame Turner::turn_samples(const Frame& frame) {
  FramePtr av = pool_.get();
  copy_properties(frame.av(), *av);
  av_frame_remove_side_data(av.get(), AV_FRAME_DATA_DISPLAYMATRIX);
  forget_dynamic_hdr(*av);
  av->chroma_location = to_.chroma_location;
  if (from_.shown.swaps() && av->sample_aspect_ratio.num > 0)
    av->sample_aspect_ratio = av_inv_q(av->sample_aspect_ratio);
  if (is_interlaced(*av))
    set_interlaced(*av, !from_.shown.swaps(), is_top_field_first(*av) != swaps_fields(from_));
  Frame result(std::move(av), frame);
  const std::vector<Component>& has = frame.format().components;
  const std::vector<Component>& makes = result.format().components;
  for (std::size_t i = 0; i < makes.size(); ++i) {
    // Padding that only one of the formats has is skipped.
    const auto of = &frame.format() == &result.format()
                        ? has.begin() + static_cast<std::ptrdiff_t>(i)
                        : std::ranges::find(has, makes[i].name, &Component::name);
    vidconv::turn(frame.component(static_cast<std::size_t>(of - has.begin())), result.component(i),
                  from_.shown, makes[i].sample.bytes());
  }
  return result;
}

}  // namespace vidconv
