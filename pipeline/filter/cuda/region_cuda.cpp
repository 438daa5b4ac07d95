#include "pipeline/filter/cuda/region_cuda.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "pipeline/device/cuda.h"

namespace vidconv {
namespace {

bool finds_parts(const std::unique_ptr<RegionStep>& part) { return part && part->place().moves(); }

bool only_edits(const Work& work) {
  return work.has_regions() && std::ranges::all_of(work.steps, [](const Step& step) {
           return (step.where && !step.adds) || step.action == Action::copy;
         });
}

}  // namespace

CudaRegions::CudaRegions(const TimedWork& work, int width, int height,
                         const ProcessorOptions& options) {
  for (const Work& one : work.cases()) {
    cases_.push_back(make_region_steps(one, width, height, options, places_));
    only_edits_.push_back(vidconv::only_edits(one));
    std::size_t weights = 0;
    for (const auto& part : cases_.back())
      if (finds_parts(part) && !part->finder()) weights += part->place().most_weights();
    most_weights_ = std::max(most_weights_, weights);
    if (std::ranges::any_of(cases_.back(), finds_parts))
      most_steps_ = std::max(most_steps_, one.steps.size());
  }
}

SlotBoxes CudaRegions::make_slot(DeviceBuffer weights, std::optional<int> node) const {
  SlotBoxes boxes;
  boxes.weights = std::move(weights);
  boxes.steps.resize(most_steps_);
  for (FrameRegion& now : boxes.steps)
    boxes.pieces.push_back(now.pieces = std::make_shared<RegionPieces>());
  if (most_weights_ == 0) return boxes;
  const FrameMemory memory = pinned_memory_near(node);
  boxes.staging = {memory.allocate(most_weights_, memory.nodes), memory.release};
  if (!boxes.staging) throw_out_of_memory("for the weights of boxes and masks");
  return boxes;
}

void CudaRegions::set(SlotBoxes& boxes, const Frame& frame, std::size_t number) const {
  boxes.used = 0;
  const RegionSteps& parts = cases_[number];
  for (std::size_t s = 0; s < parts.size(); ++s) {
    if (!finds_parts(parts[s])) continue;
    FrameRegion& now = boxes.steps[s];
    now.pieces = boxes.pieces[parts[s]->finder().value_or(s)];
    parts[s]->find_region(frame, now);
    if (const auto& finder = parts[s]->finder()) {
      now.weights = boxes.steps[*finder].weights;
      continue;
    }
    const std::vector<std::uint8_t>& weights = now.pieces->weights;
    if (weights.empty()) continue;
    if (boxes.used + weights.size() > boxes.weights.size())
      throw Error(Fault::internal, "the masks of a frame have too many weights", "", "");
    std::memcpy(boxes.staging.get() + boxes.used, weights.data(), weights.size());
    now.weights = {std::shared_ptr<const std::uint8_t>(),
                   reinterpret_cast<const std::uint8_t*>(boxes.weights.data() + boxes.used)};
    boxes.used += weights.size();
  }
}

RegionStep* CudaRegions::first(std::size_t number) const {
  const auto found = std::ranges::find_if(cases_[number], [](const auto& part) { return !!part; });
  return found == cases_[number].end() ? nullptr : found->get();
}

bool CudaRegions::moves(std::size_t number, std::size_t step) const {
  return finds_parts(cases_[number][step]);
}

void CudaRegions::upload(const SlotBoxes& boxes, const Stream& stream) {
  if (boxes.used > 0) stream.upload(boxes.weights.data(), boxes.staging.get(), boxes.used);
}

void CudaRegions::make_masks(std::size_t number, std::span<const ConstBytePlane> components,
                             bool by_field, CudaStream stream) const {
  const RegionSteps& parts = cases_[number];
  for (auto part = parts.begin(); part != parts.end(); ++part)
    if (*part && std::none_of(parts.begin(), part, [&](const auto& before) {
          return before && before->shares_mask(**part);
        }))
      (*part)->set_picture(components, by_field, stream);
}

const FrameRegion& CudaRegions::now(const SlotBoxes& boxes, std::size_t number,
                                    std::size_t step) const {
  return moves(number, step) ? boxes.steps[step] : cases_[number][step]->now();
}

}  // namespace vidconv
