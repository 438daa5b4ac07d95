// Parts of all filters of the caller's pictures on CUDA devices.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/picture/plane.h"
#include "pipeline/device/cuda_objects.h"
#include "pipeline/filter/picture_filter.h"
#include "pipeline/filter/picture_steps.h"

namespace vidconv {

inline constexpr const char* use_cpu = "use `device` cpu";

// Throws Error(device) if there is no such device.
void check_there_is_device(int index);

// Throws Error(usage), by `act` and with `remedy`, for planes in memory that the device cannot use:
// a kernel that meets it would make the device useless to the whole process.
void check_device_memory(int device, std::span<const PlaceOfPlane> planes, const char* act,
                         const char* remedy);

// Copies a picture in host memory.
void copy_rows(std::span<const PlaneExtent> extents, std::span<const PlaceOfPlane> from,
               std::span<const PlaceOfPlane> to);

// The runs of one filter on callers' streams. The filter's own memory is that of the last run,
// which may be on its way on another stream.
class QueuedRuns {
 public:
  explicit QueuedRuns(int device);  // it must be current
  ~QueuedRuns();                    // waits for the last run
  QueuedRuns(const QueuedRuns&) = delete;
  QueuedRuns& operator=(const QueuedRuns&) = delete;

  // Calls queue() when the stream has been made to wait for the last run. The device is current
  // meanwhile. `from` and `to`: the planes that it uses. Throws Error(usage) for memory that the
  // device cannot use, and Error(device).
  template <class Queue>
  void run(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to, CudaStream stream,
           const Queue& queue) {
    for (const auto planes : {from, to})
      check_device_memory(device_, planes, "cannot filter on the device",
                          "copy the picture to the device, or use `device` cpu");
    const CurrentDevice current(device_);
    begin(stream);
    try {
      as_device_error(use_cpu, queue);
    } catch (...) {
      cudaEventRecord(done_.get(), stream);  // some of it may be queued
      throw;
    }
    check_cuda(cudaEventRecord(done_.get(), stream), "cannot note what is queued on a stream");
  }

 private:
  void begin(CudaStream stream);

  const int device_;
  const Event done_;  // recorded after the last run
  CudaStream stream_ = nullptr;
  bool used_ = false;
};

// The floats of pictures of half floats, on the device that is current.
class HalvesOnDevice {
 public:
  HalvesOnDevice(const PixelFormat& format, int width, int height);

  // Queue the making of floats of one or several pictures, and return their places until the next
  // call. It allocates memory where there are more than in any call before.
  std::span<const PlaceOfPlane> floats_of(std::span<const PlaceOfPlane> halves, CudaStream stream);
  // Returns where a filter puts its result.
  std::span<const PlaceOfPlane> result() const { return to_.planes; }
  // Queues the making of halves of the result.
  void store(std::span<const PlaceOfPlane> halves, CudaStream stream) const;
  std::size_t memory() const;

 private:
  BytePlane at(const PlaceOfPlane& place, std::size_t p) const;

  const PixelFormat& format_;
  const int width_, height_;
  std::vector<OwnPicture> from_;
  std::vector<PlaceOfPlane> places_;  // theirs
  const OwnPicture to_;
  std::vector<BytePlane> shapes_;
};

}  // namespace vidconv
