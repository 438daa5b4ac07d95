#include "pipeline/filter/region_step.h"

#include <algorithm>

#include "kernels/convolver/weighted_pairs.h"
#include "kernels/picture/rects.h"
#include "kernels/variants/variants.h"
#include "pipeline/base/error.h"

namespace vidconv {

std::size_t SharedRegions::bytes() const {
  std::size_t bytes = 0;
  for (const SharedRegion& known : known_)
    bytes += known.pieces->weights.size() + (known.mask ? known.mask->bytes() : 0);
  return bytes;
}

std::shared_ptr<MaskVideo> SharedRegions::video(MaskVideos& masks, const std::string& path) {
  std::shared_ptr<MaskVideo>& video = videos_[path];
  if (!video) video = masks.open(path);
  return video;
}

bool FrameRegion::in_one_round(bool by_field) const {
  const auto one = [](const RegionWindows& w) { return w.rounds().size() <= 1; };
  return by_field ? one(windows[1]) && one(windows[2]) : one(windows[0]);
}

RegionStep::RegionStep(const Work& work, const Step& step, int width, int height,
                       const ProcessorOptions& options, SharedRegions& known)
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
  const bool edges = kind() == RegionPlace::Kind::edges;
  if (kind() == RegionPlace::Kind::fixed || (edges && cuda_)) {
    const SharedRegion& here =
        known.find(place_, [&] { return look_at(*work.format, width, height); });
    now_.pieces = here.pieces;
    now_.weights = here.weights;
    device_edges_ = here.mask;
    set_windows(now_);
    std::size_t most = 1;
    for (const RegionWindows& windows : now_.windows)
      most = std::max({most, windows.windows().size(), windows.parts().size()});
    pairs_.reserve(most * (step.components.size() + 1));  // and weights
    for (std::vector<Blend>* blends : {&round_, &left_, &weighted_})
      blends->reserve(2 * most * step.components.size());  // two fields
    return;
  }
  now_.pieces = std::make_shared<RegionPieces>();
  if (kind() == RegionPlace::Kind::video)
    video_ = known.video(*work.masks, step.where->place().mask_video());
  if (edges)
    edges_ = std::make_unique<EdgeMask>(step.where->place().edges()->of_stored(step.where->shown()),
                                        *work.format, width, height, options.threads);
}

SharedRegion RegionStep::look_at(const PixelFormat& format, int width, int height) const {
  SharedRegion known{.place = place_, .pieces = std::make_shared<RegionPieces>()};
  place_.add(*known.pieces);
  if (kind() == RegionPlace::Kind::edges) {
    known.mask = make_device_mask(place_, format, width, height);
    known.weights = known.mask->weights();
  } else if (!known.pieces->weights.empty()) {
    known.weights = blender_->hold(known.pieces->weights);
  }
  return known;
}

void RegionStep::set_picture(std::span<const ConstBytePlane> components, bool by_field,
                             CudaStream stream) {
  if (device_edges_) device_edges_->make(components, by_field, stream);
  if (!edges_) return;
  now_.pieces->clear();
  place_.add(edges_->of(components, by_field), *now_.pieces);
  now_.weights = blender_->hold(now_.pieces->weights);
  set_windows(now_);
}

void RegionStep::set_frame(const Frame& frame) {
  if (!place_.moves()) return;
  find_region(frame, now_);
  now_.weights = blender_->hold(now_.pieces->weights);
}

void RegionStep::find_region(const Frame& frame, FrameRegion& now) const {
  if (!finder_) {
    now.pieces->clear();
    if (video_)
      place_.add(frame, *video_, *now.pieces);
    else
      place_.add(frame, notes_, now.boxes, *now.pieces);
  }
  set_windows(now);
}

void RegionStep::set_windows(FrameRegion& now) const {
  const Rect plane{0, 0, place_.plane_width(), place_.plane_height()};
  for (std::size_t which = 0; which < now.windows.size(); ++which) {
    now.rects.clear();
    for (const RegionPiece& piece : pieces(now)[which]) now.rects.push_back(piece.rect);
    const Rect rows = rows_of(plane, which);
    now.windows[which].set(now.rects, reach_of(plan_), plan_.border, rows.width, rows.height, rule_,
                           plan_.blocks);
  }
}

void RegionStep::add_rects(std::size_t which, std::vector<Rect>& rects) const {
  for (const RegionPiece& piece : pieces(now_)[which]) rects.push_back(piece.rect);
}

void RegionStep::run(Convolver& convolver, std::span<const Planes> components, bool by_field,
                     CudaStream stream, const FrameRegion& now) {
  left_.clear();
  filter(convolver, components, by_field, stream, now, left_);
  bring_in(left_, stream);
}

void RegionStep::filter(Convolver& convolver, std::span<const Planes> components, bool by_field,
                        CudaStream stream, const FrameRegion& now, std::vector<Blend>& left) {
  pairs_.clear();
  for (const Planes& c : components)
    if (!c.copied && !c.only_read()) pairs_.push_back({c.from, c.to});
  copier_->run(pairs_, stream);
  if (!by_field) return filter_region(convolver, components, 0, stream, now, left);
  filter_region(convolver, components, 1, stream, now, left);
  filter_region(convolver, components, 2, stream, now, left);
}

void RegionStep::filter_region(Convolver& convolver, std::span<const Planes> components,
                               std::size_t which, CudaStream stream, const FrameRegion& now,
                               std::vector<Blend>& left) {
  const int bytes = plan_.sample.bytes();
  const RegionWindows& windows = now.windows[which];
  RegionWindows::Round done{0, 0};
  for (const RegionWindows::Round& round : windows.rounds()) {
    pairs_.clear();
    for (std::size_t w = done.windows; w < round.windows; ++w)
      for (const Planes& c : components)
        pairs_.push_back(
            c.only_read()
                ? weights_of(rows_of(c.from, which), windows.windows()[w])
                : PlanePair{part_of(rows_of(c.from, which), windows.windows()[w], bytes),
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

void RegionStep::add_pieces(std::span<const Planes> components, std::size_t which,
                            std::span<const std::size_t> parts, const FrameRegion& now,
                            std::vector<Blend>& blends) const {
  const int bytes = plan_.sample.bytes();
  for (const std::size_t part : parts) {
    const RegionPiece& piece = pieces(now)[which][part];
    for (const Planes& c : components) {
      if (c.only_read()) continue;
      blends.push_back(
          {{part_of(rows_of(c.beside, which), piece.rect, bytes).as<const std::byte>(),
            part_of(rows_of(c.to, which), piece.rect, bytes)},
           piece.weights < 0 ? Plane<const std::uint8_t>() : piece.weights_in(now.weights.get()),
           place_.level()});
    }
  }
}

// Returns the part of the weights that samples of a window count by.
PlanePair RegionStep::weights_of(const ConstBytePlane& weights, const Rect& window) const {
  const Subsampling s = plan_.weighted->weights;
  Rect r{window.x * s.x, window.y * s.y, window.width * s.x, window.height * s.y};
  r.width = std::min(r.width, weights.width - r.x);
  r.height = std::min(r.height, weights.height - r.y);
  return as_weights(part_of(weights, r, plan_.sample.bytes()));
}

// Brings in all in one launch on a CUDA device. On the CPU the copier is quicker with packed
// pixels.
void RegionStep::bring_in(std::span<const Blend> left, CudaStream stream) {
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

RegionSteps make_region_steps(const Work& work, int width, int height,
                              const ProcessorOptions& options, SharedRegions& known) {
  RegionSteps parts;
  for (const Step& step : work.steps) {
    std::unique_ptr<RegionStep> part;
    if (step.where) part = std::make_unique<RegionStep>(work, step, width, height, options, known);
    for (std::size_t s = 0; part && part->kind() == RegionPlace::Kind::video && s < parts.size();
         ++s)
      if (parts[s] && parts[s]->place() == part->place()) {
        part->set_finder(s, *parts[s]);
        break;
      }
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace vidconv
