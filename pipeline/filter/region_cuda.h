// Filters of a part of the picture on a CUDA device.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/device/cuda_objects.h"
#include "pipeline/filter/region_step.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

// What one frame in flight needs where filters act in boxes or by mask videos, which are others in
// each: what they are, and their weights on their way to the device.
struct SlotBoxes {
  std::vector<FrameRegion> steps;
  std::unique_ptr<std::byte, void (*)(std::byte*)> staging{nullptr, nullptr};  // pinned
  DeviceBuffer weights;
  std::size_t used = 0;  // bytes of both
};

// The device is current in all that is called here.
class CudaRegions {
 public:
  CudaRegions(const TimedWork& work, int width, int height, const ProcessorOptions& options);

  // nullptr where the step of that case acts on all of the picture.
  RegionStep* of(std::size_t number, std::size_t step) const { return cases_[number][step].get(); }
  // The first one of them; nullptr where that case has none.
  RegionStep* first(std::size_t number) const;
  // Whether all that happens to a frame of that case is that parts of it change.
  bool only_edits(std::size_t number) const { return only_edits_[number]; }
  // Whether it acts in boxes, or by a mask video.
  bool moves(std::size_t number, std::size_t step) const;
  std::size_t bytes() const { return places_.bytes(); }  // on the device

  // How many weights the boxes and masks of a frame may have.
  std::size_t most_weights() const { return most_weights_; }
  // For a slot: `weights` is memory of the device for as many, and the host's is of this node.
  SlotBoxes make_slot(DeviceBuffer weights, std::optional<int> node) const;
  // Finds the boxes and masks of a frame of that case, on the host.
  void set(SlotBoxes& boxes, const Frame& frame, std::size_t number) const;
  // Queues the copy of their weights.
  static void upload(const SlotBoxes& boxes, const Stream& stream);

  // Queues what makes the masks of a picture of that case, each once, as RegionStep::set_picture().
  void make_masks(std::size_t number, std::span<const ConstBytePlane> components, bool by_field,
                  CudaStream stream) const;
  // What the step filters of a slot's frame, which is of that case.
  const FrameRegion& now(const SlotBoxes& boxes, std::size_t number, std::size_t step) const;

 private:
  SharedRegions places_;
  std::vector<RegionSteps> cases_;
  std::vector<bool> only_edits_;                   // of each
  std::size_t most_steps_ = 0, most_weights_ = 0;  // where some act in boxes or by mask videos
};

}  // namespace vidconv
