// CudaChain runs a chain of filters on a CUDA device: the stages of a work, and of those that come
// before it where there are filters over time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/filter/cuda/cuda_stages.h"
#include "pipeline/filter/cuda/shared_uploads_cuda.h"
#include "pipeline/filter/frame_stages.h"

namespace vidconv {

// A slot of the last work, and what earlier ones do for its frame.
struct ChainSlot {
  explicit ChainSlot(std::unique_ptr<Slot> slot) : last(std::move(slot)) {}

  // A frame of the host in device memory. Windows share it.
  struct Copy {
    FrameStages::SharedFrame frame;
    std::shared_ptr<SharedUpload> shared;  // holds the memory instead
    FramePtr memory;
    std::byte* at = nullptr;
  };
  struct Earlier {
    std::size_t stage;
    std::unique_ptr<Slot> slot;
  };

  const std::unique_ptr<Slot> last;
  std::shared_ptr<SharedUpload> shared;  // where the input lies, if other outputs filter it too
  // The rest is for filters over time, and is held until the device no longer uses it.
  std::optional<Frame> given;                              // the frame as it came, with its window
  std::byte* given_at = nullptr;                           // its copy
  std::vector<std::shared_ptr<const Copy>> used, uploads;  // some of these are not queued yet
  std::vector<Earlier> earlier;

  std::atomic<bool> started = false;  // more than its upload is queued
  const Passage* arrival = nullptr;   // the passage whose last stage ends the group

  // The frame that was submitted.
  std::optional<Frame>& input() { return given ? given : last->input; }
};

// The device must be current in every call. The work is not one for the CPU alone (is_for_cpu()).
class CudaChain final : private FrameStages {
 public:
  CudaChain(const TimedWork& work, int width, int height, const ProcessorOptions& options);

  std::unique_ptr<ChainSlot> make_slot();
  // Gives a slot what its input needs, which is in slot.last->input. Belongs to one thread.
  void prepare(ChainSlot& slot);
  // Drops what the slot holds but for its output, once the device has done with it. Thread-safe.
  void release(ChainSlot& slot);
  // Launches each kernel once: the first launch loads its code, which must not delay a frame.
  void warm_up(ChainSlot& slot);
  // Gives all slots frames like `sample` to measure with, and takes them away again.
  void fill(std::span<const std::unique_ptr<ChainSlot>> slots, const Frame& sample);
  void empty(std::span<const std::unique_ptr<ChainSlot>> slots);

  // Each queues the work of one frame and returns; not thread-safe.
  void upload(ChainSlot& slot);
  void convolve(ChainSlot& slot);
  void download(ChainSlot& slot);
  // Queue the copies of its own frame alone.
  void copy_up(ChainSlot& slot);
  void copy_down(ChainSlot& slot);
  // Queues what follows the uploads of `slots`, which pass together. All of them are through when
  // done(last_stage()) of the last one's passage is.
  void follow_up(std::span<ChainSlot* const> slots);
  // Records in each of the three streams, in their order, an event after all that is queued by now.
  void record(std::span<const Event, 3> ends) const;

  bool downloads() const { return last().downloads(); }
  // Returns the NUMA node of filtered frames in host memory; none: any node.
  std::optional<int> node() const { return last().node(); }
  Passage::Stage last_stage() const { return last().last_stage(); }
  Timeline& timeline() { return stages_.back()->timeline(); }
  const Timeline& timeline() const { return last().timeline(); }
  MemoryUse memory() const;
  std::int64_t uploads() const { return uploads_; }  // frames copied to the device
  std::vector<std::string> variants() const;

 private:
  CudaStages& last() { return *stages_.back(); }
  const CudaStages& last() const { return *stages_.back(); }

  Frame filter(std::size_t stage, Frame input) override;
  double difference(const Frame& a, const Frame& b) override;
  Frame on_host(const Frame& frame);
  bool passes_on(std::size_t stage) const override { return stage + 1 < count(); }
  bool lies_here(const Frame& frame) const;
  void place_shared(ChainSlot& slot);
  std::byte* on_device(const Frame& frame);
  FramePool& pool_for(std::size_t bytes);
  void copy(const Frame& frame, SharedUpload* shared, std::byte* at);
  std::unique_ptr<Slot> take_slot(std::size_t stage);

  const bool staged_;
  const int device_;
  CudaUploads* const shares_;  // may be null
  CudaStreams streams_;
  std::atomic<std::int64_t> uploads_ = 0;
  std::shared_ptr<FramePool> copies_;  // memory for frames of windows, and those of all outputs
  std::optional<FramePool> hosted_;    // for those that the CPU compares
  // The copies of frames that the last window had, by where they are copied from.
  std::map<const std::byte*, std::shared_ptr<ChainSlot::Copy>> held_;
  std::mutex mutex_;                                      // guards free_
  std::vector<std::vector<std::unique_ptr<Slot>>> free_;  // slots of earlier stages
  // Destroyed before what the device may still use.
  std::vector<std::unique_ptr<CudaStages>> stages_;
  ChainSlot* now_ = nullptr;  // the slot being prepared
};

}  // namespace vidconv
