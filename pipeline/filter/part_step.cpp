#include "pipeline/filter/part_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/convolver/blend.h"
#include "kernels/convolver/part.h"
#include "kernels/picture/rects.h"
#include "kernels/variants/variants.h"
#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"
#include "pipeline/filter/box_areas.h"

namespace vidconv {
namespace {

constexpr std::size_t longest_excerpt = 60;  // characters

PicturePart part_of_picture(const FilterSpec& where, int width, int height) {
  try {
    return where.place_in(width, height);
  } catch (const SpecError& error) {
    throw Error(MessageKind::filter_spec, "cannot filter a part of the picture",
                excerpt(error.text(), error.column() - 1, longest_excerpt),
                fmt::format("column {}: {}", error.column(), error.what()),
                "name a part of what is seen, in pixels or percent");
  }
}

// `which`: 0 for the plane, 1 and 2 for its fields.
template <class T>
Plane<T> rows_of(const Plane<T>& plane, std::size_t which) {
  return which == 0 ? plane : field_of(plane, static_cast<int>(which) - 1);
}

Rect rows_of(const Rect& r, std::size_t which) {
  return which == 0 ? r : in_field(r, static_cast<int>(which) - 1);
}

}  // namespace

PartStep::PartStep(const Work& work, const Step& step, int width, int height,
                   const ProcessorOptions& options)
    : plan_(step.plan),
      whole_windows_(options.second_opinion),
      subsampling_(work.format->components[step.components.front()].subsampling),
      width_(width),
      height_(height),
      where_(step.where),
      boxes_(step.where->acts_in_boxes() ? work.boxes : nullptr),
      clock_(work.clock),
      filter_(step.where->number_for_boxes()),
      shown_(step.where->shown()) {
  if (step.where->acts_in_boxes() && !boxes_)
    throw Error(Fault::internal, "a filter acts in boxes, and there are none", "", "");
  const Component& c = work.format->components[step.components.front()];
  plane_width_ = work.format->width_of(c, width);
  plane_height_ = work.format->height_of(c, height);
  if (!step.where->acts_in_boxes()) {
    const PicturePart part = part_of_picture(*step.where, width, height);
    if (const auto& edges = step.where->place().edges()) {
      edges_ = std::make_unique<EdgeMask>(edges->of_stored(shown_), *work.format, width, height,
                                          options.threads);
      limits_ = part.rects;
    } else if (part.weights)
      add_weights(*part.weights, {0, 0, width, height});
    else
      set_rects(part.rects);
  }
  const Plan copy =
      make_plan(Filter{.kernels = {Kernel(1, 1, {1.0})}}, plan_.sample, {}, Role::colour);
  copier_ = pick(copy, Device::cpu, {}).convolver(options.threads);
  pool_ = shared_thread_pool(options.threads);
  pairs_.reserve(step.components.size());
}

// A sample is in the part where one of its pixels is.
void PartStep::set_rects(std::span<const Rect> pixels) {
  for (std::size_t which = 0; which < pieces_.size(); ++which) {
    const int height = rows_of(Rect{0, 0, plane_width_, plane_height_}, which).height;
    std::vector<Rect> rects;
    for (const Rect& r : pixels)
      rects.push_back(
          cut(touched(rows_of(r, which), subsampling_.x, subsampling_.y), plane_width_, height));
    for (const Rect& rect : disjoint(rects)) pieces_[which].push_back({rect});
  }
}

void PartStep::add_weights(const Weights& pixels, const Rect& area) {
  const auto [x, y] = subsampling_;
  const Rect samples = cut(touched(area, x, y), plane_width_, plane_height_);
  weights_.push_back(touched(pixels, x, y, false, samples.width, samples.height));
  const Plane<const std::uint8_t> progressive = weights_.back().plane();
  // Rows of luma belong to one field each; those of chroma stand for others in a field.
  if (y > 1) weights_.push_back(touched(pixels, x, y, true, samples.width, samples.height));
  const Plane<const std::uint8_t> interlaced = weights_.back().plane();
  for (std::size_t which = 0; which < pieces_.size(); ++which) {
    const auto weights = rows_of(which == 0 ? progressive : interlaced, which);
    const Rect origin = rows_of(samples, which);
    for (const Rect& r : with_weight(weights))
      pieces_[which].push_back(
          {{origin.x + r.x, origin.y + r.y, r.width, r.height}, part_of(weights, r, 1)});
  }
}

void PartStep::set_picture(std::span<const ConstBytePlane> components, bool by_field) {
  if (!edges_) return;
  for (std::vector<Piece>& pieces : pieces_) pieces.clear();
  weights_.clear();
  add_weights(where_->place().weights_of(edges_->of(components, by_field), limits_),
              {0, 0, width_, height_});
}

void PartStep::set_frame(const Frame& frame) {
  if (!boxes_) return;
  boxes_->on(frame, clock_, filter_, shown_, !whole_windows_, placed_);
  for (std::vector<Piece>& pieces : pieces_) pieces.clear();
  weights_.clear();
  add_boxes();
}

void PartStep::add_boxes() {
  const int feather = boxes_->options().feather;
  if (feather == 0 && std::ranges::none_of(placed_, &PlacedBox::ellipse)) {
    std::vector<Rect> rects;
    for (const PlacedBox& box : placed_) rects.push_back(cut(box.rect, width_, height_));
    return set_rects(rects);
  }
  for (const Rect& area : areas_of(placed_, feather, width_, height_))
    add_weights(weights_of(placed_, area, feather, width_, height_), area);
}

void PartStep::add_rects(std::size_t which, std::vector<Rect>& rects) const {
  for (const Piece& piece : pieces_[which]) rects.push_back(piece.rect);
}

std::size_t PartStep::bytes() const {
  std::size_t bytes = 0;
  for (const Weights& weights : weights_) bytes += weights.bytes();
  return bytes;
}

void PartStep::run(Convolver& convolver, std::span<const Planes> components, bool by_field) {
  pairs_.clear();
  for (const Planes& c : components) pairs_.push_back({c.from, c.to});
  copier_->run(pairs_, nullptr);
  if (!by_field) return run_part(convolver, components, 0);
  run_part(convolver, components, 1);
  run_part(convolver, components, 2);
}

void PartStep::run_part(Convolver& convolver, std::span<const Planes> components,
                        std::size_t which) {
  const Reach reach = reach_of(plan_);
  const int bytes = plan_.sample.bytes();
  const ConstBytePlane all = rows_of(components.front().from, which);
  for (const auto& [part, weights] : pieces_[which]) {
    const Rect window = whole_windows_
                            ? Rect{0, 0, all.width, all.height}
                            : window_around(part, reach, plan_.border, all.width, all.height);
    pairs_.clear();
    for (const Planes& c : components)
      pairs_.push_back({part_of(rows_of(c.from, which), window, bytes),
                        part_of(rows_of(c.beside, which), window, bytes)});
    convolver.run(pairs_, nullptr);
    pairs_.clear();
    for (const Planes& c : components)
      pairs_.push_back({part_of(rows_of(c.beside, which), part, bytes).as<const std::byte>(),
                        part_of(rows_of(c.to, which), part, bytes)});
    if (!weights.data) {
      copier_->run(pairs_, nullptr);
      continue;
    }
    for (const PlanePair& pair : pairs_) blend(*pool_, pair.src, pair.dst, weights, plan_.sample);
  }
}

std::vector<std::unique_ptr<PartStep>> make_part_steps(const Work& work, int width, int height,
                                                       const ProcessorOptions& options) {
  std::vector<std::unique_ptr<PartStep>> parts;
  for (const Step& step : work.steps)
    parts.push_back(step.where ? std::make_unique<PartStep>(work, step, width, height, options)
                               : nullptr);
  return parts;
}

void check_parts(const Work& work, int width, int height) {
  for (const Step& step : work.steps)
    if (step.where && !step.where->acts_in_boxes()) part_of_picture(*step.where, width, height);
}

}  // namespace vidconv
