// Picture filters on CUDA devices: on the caller's stream, and for pictures in host memory.
#include <cstring>
#include <utility>

#include "kernels/cuda/copy/halves.h"
#include "pipeline/device/cuda.h"
#include "pipeline/device/cuda_objects.h"
#include "pipeline/filter/picture_filter.h"
#include "pipeline/filter/picture_steps.h"

namespace vidconv {
namespace {

constexpr const char* use_cpu = "use `device` cpu";

// The floats of pictures of half floats, on the device that is current.
class HalvesOnDevice {
 public:
  HalvesOnDevice(const PixelFormat& format, int width, int height)
      : from_(format, width, height, device_memory, "for floats of half floats"),
        to_(format, width, height, device_memory, "for floats of half floats") {
    for (int p = 0; p < format.planes; ++p) {
      const PlaneExtent extent = extent_of_plane(format, p, width, height);
      shapes_.push_back({.width = static_cast<int>(extent.row_bytes / extent.sample_bytes),
                         .height = extent.rows});
    }
  }

  std::span<const PlaceOfPlane> floats_of(std::span<const PlaceOfPlane> halves,
                                          CudaStream stream) const {
    for (std::size_t p = 0; p < shapes_.size(); ++p)
      cuda::floats_of_halves(at(halves, p).as<const std::byte>(), at(from_.planes, p), stream);
    return from_.planes;
  }
  std::span<const PlaceOfPlane> result() const { return to_.planes; }
  void store(std::span<const PlaceOfPlane> halves, CudaStream stream) const {
    for (std::size_t p = 0; p < shapes_.size(); ++p)
      cuda::halves_of_floats(at(to_.planes, p).as<const std::byte>(), at(halves, p), stream);
  }
  std::size_t memory() const { return from_.bytes + to_.bytes; }

 private:
  BytePlane at(std::span<const PlaceOfPlane> picture, std::size_t p) const {
    BytePlane plane = shapes_[p].at(picture[p].data);
    plane.stride = picture[p].stride;
    return plane;
  }

  const OwnPicture from_, to_;
  std::vector<BytePlane> shapes_;
};

class CudaPictureFilter final : public PictureFilter {
 public:
  // The device must be current.
  CudaPictureFilter(Work work, int width, int height, const ProcessorOptions& options, bool halves)
      : device_(options.device_index),
        halves_(halves ? std::make_unique<HalvesOnDevice>(*work.format, width, height) : nullptr),
        steps_(as_device_error(use_cpu,
                               [&] {
                                 return std::make_unique<PictureSteps>(
                                     std::move(work), width, height, options, device_memory);
                               })),
        done_(Event::Kind::order) {}

  ~CudaPictureFilter() override {
    // Taps and scratch pictures may still be in use.
    if (used_) cudaEventSynchronize(done_.get());
  }

  void run(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to,
           CudaStream stream) override {
    for (const std::span<const PlaceOfPlane> picture : {from, to})
      for (const PlaceOfPlane& plane : picture) check_memory(plane.data);
    const CurrentDevice current(device_);
    // Scratch pictures are those of the last run, which may be on its way on another stream.
    if (used_ && stream != stream_)
      check_cuda(cudaStreamWaitEvent(stream, done_.get(), 0), "cannot wait for another stream");
    used_ = true;
    stream_ = stream;
    try {
      as_device_error(use_cpu, [&] {
        if (!halves_) return steps_->run(from, to, stream);
        steps_->run(halves_->floats_of(from, stream), halves_->result(), stream);
        halves_->store(to, stream);
      });
    } catch (...) {
      cudaEventRecord(done_.get(), stream);  // some of it may be queued
      throw;
    }
    check_cuda(cudaEventRecord(done_.get(), stream), "cannot note what is queued on a stream");
  }
  const std::vector<std::string>& variants() const override { return steps_->variants(); }
  std::size_t memory() const override {
    return steps_->memory() + (halves_ ? halves_->memory() : 0);
  }

 private:
  // A kernel that meets other memory would make the device useless to the whole process.
  void check_memory(const std::byte* data) const {
    cudaPointerAttributes attributes{};
    const bool known = cudaPointerGetAttributes(&attributes, data) == cudaSuccess;
    if (!known) cudaGetLastError();  // not to be found by the next launch
    const std::string device = "cuda:" + std::to_string(device_);
    if (!known || attributes.type == cudaMemoryTypeUnregistered || !attributes.devicePointer)
      throw Error(Fault::usage, "cannot filter on the device", device,
                  "a plane lies in memory that it cannot use",
                  "copy the picture to the device, or use `device` cpu");
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != device_)
      throw Error(Fault::usage, "cannot filter on the device", device,
                  "a plane lies in the memory of cuda:" + std::to_string(attributes.device),
                  "make a plan for that device");
  }

  const int device_;
  const std::unique_ptr<HalvesOnDevice> halves_;  // null for other samples
  const std::unique_ptr<PictureSteps> steps_;
  const Event done_;  // recorded after the last run
  CudaStream stream_ = nullptr;
  bool used_ = false;
};

// Pictures in the host's memory, copied to the device and back through pinned memory.
class HostedPictureFilter final : public PictureFilter {
 public:
  // The device must be current.
  HostedPictureFilter(Work work, int width, int height, const ProcessorOptions& options)
      : device_(options.device_index),
        pinned_(*work.format, width, height, pinned_memory, "for a picture on its way"),
        from_(*work.format, width, height, device_memory, "for a picture on the device"),
        to_(*work.format, width, height, device_memory, "for a picture on the device") {
    for (int p = 0; p < work.format->planes; ++p)
      extents_.push_back(extent_of_plane(*work.format, p, width, height));
    filter_ = std::make_unique<CudaPictureFilter>(std::move(work), width, height, options, false);
  }

  void run(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to,
           CudaStream) override {
    const CurrentDevice current(device_);
    copy_rows(from, pinned_.planes);
    try {
      stream_.upload(from_.data(), pinned_.data(), pinned_.bytes);
      filter_->run(from_.planes, to_.planes, stream_.get());
      stream_.download(pinned_.data(), to_.data(), pinned_.bytes);
    } catch (...) {
      cudaStreamSynchronize(stream_.get());  // pinned memory may still be read
      throw;
    }
    stream_.synchronise();
    copy_rows(pinned_.planes, to);
  }
  const std::vector<std::string>& variants() const override { return filter_->variants(); }
  std::size_t memory() const override {
    return filter_->memory() + pinned_.bytes + from_.bytes + to_.bytes;
  }

 private:
  void copy_rows(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to) const {
    for (std::size_t p = 0; p < extents_.size(); ++p)
      for (int y = 0; y < extents_[p].rows; ++y)
        std::memcpy(to[p].data + to[p].stride * y, from[p].data + from[p].stride * y,
                    static_cast<std::size_t>(extents_[p].row_bytes));
  }

  const int device_;
  const OwnPicture pinned_, from_, to_;
  std::vector<PlaneExtent> extents_;
  const Stream stream_;
  std::unique_ptr<CudaPictureFilter> filter_;  // waits for its work before the memory goes
};

}  // namespace

std::unique_ptr<PictureFilter> make_cuda_picture_filter(Work work, int width, int height,
                                                        const ProcessorOptions& options,
                                                        const PictureMemory& memory) {
  const CudaDevices found = cuda_devices();
  const std::string name = "cuda:" + std::to_string(options.device_index);
  if (found.devices.empty())
    throw Error(Fault::device, "cannot use the device", name, found.why_none, use_cpu);
  if (options.device_index >= static_cast<int>(found.devices.size()))
    throw Error(Fault::device, "cannot use the device", name,
                "there are " + std::to_string(found.devices.size()), "see `devices`");
  const CurrentDevice current(options.device_index);
  if (memory.hosted)
    return std::make_unique<HostedPictureFilter>(std::move(work), width, height, options);
  return std::make_unique<CudaPictureFilter>(std::move(work), width, height, options,
                                             memory.halves);
}

}  // namespace vidconv
