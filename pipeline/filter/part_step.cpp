#include "pipeline/filter/part_step.h"

#include <fmt/format.h>

#include "kernels/convolver/part.h"
#include "kernels/picture/rects.h"
#include "kernels/variants/variants.h"
#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"

namespace vidconv {
namespace {

constexpr std::size_t longest_excerpt = 60;  // characters

std::vector<Rect> part_of_picture(const FilterSpec& where, int width, int height) {
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

// What of a component the part is: each sample of which a pixel lies in it.
std::vector<Rect> part_of_component(std::span<const Rect> part, Subsampling subsampling, int width,
                                    int height, std::size_t which) {
  std::vector<Rect> rects;
  for (const Rect& r : part) {
    const Rect rows = which == 0 ? r : in_field(r, static_cast<int>(which) - 1);
    rects.push_back(cut(touched(rows, subsampling.x, subsampling.y), width, height));
  }
  return disjoint(rects);
}

}  // namespace

PartStep::PartStep(const Step& step, const PixelFormat& format, int width, int height,
                   const ProcessorOptions& options)
    : plan_(step.plan), whole_windows_(options.second_opinion) {
  const std::vector<Rect> part = part_of_picture(*step.where, width, height);
  const Component& c = format.components[step.components.front()];
  const ConstBytePlane plane{.width = format.width_of(c, width),
                             .height = format.height_of(c, height)};
  for (std::size_t which = 0; which < parts_.size(); ++which)
    parts_[which] =
        part_of_component(part, c.subsampling, plane.width, rows_of(plane, which).height, which);
  const Plan copy =
      make_plan(Filter{.kernels = {Kernel(1, 1, {1.0})}}, plan_.sample, {}, Role::colour);
  copier_ = pick(copy, Device::cpu, {}).convolver(options.threads);
  pairs_.reserve(step.components.size());
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
  for (const Rect& part : parts_[which]) {
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
    copier_->run(pairs_, nullptr);
  }
}

std::vector<std::unique_ptr<PartStep>> make_part_steps(const Work& work, int width, int height,
                                                       const ProcessorOptions& options) {
  std::vector<std::unique_ptr<PartStep>> parts;
  for (const Step& step : work.steps)
    parts.push_back(step.where
                        ? std::make_unique<PartStep>(step, *work.format, width, height, options)
                        : nullptr);
  return parts;
}

void check_parts(const Work& work, int width, int height) {
  for (const Step& step : work.steps)
    if (step.where) part_of_picture(*step.where, width, height);
}

}  // namespace vidconv
