// CudaRegions runs filters of regions on a CUDA device.
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

// A slot's regions where filters act in boxes or by mask videos, which differ in each frame, and
// their weights on the way to the device.
struct SlotBoxes {
  std::vector<FrameRegion> steps;
  std::vector<std::shared_ptr<RegionPieces>> pieces;                           // each step's own
  std::unique_ptr<std::byte, void (*)(std::byte*)> staging{nullptr, nullptr};  // pinned
  DeviceBuffer weights;
  std::size_t used = 0;  // bytes in use of both
};

// The device must be current in every call.
class CudaRegions {
 public:
  CudaRegions(const TimedWork& work, int width, int height, const ProcessorOptions& options);

  // Returns nullptr if the step of that case acts on the whole picture.
  RegionStep* of(std::size_t number, std::size_t step) const { return cases_[number][step].get(); }
  // Returns the case's first region step; nullptr if it has none.
  RegionStep* first(std::size_t number) const;
  // Returns whether all that happens to a frame of that case is that regions of it change, and no
  // step needs the frame as it was before another.
  bool only_edits(std::size_t number) const { return only_edits_[number]; }
  // Returns whether the step acts in boxes or by a mask video.
  bool moves(std::size_t number, std::size_t step) const;
  std::size_t bytes() const { return places_.bytes(); }  // bytes on the device

  // Returns the most weights that the boxes and masks of a frame may have.
  std::size_t most_weights() const { return most_weights_; }
  // Makes a slot's boxes. `weights`: device memory for most_weights(); the host's is on `node`.
  SlotBoxes make_slot(DeviceBuffer weights, std::optional<int> node) const;
  // Finds the boxes and masks of a frame of that case, on the host.
  void set(SlotBoxes& boxes, const Frame& frame, std::size_t number) const;
  // Queues the copy of their weights to the device.
  static void upload(const SlotBoxes& boxes, const Stream& stream);

  // Queues the kernels that make a picture's masks, each once, as RegionStep::set_picture() does.
  void make_masks(std::size_t number, std::span<const ConstBytePlane> components, bool by_field,
                  CudaStream stream) const;
  // Returns what the step of that case filters in a slot's frame.
  const FrameRegion& now(const SlotBoxes& boxes, std::size_t number, std::size_t step) const;

 private:
  SharedRegions places_;
  std::vector<RegionSteps> cases_;
  std::vector<bool> only_edits_;                   // one per case
  std::size_t most_steps_ = 0, most_weights_ = 0;  // in cases with boxes or mask videos
};

}  // namespace vidconv
