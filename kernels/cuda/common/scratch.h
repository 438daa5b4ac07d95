// Device memory that a convolver needs between two kernels of one run.
#pragma once

#include "kernels/cuda/common/device.h"
#include "kernels/cuda/common/device_buffer.h"

namespace vidconv::cuda {

// Belongs to the device that is current when it is made. Grows at the first run for larger planes,
// which waits for the device; later runs do not block. Runs on several streams wait for each other.
class Scratch {
 public:
  Scratch() : device_(current_device()) {
    check(cudaEventCreateWithFlags(&free_, cudaEventDisableTiming), "an event");
  }
  ~Scratch() { cudaEventDestroy(free_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Lends the memory to work that is queued on `stream` during this object's life.
  class Use {
   public:
    Use(const Scratch& scratch, cudaStream_t stream) : scratch_(scratch), stream_(stream) {}
    ~Use() { cudaEventRecord(scratch_.free_, stream_); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

    std::byte* data() const { return scratch_.buffer_.data(); }

   private:
    const Scratch& scratch_;
    cudaStream_t stream_;
  };

  Use use(std::size_t bytes, cudaStream_t stream) {
    if (bytes > buffer_.size()) {
      buffer_ = DeviceBuffer();  // freed first, to make room; waits for all who use it
      buffer_ = DeviceBuffer(device_, bytes, "device memory between two passes");
    }
    check(cudaStreamWaitEvent(stream, free_), "earlier uses of memory between two passes");
    return Use(*this, stream);
  }

 private:
  int device_;
  DeviceBuffer buffer_;
  cudaEvent_t free_ = nullptr;  // recorded after the last use
};

}  // namespace vidconv::cuda
