// Picture filters on CUDA devices: on the caller's stream, and for pictures in host memory.
#include <utility>

#include "pipeline/device/cuda.h"
#include "pipeline/filter/cuda/caller_pictures_cuda.h"

namespace vidconv {
namespace {

class CudaPictureFilter final : public PictureFilter {
 public:
  // The device must be current.
  CudaPictureFilter(Work work, int width, int height, const ProcessorOptions& options, bool halves)
      : halves_(halves ? std::make_unique<HalvesOnDevice>(*work.format, width, height) : nullptr),
        steps_(as_device_error(use_cpu,
                               [&] {
                                 return std::make_unique<PictureSteps>(
                                     std::move(work), width, height, options, device_memory);
                               })),
        runs_(options.device_index) {}

  void run(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to,
           CudaStream stream) override {
    runs_.run(from, to, stream, [&] {
      if (!halves_) return steps_->run(from, to, stream);
      steps_->run(halves_->floats_of(from, stream), halves_->result(), stream);
      halves_->store(to, stream);
    });
  }
  const std::vector<std::string>& variants() const override { return steps_->variants(); }
  std::size_t memory() const override {
    return steps_->memory() + (halves_ ? halves_->memory() : 0);
  }

 private:
  const std::unique_ptr<HalvesOnDevice> halves_;  // null for other samples
  const std::unique_ptr<PictureSteps> steps_;
  QueuedRuns runs_;  // waits for their work before the memory goes
};

// Pictures in the host's memory, copied to the device and back through pinned memory.
class HostedPictureFilter final : public PictureFilter {
 public:
  // The device must be current.
  HostedPictureFilter(Work work, int width, int height, const ProcessorOptions& options)
      : device_(options.device_index),
        pinned_(*work.format, width, height, pinned_memory, "for a picture on its way"),
        from_(*work.format, width, height, device_memory, "for a picture on the device"),
        to_(*work.format, width, height, device_memory, "for a picture on the device"),
        extents_(extents_of_planes(*work.format, width, height)),
        filter_(
            std::make_unique<CudaPictureFilter>(std::move(work), width, height, options, false)) {}

  void run(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to,
           CudaStream) override {
    const CurrentDevice current(device_);
    copy_rows(extents_, from, pinned_.planes);
    try {
      stream_.upload(from_.data(), pinned_.data(), pinned_.bytes);
      filter_->run(from_.planes, to_.planes, stream_.get());
      stream_.download(pinned_.data(), to_.data(), pinned_.bytes);
    } catch (...) {
      cudaStreamSynchronize(stream_.get());  // pinned memory may still be read
      throw;
    }
    stream_.synchronise();
    copy_rows(extents_, pinned_.planes, to);
  }
  const std::vector<std::string>& variants() const override { return filter_->variants(); }
  std::size_t memory() const override {
    return filter_->memory() + pinned_.bytes + from_.bytes + to_.bytes;
  }

 private:
  const int device_;
  const OwnPicture pinned_, from_, to_;
  const std::vector<PlaneExtent> extents_;
  const Stream stream_;
  const std::unique_ptr<CudaPictureFilter> filter_;  // waits for its work before the memory goes
};

}  // namespace

std::unique_ptr<PictureFilter> make_cuda_picture_filter(Work work, int width, int height,
                                                        const ProcessorOptions& options,
                                                        const PictureMemory& memory) {
  check_there_is_device(options.device_index);
  const CurrentDevice current(options.device_index);
  if (memory.hosted)
    return std::make_unique<HostedPictureFilter>(std::move(work), width, height, options);
  return std::make_unique<CudaPictureFilter>(std::move(work), width, height, options,
                                             memory.halves);
}

}  // namespace vidconv
