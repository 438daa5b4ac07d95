#include <algorithm>
#include <utility>

#include "pipeline/filter/caller_frames.h"
#include "pipeline/filter/cuda/caller_pictures_cuda.h"

namespace vidconv {
namespace {

class CudaMark final : public StreamMark {
 public:
  // The stream's device must be current.
  explicit CudaMark(CudaStream stream) : event_(Event::Kind::order) {
    check_cuda(cudaEventRecord(event_.get(), stream), "cannot note what is queued on a stream");
  }
  bool passed() const override {
    const bool busy = cudaEventQuery(event_.get()) == cudaErrorNotReady;
    cudaGetLastError();  // "not ready" is remembered like an error
    return !busy;
  }
  void wait() const override { event_.wait(); }

 private:
  const Event event_;
};

class CudaPictures final : public DevicePictures {
 public:
  // The device must be current.
  CudaPictures(int device, const PixelFormat& format, int width, int height, int frames)
      : device_(device),
        extents_(extents_of_planes(format, width, height)),
        pool_(aligned_layout(format, width, height), device_memory) {
    pool_.reserve(frames);
  }
  ~CudaPictures() override {
    for (const auto& mark : pending_) try {
        mark->wait();
      } catch (const Error&) {
      }
  }

  Taken take(std::span<const PlaceOfPlane> planes, CudaStream stream) override {
    check_device_memory(device_, planes, "cannot take a frame from the device",
                        "copy the picture to the device, or write it from the host's memory");
    const CurrentDevice current(device_);
    std::erase_if(pending_, [](const auto& mark) { return mark->passed(); });
    Taken taken{.frame = pool_.get(), .complete = nullptr};
    for (std::size_t p = 0; p < extents_.size(); ++p)
      copy(planes[p], extents_[p], taken.frame->data[p], taken.frame->linesize[p], stream);
    taken.complete = std::make_shared<const CudaMark>(stream);
    pending_.push_back(taken.complete);
    return taken;
  }

 private:
  // Rows that go upwards are copied one by one: CUDA copies downwards.
  static void copy(const PlaceOfPlane& from, const PlaneExtent& extent, std::uint8_t* to,
                   int to_stride, CudaStream stream) {
    const bool downwards = from.stride >= extent.row_bytes;
    const auto bytes = static_cast<std::size_t>(extent.row_bytes);
    const auto stride = downwards ? static_cast<std::size_t>(from.stride) : bytes;
    const int rows = downwards ? extent.rows : 1;
    for (int y = 0; y < extent.rows; y += rows)
      check_cuda(cudaMemcpy2DAsync(to + static_cast<std::ptrdiff_t>(to_stride) * y,
                                   static_cast<std::size_t>(to_stride), from.data + from.stride * y,
                                   stride, bytes, static_cast<std::size_t>(rows), cudaMemcpyDefault,
                                   stream),
                 "cannot copy a frame on the device");
  }

  const int device_;
  const std::vector<PlaneExtent> extents_;
  FramePool pool_;
  std::vector<std::shared_ptr<const StreamMark>> pending_;  // copies that may be under way
};

}  // namespace

std::unique_ptr<const StreamMark> mark_stream(int device, CudaStream stream) {
  const CurrentDevice current(device);
  return std::make_unique<const CudaMark>(stream);
}

std::unique_ptr<DevicePictures> make_device_pictures(int device, const PixelFormat& format,
                                                     int width, int height, int frames) {
  const CurrentDevice current(device);
  return std::make_unique<CudaPictures>(device, format, width, height, frames);
}

}  // namespace vidconv
