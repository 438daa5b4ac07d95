#include "pipeline/filter/part_step.h"

#include <algorithm>

#include "kernels/picture/rects.h"
#include "kernels/variants/variants.h"
#include "pipeline/base/error.h"

namespace vidconv {

std::size_t KnownPlaces::bytes() const {
  std::size_t bytes = 0;
  for (const KnownPlace& known : known_)
    bytes += known.pieces->weights.size() + (known.mask ? known.mask->bytes() : 0);
  return bytes;
}

std::shared_ptr<MaskVideo> KnownPlaces::video(MaskVideos& masks, const std::string& path) {
  std::shared_ptr<MaskVideo>& video = videos_[path];
  if (!video) video = masks.open(path);
  return video;
}

bool PartNow::in_one_round(bool by_field) const {
  const auto one = [](const PartWindows& w) { return w.rounds().size() <= 1; };
  return by_field ? one(windows[1]) && one(windows[2]) : one(windows[0]);
}

PartStep::PartStep(const Work& work, const Step& step, int width, int height,
                   const ProcessorOptions& options, KnownPlaces& known)
    : plan_(step.plan),
      notes_(!options.whole_planes),
      place_(work, step, width, height, options.device == Device::cuda),
      rule_{.whole = options.whole_planes, .together = options.device == Device::cuda},
      cuda_(options.device == Device::cuda) {
  const Plan copy =
      make_plan(Filter{.kernels = {Kernel(1, 1, {1.0})}}, plan_.sample, {}, Role::colour);
  copier_ = pick(copy, options.device).convolver(options.threads);
  blender_ =
      cuda_ ? make_cuda_blender(plan_.sample) : make_cpu_blender(plan_.sample, options.threads);
  const bool edges = kind() == PartPlace::Kind::edges;
  if (kind() == PartPlace::Kind::fixed || (edges && cuda_)) {
    const KnownPlace& here =
        known.find(place_, [&] { return look_at(*work.format, width, height); });
    now_.pieces = here.pieces;
    now_.weights = here.weights;
    device_edges_ = here.mask;
    set_windows(now_);
    std::size_t most = 1;
    for (const PartWindows& windows : now_.windows)
      most = std::max({most, windows.windows().size(), windows.parts().size()});
    pairs_.reserve(most * step.components.size());
    for (std::vector<Blend>* blends : {&round_, &left_, &weighted_})
      blends->reserve(2 * most * step.components.size());  // of both fields
    return;
  }
  now_.pieces = std::make_shared<PartPieces>();
  if (kind() == PartPlace::Kind::video)
    video_ = known.video(*work.masks, step.where->place().mask_video());
  if (edges)
    edges_ = std::make_unique<EdgeMask>(step.where->place().edges()->of_stored(step.where->shown()),
                                        *work.format, width, height, options.threads);
}

KnownPlace PartStep::look_at(const PixelFormat& format, int width, int height) const {
  KnownPlace known{.place = place_, .pieces = std::make_shared<PartPieces>()};
  place_.add(*known.pieces);
  if (kind() == PartPlace::Kind::edges) {
    known.mask = make_device_mask(place_, format, width, height);
    known.weights = known.mask->weights();
  } else if (!known.pieces->weights.empty()) {
    known.weights = blender_->hold(known.pieces->weights);
  }
  return known;
}

void PartStep::set_picture(std::span<const ConstBytePlane> components, bool by_field,
                           CudaStream stream) {
  if (device_edges_) device_edges_->make(components, by_field, stream);
  if (!edges_) return;
  now_.pieces->clear();
  place_.add(edges_->of(components, by_field), *now_.pieces);
  now_.weights = blender_->hold(now_.pieces->weights);
  set_windows(now_);
}

void PartStep::set_frame(const Frame& frame) {
  if (!place_.moves()) return;
  find_part(frame, now_);
  now_.weights = blender_->hold(now_.pieces->weights);
}

void PartStep::find_part(const Frame& frame, PartNow& now) const {
  now.pieces->clear();
  if (video_)
    place_.add(frame, *video_, *now.pieces);
  else
    place_.add(frame, notes_, now.boxes, *now.pieces);
  set_windows(now);
}

void PartStep::set_windows(PartNow& now) const {
  const Rect plane{0, 0, place_.plane_width(), place_.plane_height()};
  for (std::size_t which = 0; which < now.windows.size(); ++which) {
    now.rects.clear();
    for (const PartPiece& piece : now.pieces->planes[which]) now.rects.push_back(piece.rect);
    const Rect rows = rows_of(plane, which);
    now.windows[which].set(now.rects, reach_of(plan_), plan_.border, rows.width, rows.height, rule_,
                           plan_.blocks);
  }
}

void PartStep::add_rects(std::size_t which, std::vector<Rect>& rects) const {
  for (const PartPiece& piece : now_.pieces->planes[which]) rects.push_back(piece.rect);
}

void PartStep::run(Convolver& convolver, std::span<const Planes> components, bool by_field,
                   CudaStream stream, const PartNow& now) {
  left_.clear();
  filter(convolver, components, by_field, stream, now, left_);
  bring_in(left_, stream);
}

void PartStep::filter(Convolver& convolver, std::span<const Planes> components, bool by_field,
                      CudaStream stream, const PartNow& now, std::vector<Blend>& left) {
  pairs_.clear();
  for (const Planes& c : components)
    if (!c.copied) pairs_.push_back({c.from, c.to});
  copier_->run(pairs_, stream);
  if (!by_field) return filter_part(convolver, components, 0, stream, now, left);
  filter_part(convolver, components, 1, stream, now, left);
  filter_part(convolver, components, 2, stream, now, left);
}

void PartStep::filter_part(Convolver& convolver, std::span<const Planes> components,
                           std::size_t which, CudaStream stream, const PartNow& now,
                           std::vector<Blend>& left) {
  const int bytes = plan_.sample.bytes();
  const PartWindows& windows = now.windows[which];
  PartWindows::Round done{0, 0};
  for (const PartWindows::Round& round : windows.rounds()) {
    pairs_.clear();
    for (std::size_t w = done.windows; w < round.windows; ++w)
      for (const Planes& c : components)
        pairs_.push_back({part_of(rows_of(c.from, which), windows.windows()[w], bytes),
                          part_of(rows_of(c.beside, which), windows.windows()[w], bytes)});
    convolver.run(pairs_, stream);
    const auto parts = std::span(windows.parts()).subspan(done.parts, round.parts - done.parts);
    done = round;
    if (&round == &windows.rounds().back()) return add_pieces(components, which, parts, now, left);
    round_.clear();
    add_pieces(components, which, parts, now, round_);
    bring_in(round_, stream);
  }
}

void PartStep::add_pieces(std::span<const Planes> components, std::size_t which,
                          std::span<const std::size_t> parts, const PartNow& now,
                          std::vector<Blend>& blends) const {
  const int bytes = plan_.sample.bytes();
  for (const std::size_t part : parts) {
    const PartPiece& piece = now.pieces->planes[which][part];
    for (const Planes& c : components)
      blends.push_back(
          {{part_of(rows_of(c.beside, which), piece.rect, bytes).as<const std::byte>(),
            part_of(rows_of(c.to, which), piece.rect, bytes)},
           piece.weights < 0 ? Plane<const std::uint8_t>() : piece.weights_in(now.weights.get())});
  }
}

// On a CUDA device all in one launch. On the CPU the copier is quicker with packed pixels.
void PartStep::bring_in(std::span<const Blend> left, CudaStream stream) {
  if (cuda_) return blender_->run(left, stream);
  pairs_.clear();
  weighted_.clear();
  for (const Blend& blend : left)
    if (blend.weights.data)
      weighted_.push_back(blend);
    else
      pairs_.push_back(blend.planes);
  copier_->run(pairs_, stream);
  blender_->run(weighted_, stream);
}

PartSteps make_part_steps(const Work& work, int width, int height, const ProcessorOptions& options,
                          KnownPlaces& known) {
  PartSteps parts;
  for (const Step& step : work.steps)
    parts.push_back(step.where
                        ? std::make_unique<PartStep>(work, step, width, height, options, known)
                        : nullptr);
  return parts;
}

}  // namespace vidconv
