// These classes own CUDA objects. All are move-only, belong to the device that is current when they
// are made, and throw Error(device) if CUDA refuses.
#pragma once

#include <cuda_runtime_api.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "kernels/cuda/common/device_buffer.h"
#include "pipeline/av/pool.h"

namespace vidconv {

// Throws Error(device) unless `result` is success. `act` was tried ("cannot upload a frame") on
// `value`.
void check_cuda(cudaError_t result, const char* act, const std::string& value = {});

// Runs `queue`, which launches kernels: their code knows no Error. `remedy`: what to do if they are
// refused.
template <class F>
auto as_device_error(const char* remedy, F&& queue) {
  try {
    return queue();
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw Error(Fault::device, "the CUDA device failed", "", error.what(), remedy);
  }
}

// Makes CUDA fail in tests: after so many more checked calls, the next `times` calls count as
// having failed with `error`. cudaSuccess: ends that.
void fail_cuda_after(int calls, cudaError_t error, int times = INT_MAX);

// Says for people why there are no devices: by cudaGetDeviceCount()'s result, and the CUDA version
// that the driver is made for, 0 if there is none.
std::string why_no_device(cudaError_t error, int driver);

// Returns the number of allocations of device and pinned memory so far, in this process.
std::int64_t cuda_allocations();

// Returns a function of the driver (CUDA 12); nullptr if there is none of that name, or no driver.
void* driver_function(const char* name) noexcept;

// Makes a device current in this thread, and the former one again at the end of the scope, unless
// that would wake it. Costs next to nothing if the device is current already.
class CurrentDevice {
 public:
  explicit CurrentDevice(int index);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  const int index_;
  int before_ = 0;
  bool slept_ = false;  // the former device
};

// A point in the work of a stream: for the order of things, or with the time at which the device
// passed it. Times cost the device a microsecond or two each, which small frames feel.
class Event {
 public:
  enum class Kind : std::uint8_t { order, time };
  explicit Event(Kind kind);

  // Blocks this thread until the device has passed the last record(): polls for a millisecond, then
  // sleeps. Returns at once if nothing was recorded.
  void wait() const;
  // Returns the time between two events of Kind::time that the device has passed.
  static double seconds(const Event& begin, const Event& end);

  cudaEvent_t get() const { return event_.get(); }

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy> event_;
};

// A queue of device work that runs in order, independent of other streams. Destruction does not
// wait: synchronise first if the work uses memory that is freed too.
class Stream {
 public:
  Stream();

  // These functions do not block.
  void record(const Event& event) const;
  // Makes work that is queued later wait for the last record() of `event`.
  void wait_for(const Event& event) const;
  // The host's memory must stay as it is until the copy is done; a copy from or to memory that is
  // not pinned may block. An upload may come from the memory of another device too.
  void upload(std::byte* device, const std::byte* from, std::size_t bytes) const;
  void download(std::byte* host, const std::byte* device, std::size_t bytes) const;

  // Blocks until all queued work is done; throws what went wrong in it.
  void synchronise() const;

  cudaStream_t get() const { return stream_.get(); }

 private:
  struct Destroy {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  };
  std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Destroy> stream_;
};

using cuda::DeviceBuffer;

// Returns memory of cuda:`device`, set to zero. Blocks until the device has done that and what is
// queued on the stream, which is one of its own.
DeviceBuffer make_cleared_buffer(int device, std::size_t bytes, const Stream& stream);

// Memory of the device that is current when a pool of frames grows; not cleared.
extern const FrameMemory device_memory;

}  // namespace vidconv
