// The three stages that a frame passes on a CUDA device, each in a stream of its own.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/device/cuda_objects.h"
#include "pipeline/filter/case_convolvers.h"
#include "pipeline/filter/cuda_timeline.h"
#include "pipeline/filter/processor.h"
#include "pipeline/filter/region_cuda.h"
#include "pipeline/filter/step_planes.h"

namespace vidconv {

// What one frame in flight occupies. The frames are held until the device no longer uses them.
struct Slot {
  explicit Slot(std::size_t kernels) : passage(kernels) {}

  // In device memory, where a frame has to be copied to it and from it.
  DeviceBuffer input_memory, output_memory;
  std::optional<Frame> input, output;
  std::byte *input_at = nullptr, *output_at = nullptr;  // the frames' extents in device memory
  bool in_place = false;  // the input lies on this device: it is not copied
  bool edits = false;     // the output is the input's copy, in which parts have been changed
  SlotBoxes boxes;        // where filters act, of the input
  Passage passage;
  std::atomic<bool> started = false;  // more than its upload is queued
  const Passage* arrival = nullptr;   // whose last stage ends the group's
};

// Frames that come in this device's memory skip the upload; those that are to stay there, the
// download, which is no stage then. The device is current in all that is called here.
class CudaStages {
 public:
  CudaStages(const TimedWork& work, int width, int height, const ProcessorOptions& options);
  ~CudaStages();  // waits for the device, which may still read frames and write slots

  // With memory for frames of the size that was announced.
  std::unique_ptr<Slot> make_slot();
  // Gives a slot what its input needs: memory on the device, an output, and where boxes are.
  void prepare(Slot& slot);
  // The first launch of a kernel loads its code; that belongs to the start, not to a frame.
  void warm_up(Slot& slot);

  // Each queues the work of one frame and returns; not from two threads at once.
  void upload(Slot& slot);
  void convolve(Slot& slot);
  void download(Slot& slot);
  // The copies alone.
  void copy_up(Slot& slot);
  void copy_down(Slot& slot);

  // Queues what follows the uploads of `slots`, which pass together. The last one's
  // done(last_stage()) is when all of them are through.
  void follow_up(std::span<Slot* const> slots);
  bool downloads() const { return !stay_; }
  // That the host's memory of filtered frames comes from; none: wherever.
  std::optional<int> node() const { return node_; }
  Passage::Stage last_stage() const { return stay_ ? Passage::convolve : Passage::download; }
  // Notes in each of the three streams, in their order, that all that is queued by now is done.
  void record(std::span<const Event, 3> ends) const;

  Timeline& timeline() { return timeline_; }
  const Timeline& timeline() const { return timeline_; }
  const FrameLayout& layout() const { return pool_.layout(); }
  MemoryUse memory() const;
  const std::vector<std::string>& variants() const { return convolvers_.variants(); }

 private:
  void prepare_memory(Slot& slot);
  bool may_edit(const Slot& slot, std::size_t number) const;
  void warm_up_part(const Slot& slot, std::size_t number, std::size_t s);
  void convolve(Slot& slot, std::size_t number);  // of the case
  void run_all(const Slot& slot, std::size_t number, std::size_t s, bool by_field);
  bool is_copied_first(const Slot& slot, std::size_t number, const Step& step) const;
  void begin_parts(const Slot& slot, std::size_t number, bool by_field);
  void run_part(const Slot& slot, std::size_t number, std::size_t s, bool by_field);
  void bring_in();
  DeviceBuffer allocate(std::size_t bytes);
  BytePlane plane(const Slot& slot, Place place, std::size_t i) const;
  BytePlane beside(std::size_t i) const;

  const TimedWork work_;
  const int device_;
  const std::optional<int> node_;
  const bool stay_;  // filtered frames on the device
  const Scan scan_;
  Stream upload_, convolve_, download_;
  FramePool pool_;            // of output frames
  const std::size_t padded_;  // bytes of an input frame as decoders pad them
  const FrameLayout scratch_layout_;
  const CaseConvolvers convolvers_;
  const CudaRegions parts_;
  Timeline timeline_;
  std::array<DeviceBuffer, 2> scratch_;
  DeviceBuffer beside_;                             // where parts are filtered
  std::vector<std::vector<StepPlanes>> planes_of_;  // of each step of each case
  std::vector<std::size_t> first_kernels_;          // of each case, among all kernels
  std::vector<PlanePair> pairs_;                    // of the step being queued
  std::vector<RegionStep::Planes> planes_;          // of the part being queued
  std::vector<ConstBytePlane> components_;          // of its frame
  std::vector<Blend> left_;                         // what is filtered and not in its frame yet,
  RegionStep* left_by_ = nullptr;                   // by a step of the same samples
  // But for pool_.
  std::atomic<std::size_t> device_bytes_ = 0, host_bytes_ = 0;
};

}  // namespace vidconv
