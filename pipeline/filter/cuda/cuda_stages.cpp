#include "pipeline/filter/cuda/cuda_stages.h"

#include <utility>

#include "pipeline/device/cuda.h"

namespace vidconv {
namespace {

constexpr const char* leave_cuda = "use `device` cpu";

// Returns the kernels' names in traces. The plans' texts would not do: a user may write anything.
std::vector<std::string> kernel_names(const TimedWork& work,
                                      const std::vector<std::string>& variants) {
  std::vector<std::string> names;
  for (const Work& one : work.cases())
    for (const Step& step : one.steps) {
      std::string name = variants[names.size()];
      for (const std::size_t i : step.components)
        name += std::string(" ") + one.format->components[i].name;
      if (step.where) name += ", a part";
      names.push_back(name);
    }
  return names;
}

// Returns the bytes of a frame of that size as decoders pad it. A larger frame makes its slot grow.
std::size_t padded_bytes(const TimedWork& work, int width, int height) {
  return aligned_layout(work.format(), width + 128, height + 64).bytes;
}

// Where regions change in the input's copy, the copy goes out, with its padding.
FrameLayout output_layout(const TimedWork& work, int width, int height) {
  FrameLayout layout = aligned_layout(work.format(), width, height);
  if (work.has_regions()) layout.bytes = padded_bytes(work, width, height);
  return layout;
}

// Returns where the planes of a frame lie whose extent begins at `at`.
TimeFrame planes_at(const Frame& frame, const std::byte* at) {
  TimeFrame planes;
  const std::byte* const first = frame.extent().data();
  for (int p = 0; p < frame.format().planes; ++p)
    planes.planes[static_cast<std::size_t>(p)] = {.data = at + (frame.row(p, 0) - first),
                                                  .stride = frame.av().linesize[p],
                                                  .rows = frame.format().rows(p, frame.height())};
  return planes;
}
TimeFrame planes_at(const FrameLayout& layout, const std::byte* at) {
  TimeFrame planes;
  for (std::size_t p = 0; p < static_cast<std::size_t>(layout.format->planes); ++p)
    planes.planes[p] = {.data = at + layout.offset[p],
                        .stride = layout.stride[p],
                        .rows = layout.format->rows(static_cast<int>(p), layout.height)};
  return planes;
}

// Returns the filter over time among the steps; the last iterator where its taps are on the frame
// itself or there is none.
auto step_over_time(const std::vector<Step>& steps) {
  return std::ranges::find_if(
      steps, [](const Step& step) { return step.plan.operation() == Operation::over_time; });
}

// Returns how many frames lie under the taps of filters that act on light; 0 where none does.
int taps_on_light(const TimedWork& work) {
  int most = 0;
  for (const Work& one : work.cases()) {
    const auto step = step_over_time(one.steps);
    if (step != one.steps.end() && step->from != Place::input)
      most = std::max(most, step->plan.tap_frames().count);
  }
  return most;
}

}  // namespace

CudaStages::CudaStages(const TimedWork& work, int width, int height,
                       const ProcessorOptions& options, const CudaStreams& streams)
    : work_(work),
      device_(options.device_index),
      node_(node_of_device(device_)),
      stay_(options.stay_on_device),
      scan_(options.scan),
      upload_(streams.upload),
      convolve_(streams.convolve),
      download_(streams.download),
      pool_(output_layout(work_, width, height), stay_ ? device_memory : pinned_memory_near(node_)),
      padded_(padded_bytes(work_, width, height)),
      scratch_layout_(aligned_layout(work_.scratch_format(), width, height)),
      codes_layout_(aligned_layout(work_.format(), width, height)),
      convolvers_(work_, options,
                  [&](const Prepared& prepared) {
                    return as_device_error(leave_cuda, [&] { return prepared(options.threads); });
                  }),
      parts_(
          as_device_error(leave_cuda, [&] { return CudaRegions(work_, width, height, options); })),
      timeline_(kernel_names(work_, convolvers_.variants()), options.trace, options.track,
                last_stage()) {
  std::size_t kernels = 0;
  for (const Work& one : work_.cases()) {
    std::vector<const Convolver*> convolvers;
    for (std::size_t s = 0; s < one.steps.size(); ++s)
      convolvers.push_back(&convolvers_.of(planes_of_.size(), s));
    planes_of_.push_back(planes_of_steps(one, width, convolvers));
    first_kernels_.push_back(kernels);
    kernels += one.steps.size();
  }
  for (int i = 0; i < work_.scratch_frames(); ++i)
    scratch_[static_cast<std::size_t>(i)] = allocate(scratch_layout_.bytes);
  if (work_.has_regions()) beside_ = allocate(scratch_layout_.bytes);
  if (std::ranges::any_of(work_.cases(), &Work::brings_codes))
    codes_ = allocate(codes_layout_.bytes);
  light_.resize(static_cast<std::size_t>(taps_on_light(work_)));
  for (LightFrame& frame : light_) frame.memory = allocate(scratch_layout_.bytes);
  pool_.reserve(options.slots);
}

CudaStages::~CudaStages() {
  for (const Stream* stream : {&upload_, &convolve_, &download_})
    cudaStreamSynchronize(stream->get());
}

DeviceBuffer CudaStages::allocate(std::size_t bytes) {
  DeviceBuffer buffer = make_cleared_buffer(device_, bytes, upload_);
  device_bytes_ += bytes;
  return buffer;
}

std::unique_ptr<Slot> CudaStages::make_slot(bool placed) {
  auto slot = std::make_unique<Slot>(work_.most_steps());
  slot->placed = placed;
  if (!placed) slot->input_memory = allocate(padded_);
  if (!stay_) slot->output_memory = allocate(pool_.layout().bytes);
  const std::size_t weights = parts_.most_weights();
  slot->boxes = parts_.make_slot(weights > 0 ? allocate(weights) : DeviceBuffer(), node_);
  host_bytes_ += weights;
  return slot;
}

void CudaStages::warm_up(Slot& slot) {
  slot.input.emplace(pool_.get(), 0, stay_ ? Frame::Memory::device : Frame::Memory::host);
  if (slot.placed)  // any memory does
    slot.input_at = stay_ ? slot.input->extent().data() : slot.output_memory.data();
  prepare_memory(slot);  // and no boxes, which would count as filtered
  for (std::size_t number = 0; number < work_.cases().size(); ++number) {
    convolve(slot, number);
    const std::vector<Step>& steps = work_.cases()[number].steps;
    for (std::size_t s = 0; s < steps.size(); ++s)
      if (parts_.moves(number, s)) warm_up_part(slot, number, s);
  }
  convolve_.synchronise();
  slot.input.reset();
  slot.output.reset();
}

// Launches the kernels of a step whose boxes are not known yet.
void CudaStages::warm_up_part(const Slot& slot, std::size_t number, std::size_t s) {
  pairs_.clear();
  const Step& step = work_.cases()[number].steps[s];
  for (const std::size_t i : step.components) {
    const BytePlane made = beside(slot, step, i);
    pairs_.push_back({plane(slot, step.from, i).as<const std::byte>(), made});
    left_.push_back({{made.as<const std::byte>(), plane(slot, step.to, i)}, {}});
  }
  as_device_error(leave_cuda, [&] { convolvers_.of(number, s).run(pairs_, convolve_.get()); });
  left_by_ = parts_.of(number, s);
  bring_in();
}

void CudaStages::prepare(Slot& slot) {
  prepare_memory(slot);
  const std::size_t number = work_.case_of(*slot.input);
  parts_.set(slot.boxes, *slot.input, number);
  slot.edits = may_edit(slot, number) && slot.output->lie_as(*slot.input);
  if (slot.edits) slot.output_at = slot.input_at;
}

// A frame that comes from the host may be edited: its copy on the device is this slot's alone.
bool CudaStages::may_edit(const Slot& slot, std::size_t number) const {
  if (stay_ || slot.in_place || !parts_.only_edits(number)) return false;
  const bool by_field = filters_by_field(*slot.input, scan_);
  for (std::size_t s = 0; s < work_.cases()[number].steps.size(); ++s)
    if (parts_.of(number, s) && !parts_.now(slot.boxes, number, s).in_one_round(by_field))
      return false;
  return true;
}

void CudaStages::prepare_memory(Slot& slot) {
  Frame& frame = *slot.input;
  slot.in_place = slot.placed || (frame.on_device() && device_of(frame.extent().data()) == device_);
  if (slot.placed) {
    // The caller has said where.
  } else if (slot.in_place) {
    slot.input_at = frame.extent().data();
  } else {
    if (slot.input_memory.size() < frame.extent().size()) {
      device_bytes_ -= slot.input_memory.size();
      slot.input_memory = allocate(frame.extent().size());
    }
    slot.input_at = slot.input_memory.data();
  }
  FramePtr av = pool_.get();
  copy_properties(frame.av(), *av);
  slot.output.emplace(std::move(av), frame.number(),
                      stay_ ? Frame::Memory::device : Frame::Memory::host);
  slot.output_at = stay_ ? slot.output->extent().data() : slot.output_memory.data();
  slot.edits = false;
}

void CudaStages::copy_up(Slot& slot) {
  const std::span<const std::byte> from = std::as_const(*slot.input).extent();
  upload_.upload(slot.input_at, from.data(), from.size());
}

void CudaStages::copy_down(Slot& slot) {
  const std::span<std::byte> to = slot.output->extent();
  download_.download(to.data(), slot.output_at, to.size());
}

void CudaStages::upload(Slot& slot) {
  if (!slot.in_place) copy_up(slot);
  CudaRegions::upload(slot.boxes, upload_);
}

void CudaStages::convolve(Slot& slot) { convolve(slot, work_.case_of(*slot.input)); }

void CudaStages::convolve(Slot& slot, std::size_t number) {
  set_taps(slot, number);
  const bool by_field = filters_by_field(*slot.input, scan_);
  const std::vector<Step>& steps = work_.cases()[number].steps;
  slot.passage.set_kernels(first_kernels_[number], steps.size());
  if (parts_.first(number)) begin_parts(slot, number, by_field);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const bool is_made = centre_ && steps[s].action == Action::to_light;  // for a tap
    if (parts_.of(number, s))
      run_part(slot, number, s, by_field);
    else if (!is_made && !is_copied_first(slot, number, steps[s]))
      run_all(slot, number, s, by_field);
    if (s + 1 == steps.size() || steps[s + 1].link != steps[s].link || steps[s + 1].adds ||
        steps[s + 1].light || steps[s + 1].plan.sample != steps[s].plan.sample)
      bring_in();
    slot.passage.end_kernel(s, convolve_);
  }
}

// Tells the case's filter over time, if it has one, which frames its taps are on.
void CudaStages::set_taps(const Slot& slot, std::size_t number) {
  const std::vector<Step>& steps = work_.cases()[number].steps;
  centre_ = nullptr;
  const auto step = step_over_time(steps);
  if (step == steps.end()) return;
  const bool light = step->from != Place::input;
  time_frames_.clear();
  if (const FrameTaps* const taps = slot.input->taps().get()) {
    for (LightFrame& frame : light_)
      if (std::ranges::find(taps->taps, frame.number, &FrameTaps::Tap::number) == taps->taps.end())
        frame.number = -1;
    for (std::size_t k = 0; k < slot.taps.size(); ++k) {
      TimeFrame there;
      if (slot.taps[k]) {
        there = light ? planes_at(scratch_layout_, in_light(slot, number, k))
                      : planes_at(*taps->taps[k].frame, slot.taps[k]);
        there.number = taps->taps[k].number;
      }
      time_frames_.push_back(there);
    }
    const auto here = static_cast<std::size_t>(step->plan.tap_frames().anchor);
    if (light) centre_ = in_light(slot, number, here);
  }
  std::byte* const scratch = scratch_[step->from == Place::scratch0 ? 0 : 1].data();
  const TimeFrame here = light ? planes_at(scratch_layout_, centre_ ? centre_ : scratch)
                               : planes_at(*slot.input, slot.input_at);
  for (std::size_t s = 0; s < steps.size(); ++s)
    if (steps[s].plan.operation() == Operation::over_time)
      dynamic_cast<TimeConvolver&>(convolvers_.of(number, s)).set_frames(time_frames_, here);
}

// Returns where the frame of a tap lies in linear light, which is kept as long as taps are on it.
// The first step of the case makes light of codes.
std::byte* CudaStages::in_light(const Slot& slot, std::size_t number, std::size_t tap) {
  const FrameTaps::Tap& from = slot.input->taps()->taps[tap];
  const auto known = std::ranges::find(light_, from.number, &LightFrame::number);
  if (known != light_.end()) return known->memory.data();
  // There are as many as taps, and those of no tap are free.
  LightFrame& light = *std::ranges::find(light_, std::int64_t{-1}, &LightFrame::number);
  light.number = from.number;
  pairs_.clear();
  for (const std::size_t i : planes_of_[number][0].components)
    pairs_.push_back({from.frame->component_in(i, slot.taps[tap]).as<const std::byte>(),
                      component_of(scratch_layout_, i, light.memory.data())});
  as_device_error(leave_cuda, [&] { convolvers_.of(number, 0).run(pairs_, convolve_.get()); });
  return light.memory.data();
}

void CudaStages::forget_light() {
  for (LightFrame& frame : light_) frame.number = -1;
}

void CudaStages::run_all(const Slot& slot, std::size_t number, std::size_t s, bool by_field) {
  const Step& step = work_.cases()[number].steps[s];
  set_pairs(
      planes_of_[number][s], [&](std::size_t i) { return source(slot, step, i); },
      [&](std::size_t i) { return plane(slot, step.to, i); }, by_field && !step.light, pairs_);
  as_device_error(leave_cuda, [&] { convolvers_.of(number, s).run(pairs_, convolve_.get()); });
}

// Returns whether the copy that the step begins with, or consists of, is made by begin_parts() or
// is not needed.
bool CudaStages::is_copied_first(const Slot& slot, std::size_t number, const Step& step) const {
  if (slot.edits) return true;
  const RegionStep* const first = parts_.first(number);
  return first && step.from == Place::input && step.plan.sample == first->sample() &&
         (step.where || step.action == Action::copy);
}

// Makes the masks before anything changes, and in one launch the copies of what changes in part.
void CudaStages::begin_parts(const Slot& slot, std::size_t number, bool by_field) {
  const std::vector<Step>& steps = work_.cases()[number].steps;
  left_.clear();
  components_.clear();
  for (std::size_t i = 0; i < work_.format().components.size(); ++i)
    components_.push_back(plane(slot, Place::input, i).as<const std::byte>());
  pairs_.clear();
  for (const Step& step : steps)
    if (!slot.edits && !step.adds && is_copied_first(slot, number, step))
      for (const std::size_t i : step.components)
        pairs_.push_back(
            {plane(slot, step.from, i).as<const std::byte>(), plane(slot, step.to, i)});
  as_device_error(leave_cuda, [&] {
    parts_.make_masks(number, components_, by_field, convolve_.get());
    parts_.first(number)->copy(pairs_, convolve_.get());
  });
}

void CudaStages::run_part(const Slot& slot, std::size_t number, std::size_t s, bool by_field) {
  const Step& step = work_.cases()[number].steps[s];
  const bool copied = step.adds || is_copied_first(slot, number, step);
  planes_.clear();
  for (const std::size_t i : step.components)
    planes_.push_back({.from = source(slot, step, i),
                       .to = plane(slot, step.to, i),
                       .beside = beside(slot, step, i),
                       .copied = copied});
  if (step.weights)
    planes_.push_back({plane(slot, step.from, *step.weights).as<const std::byte>(), {}, {}});
  left_by_ = parts_.of(number, s);
  as_device_error(leave_cuda, [&] {
    left_by_->filter(convolvers_.of(number, s), planes_, by_field, convolve_.get(),
                     parts_.now(slot.boxes, number, s), left_);
  });
}

// Brings in the pieces that the steps of a filter have left.
void CudaStages::bring_in() {
  if (left_.empty()) return;
  as_device_error(leave_cuda, [&] { left_by_->bring_in(left_, convolve_.get()); });
  left_.clear();
}

MemoryUse CudaStages::memory() const {
  const std::size_t frames = pool_.bytes();
  return {.host = host_bytes_ + (stay_ ? 0 : frames),
          .device = device_bytes_ + parts_.bytes() + (stay_ ? frames : 0)};
}

// Returns where the step's windows of component i lie: codes of light have been made in theirs.
BytePlane CudaStages::beside(const Slot& slot, const Step& step, std::size_t i) const {
  if (step.action == Action::bring_codes) return plane(slot, Place::codes, i);
  return component_of(scratch_layout_, i, beside_.data());
}

// Returns component i of what the step reads.
ConstBytePlane CudaStages::source(const Slot& slot, const Step& step, std::size_t i) const {
  const bool light = centre_ && step.plan.operation() == Operation::over_time;
  return (light ? component_of(scratch_layout_, i, centre_) : plane(slot, step.from, i))
      .as<const std::byte>();
}

// Returns component i in device memory. All frames share the scratch memory, because convolve_
// keeps their order.
BytePlane CudaStages::plane(const Slot& slot, Place place, std::size_t i) const {
  switch (slot.edits ? Place::input : place) {
    case Place::input:
      return slot.input->component_in(i, slot.input_at);
    case Place::scratch0:
      return component_of(scratch_layout_, i, scratch_[0].data());
    case Place::scratch1:
      return component_of(scratch_layout_, i, scratch_[1].data());
    case Place::output:
      return slot.output->component_in(i, slot.output_at);
    case Place::codes:
      return component_of(codes_layout_, i, codes_.data());
  }
  throw Error(Fault::internal, "a step has no place", "", "");
}

}  // namespace vidconv
