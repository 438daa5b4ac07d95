// CudaStages runs a work's steps on a CUDA device, between the copies to it and back: three stages,
// each in its own stream.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/convolver/time_convolver.h"
#include "pipeline/device/cuda_objects.h"
#include "pipeline/filter/case_convolvers.h"
#include "pipeline/filter/cuda/cuda_timeline.h"
#include "pipeline/filter/cuda/region_cuda.h"
#include "pipeline/filter/processor.h"
#include "pipeline/filter/step_planes.h"

namespace vidconv {

// The memory of one frame in flight. The frames are held until the device no longer uses them.
struct Slot {
  explicit Slot(std::size_t kernels) : passage(kernels) {}

  // Device memory for frames that have to be copied to the device and back.
  DeviceBuffer input_memory, output_memory;
  std::optional<Frame> input, output;
  std::byte *input_at = nullptr, *output_at = nullptr;  // the frames' extents in device memory
  bool in_place = false;  // the input lies on this device and is not copied
  bool placed = false;    // so it does, at input_at, whatever memory the frame is in
  // Where the extents of the frames under input->taps() lie in device memory, or nullptr.
  std::vector<std::byte*> taps;
  bool edits = false;  // the output is the input's copy, with regions changed
  SlotBoxes boxes;     // where filters act on the input
  Passage passage;
};

struct CudaStreams {
  Stream upload, convolve, download;
};

// Frames that come in this device's memory skip the upload; frames that stay there skip the
// download, which is no stage then. The device must be current in every call. What comes before the
// work (TimedWork::before()) is not regarded.
class CudaStages {
 public:
  // `streams` may be those of other works, whose frames are this one's, and outlive this.
  CudaStages(const TimedWork& work, int width, int height, const ProcessorOptions& options,
             const CudaStreams& streams);
  ~CudaStages();  // waits for the device, which may still read frames and write slots

  // Returns a slot with memory for frames of the constructor's size; `placed`: where all inputs lie
  // on the device, none for them.
  std::unique_ptr<Slot> make_slot(bool placed = false);
  // Gives a slot what its input needs: device memory, an output, and the boxes' regions.
  void prepare(Slot& slot);
  // Launches each kernel once: the first launch loads its code, which must not delay a frame.
  void warm_up(Slot& slot);
  // Forgets what was made of frames, before those whose numbers begin again.
  void forget_light();

  // Each queues the work of one frame and returns; not thread-safe.
  void upload(Slot& slot);
  void convolve(Slot& slot);
  // Queue the copies alone.
  void copy_up(Slot& slot);
  void copy_down(Slot& slot);

  bool downloads() const { return !stay_; }
  // Returns the NUMA node of filtered frames in host memory; none: any node.
  std::optional<int> node() const { return node_; }
  Passage::Stage last_stage() const { return stay_ ? Passage::convolve : Passage::download; }
  Timeline& timeline() { return timeline_; }
  const Timeline& timeline() const { return timeline_; }
  const FrameLayout& layout() const { return pool_.layout(); }
  MemoryUse memory() const;
  const std::vector<std::string>& variants() const { return convolvers_.variants(); }

 private:
  void prepare_memory(Slot& slot);
  bool may_edit(const Slot& slot, std::size_t number) const;
  void warm_up_part(const Slot& slot, std::size_t number, std::size_t s);
  void convolve(Slot& slot, std::size_t number);  // `number`: the case's index
  void set_taps(const Slot& slot, std::size_t number);
  std::byte* in_light(const Slot& slot, std::size_t number, std::size_t tap);
  void run_all(const Slot& slot, std::size_t number, std::size_t s, bool by_field);
  bool is_copied_first(const Slot& slot, std::size_t number, const Step& step) const;
  void begin_parts(const Slot& slot, std::size_t number, bool by_field);
  void run_part(const Slot& slot, std::size_t number, std::size_t s, bool by_field);
  void bring_in();
  DeviceBuffer allocate(std::size_t bytes);
  BytePlane plane(const Slot& slot, Place place, std::size_t i) const;
  ConstBytePlane source(const Slot& slot, const Step& step, std::size_t i) const;
  BytePlane beside(const Slot& slot, const Step& step, std::size_t i) const;

  const TimedWork work_;
  const int device_;
  const std::optional<int> node_;
  const bool stay_;  // filtered frames stay on the device
  const Scan scan_;
  const Stream &upload_, &convolve_, &download_;
  FramePool pool_;            // output frames
  const std::size_t padded_;  // bytes of an input frame, with a decoder's padding
  const FrameLayout scratch_layout_, codes_layout_;
  const CaseConvolvers convolvers_;
  const CudaRegions parts_;
  Timeline timeline_;
  std::array<DeviceBuffer, 2> scratch_;
  DeviceBuffer beside_;  // where regions are filtered
  DeviceBuffer codes_;   // Place::codes
  // A frame under a tap in linear light. `convolve_` makes and reads it.
  struct LightFrame {
    std::int64_t number = -1;  // below 0: none
    DeviceBuffer memory;
  };
  std::vector<LightFrame> light_;
  std::byte* centre_ = nullptr;         // light of the frame being queued, where a tap is on it
  std::vector<TimeFrame> time_frames_;  // under the taps of the frame being queued
  std::vector<std::vector<StepPlanes>> planes_of_;  // for each step of each case
  std::vector<std::size_t> first_kernels_;          // each case's first index among all kernels
  std::vector<PlanePair> pairs_;                    // planes of the step being queued
  std::vector<RegionStep::Planes> planes_;          // planes of the region being queued
  std::vector<ConstBytePlane> components_;          // components of its frame
  std::vector<Blend> left_;        // filtered pieces that are not in their frame yet
  RegionStep* left_by_ = nullptr;  // brings them in: a step of the same samples
  // Bytes allocated, but for those of pool_.
  std::atomic<std::size_t> device_bytes_ = 0, host_bytes_ = 0;
};

}  // namespace vidconv
