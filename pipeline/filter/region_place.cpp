#include "pipeline/filter/region_place.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/picture/rects.h"
#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"
#include "pipeline/region/box_areas.h"

namespace vidconv {
namespace {

constexpr std::size_t longest_excerpt = 60;  // characters
// Most samples without a weight that a piece may take in to spare a second piece.
constexpr int worth_of_few = 1 << 15;

// Throws SpecError unless the mask is as large as the pictures are shown.
void check_mask_video(MaskVideos& masks, const FilterSpec& where, int width, int height) {
  const std::size_t column = where.place().mask_at() + 1;
  if (where.shown().swaps()) std::swap(width, height);
  MaskVideos::Size mask;
  try {
    mask = masks.size(where.place().mask_video());
  } catch (const Error& error) {
    // Whether damage is found now or later depends on how far FFmpeg reads ahead.
    if (error.fault() == Fault::damaged) throw;
    throw SpecError(
        where.text(), column,
        fmt::format("cannot read the mask, which is neither PNG nor PGM, as a video: {}",
                    error.why().empty() ? error.act() : error.why()));
  }
  if (mask.width != width || mask.height != height)
    throw SpecError(where.text(), column,
                    fmt::format("the mask is {}x{}, and the picture is {}x{}", mask.width,
                                mask.height, width, height));
}

// `masks` may be null unless the place is a mask video.
PicturePart part_of_picture(const FilterSpec& where, int width, int height, MaskVideos* masks) {
  const bool by_video = !where.place().mask_video().empty();
  if (by_video && masks == nullptr)
    throw Error(MessageKind::filter_spec, "cannot filter by a mask that is no picture",
                excerpt(where.text(), where.place().mask_at(), longest_excerpt),
                "what is filtered is of no video, and has no time",
                "give a grey picture, PNG or PGM");
  try {
    if (by_video) check_mask_video(*masks, where, width, height);
    return where.place_in(width, height);
  } catch (const SpecError& error) {
    throw Error(MessageKind::filter_spec, "cannot filter a part of the picture",
                excerpt(error.text(), error.column() - 1, longest_excerpt),
                fmt::format("column {}: {}", error.column(), error.what()),
                where.place().mask_at() == error.column() - 1
                    ? "give a grey mask of the picture's size that is not black all over"
                    : "name a part of what is seen, in pixels or percent");
  }
}

const Component& component_of(const Work& work, const Step& step) {
  return work.format->components[step.components.front()];
}

}  // namespace

Rect rows_of(const Rect& r, std::size_t which) {
  return which == 0 ? r : in_field(r, static_cast<int>(which) - 1);
}

void RegionPieces::clear() {
  for (Planes& planes : levels)
    for (std::vector<RegionPiece>& pieces : planes) pieces.clear();
  weights.clear();
}

RegionPlace::RegionPlace(const Work& work, const Step& step, int width, int height, bool few)
    : few_(few),
      whole_(step.action == Action::bring_codes),
      level_(step.where->place().level().value_or(MapLevel())),
      subsampling_(component_of(work, step).subsampling),
      width_(width),
      height_(height),
      plane_width_(work.format->width_of(component_of(work, step), width)),
      plane_height_(work.format->height_of(component_of(work, step), height)),
      where_(level_.number == 0 ? step.where
                                : std::make_shared<const FilterSpec>(step.where->by_whole_map())),
      boxes_(step.where->acts_in_boxes() ? work.boxes : nullptr),
      clock_(work.clock) {
  if (where_->acts_in_boxes()) {
    if (!boxes_) throw Error(Fault::internal, "a filter acts in boxes, and there are none", "", "");
    kind_ = Kind::boxes;
  } else if (where_->place().has_masks()) {
    kind_ = where_->place().edges() ? Kind::edges : Kind::video;
    limits_ = part_of_picture(*where_, width, height, work.masks.get()).rects;
  }
}

bool RegionPlace::operator==(const RegionPlace& other) const {
  return kind_ == other.kind_ && few_ == other.few_ && whole_ == other.whole_ &&
         (level_.number > 0) == (other.level_.number > 0) && subsampling_ == other.subsampling_ &&
         width_ == other.width_ && height_ == other.height_ && boxes_ == other.boxes_ &&
         where_->number_for_boxes() == other.where_->number_for_boxes() &&
         where_->shown() == other.where_->shown() && where_->place() == other.where_->place();
}

std::size_t RegionPlace::most_weights() const {
  if (kind_ == Kind::boxes && !boxes_->has_weights()) return 0;
  const auto samples =
      static_cast<std::size_t>(plane_width_) * static_cast<std::size_t>(plane_height_);
  return subsampling_.y > 1 ? 2 * samples : samples;
}

void RegionPlace::add(RegionPieces& pieces) const {
  if (kind_ == Kind::edges) return add_limits(pieces);
  const PicturePart part = part_of_picture(*where_, width_, height_, nullptr);
  if (part.weights)
    add_weights(*part.weights, {0, 0, width_, height_}, pieces);
  else
    add_rects(part.rects, pieces);
}

void RegionPlace::add_limits(RegionPieces& pieces) const {
  const PlaceSpec& place = where_->place();
  std::vector<Rect> pixels{{0, 0, width_, height_}};
  if (!place.inverts()) pixels = limits_;
  for (Rect& r : pixels) r = cut(grown(r, place.feather()), width_, height_);
  join(pixels, worth_of_few, true);
  add_rects(pixels, pieces);
  RegionPieces::Planes& planes = pieces.levels[0];
  for (std::size_t which = 0; which < planes.size(); ++which)
    for (RegionPiece& piece : planes[which]) {
      const int rows = which == 0 ? 1 : 2, first = which == 2 ? 1 : 0;
      piece.stride = std::ptrdiff_t{rows} * plane_width_;
      piece.weights =
          piece.rect.x + std::ptrdiff_t{first} * plane_width_ + piece.rect.y * piece.stride;
    }
}

void RegionPlace::add(const Weights& edges, RegionPieces& pieces) const {
  add_weights(where_->place().weights_of(edges, limits_), {0, 0, width_, height_}, pieces);
}

void RegionPlace::add(const Frame& frame, MaskVideo& video, RegionPieces& pieces) const {
  const Weights& seen = video.at(clock_.clock.time_of(frame.av().pts, clock_.time_base));
  if (!where_->is_turned()) return add(seen, pieces);
  add(stored_weights(seen, where_->shown(), width_, height_), pieces);
}

void RegionPlace::add(const Frame& frame, bool note, std::vector<PlacedBox>& boxes,
                      RegionPieces& pieces) const {
  boxes_->on(frame, clock_, where_->number_for_boxes(), where_->shown(), note, boxes);
  const int feather = boxes_->options().feather;
  if (feather == 0 && std::ranges::none_of(boxes, &PlacedBox::ellipse)) {
    std::vector<Rect> rects;
    for (const PlacedBox& box : boxes) rects.push_back(cut(box.rect, width_, height_));
    return add_rects(rects, pieces);
  }
  for (const Rect& area : areas_of(boxes, feather, width_, height_))
    add_weights(weights_of(boxes, area, feather, width_, height_), area, pieces);
}

// A sample is in the region if one of its pixels is.
void RegionPlace::add_rects(std::span<const Rect> pixels, RegionPieces& pieces) const {
  RegionPieces::Planes& planes = pieces.levels[0];
  for (std::size_t which = 0; which < planes.size(); ++which) {
    const int height = rows_of(Rect{0, 0, plane_width_, plane_height_}, which).height;
    std::vector<Rect> rects;
    for (const Rect& r : pixels)
      rects.push_back(
          cut(touched(rows_of(r, which), subsampling_.x, subsampling_.y), plane_width_, height));
    for (const Rect& rect : disjoint(rects)) planes[which].push_back({rect});
  }
}

void RegionPlace::add_weights(const Weights& pixels, const Rect& area, RegionPieces& pieces) const {
  const auto [x, y] = subsampling_;
  const Rect samples = cut(touched(area, x, y), plane_width_, plane_height_);
  const auto keep = [&](const Weights& weights) {
    const std::size_t first = pieces.weights.size();
    const std::uint8_t* const all = weights.plane().data;
    pieces.weights.insert(pieces.weights.end(), all, all + weights.bytes());
    if (whole_)
      std::transform(all, all + weights.bytes(),
                     pieces.weights.begin() + static_cast<std::ptrdiff_t>(first),
                     [](std::uint8_t w) { return w > 0 ? std::uint8_t{255} : w; });
    return first;
  };
  const Weights progressive = touched(pixels, x, y, false, samples.width, samples.height);
  const std::size_t first = keep(progressive);
  add_pieces(progressive.plane(), samples, first, 0, pieces);
  // A row of luma belongs to one field; a row of chroma covers other pixels within a field.
  const bool others = y > 1;
  const Weights interlaced =
      others ? touched(pixels, x, y, true, samples.width, samples.height) : Weights(0, 0);
  const std::size_t first_of_fields = others ? keep(interlaced) : first;
  for (const std::size_t which : {std::size_t{1}, std::size_t{2}})
    add_pieces((others ? interlaced : progressive).plane(), samples, first_of_fields, which,
               pieces);
}

// `weights`: of `samples`, stored from the index `first` on.
void RegionPlace::add_pieces(const Plane<const std::uint8_t>& weights, const Rect& samples,
                             std::size_t first, std::size_t which, RegionPieces& pieces) const {
  const Plane<const std::uint8_t> rows = rows_of(weights, which);
  const Rect origin = rows_of(samples, which);
  std::vector<std::vector<Rect>> levels;
  if (level_.number > 0)
    levels = with_levels(rows, level_.count);
  else
    levels.push_back(with_weight(rows));
  pieces.levels.resize(std::max(pieces.levels.size(), levels.size()));
  for (std::size_t level = 0; level < levels.size(); ++level) {
    if (few_) join(levels[level], worth_of_few, true);
    for (const Rect& r : levels[level]) {
      const std::ptrdiff_t at = part_of(rows, r, 1).data - weights.data;
      pieces.levels[level][which].push_back({{origin.x + r.x, origin.y + r.y, r.width, r.height},
                                             static_cast<std::ptrdiff_t>(first) + at,
                                             rows.stride});
    }
  }
}

void check_regions(const Work& work, int width, int height) {
  for (const Step& step : work.steps)
    if (step.where && !step.where->acts_in_boxes())
      part_of_picture(*step.where, width, height, work.masks.get());
}

}  // namespace vidconv
