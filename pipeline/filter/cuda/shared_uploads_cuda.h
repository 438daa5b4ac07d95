// Frames in the memory of devices, each copied there once for all outputs that filter it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "pipeline/device/cuda_objects.h"
#include "pipeline/filter/shared_uploads.h"

namespace vidconv {

// A caller of place() holds the frame and this until the device has done all that it has queued for
// the frame: so the host's memory stays as it is until the copy is done, and the device's until
// nobody reads it. The device must be current in each call.
class SharedUpload {
 public:
  // Returns where the frame will be in the device's memory, which comes from `pool` if nobody has
  // asked before.
  std::byte* place(int device, FramePool& pool);
  // Makes `stream` wait for the frame's copy. Returns whether one is queued already.
  bool wait(int device, const Stream& stream);
  // Queues the copy; only waits where that has been done. Returns whether it has queued it. After
  // place().
  bool upload(int device, std::span<const std::byte> from, const Stream& stream);
  // Gives its memory back, so that it can be another frame's.
  void forget();

 private:
  struct Copy {
    int device;
    FramePtr memory;  // null: nobody has asked
    Event there{Event::Kind::order};
    bool queued = false;
  };
  Copy* on(int device);

  std::mutex mutex_;  // guards the copies; nobody waits for an event that is not recorded yet
  std::vector<Copy> copies_;
};

class CudaUploads final : public SharedUploads {
 public:
  // Outlives what it makes.
  std::shared_ptr<SharedUpload> make() override;
  // Returns the device's pool of such frames, with at least so many of them: all who ask for the
  // same get the same. It goes when none of them has it any more. The device must be current.
  std::shared_ptr<FramePool> pool(int device, const FrameLayout& layout, int frames);

 private:
  void take_back(SharedUpload* upload) noexcept;

  std::mutex pools_mutex_;  // guards pools_; no two reserve memory for the same frames
  std::map<std::pair<int, std::size_t>, std::weak_ptr<FramePool>> pools_;  // by device and bytes
  std::mutex mutex_;                                                       // guards what follows
  std::vector<std::unique_ptr<SharedUpload>> all_;
  std::vector<SharedUpload*> unused_;  // with the events of frames before
};

}  // namespace vidconv
