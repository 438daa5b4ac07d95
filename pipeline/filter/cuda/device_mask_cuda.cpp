#include <algorithm>
#include <vector>

#include "kernels/cuda/common/device.h"
#include "kernels/cuda/copy/mask.h"
#include "kernels/variants/variants.h"
#include "pipeline/device/cuda_objects.h"
#include "pipeline/filter/device_mask.h"
#include "pipeline/filter/edge_mask.h"
#include "pipeline/filter/processor.h"

namespace vidconv {
namespace {

constexpr std::size_t response_alignment = 256;  // bytes, of the response's rows

std::size_t aligned(std::size_t bytes) {
  return (bytes + response_alignment - 1) / response_alignment * response_alignment;
}

Plane<std::uint8_t> weights_at(std::byte* memory, int width, int height) {
  return {.data = reinterpret_cast<std::uint8_t*>(memory),
          .stride = width,
          .width = width,
          .height = height};
}

// The next picture uses all of its memory again: a stream keeps their order.
class CudaMask final : public DeviceMask {
 public:
  CudaMask(const RegionPlace& place, const PixelFormat& format, int width, int height)
      : place_(place.where().place()),
        limits_(place.limits()),
        whole_(place.is_whole()),
        subsampling_(place.subsampling()),
        components_(components_seen(format)),
        sample_(format.components[components_.front()].sample),
        response_stride_(
            aligned(static_cast<std::size_t>(width) * static_cast<std::size_t>(sample_.bytes()))) {
    const FilterSpec edges = place_.edges()->of_stored(place.where().shown());
    const int device = cuda::current_device();
    convolver_ = pick(edge_plan(edges, format), Device::cuda, cuda_abilities(device)).convolver(1);
    const auto rows = static_cast<std::size_t>(height);
    const std::size_t pixels = static_cast<std::size_t>(width) * rows;
    const std::size_t samples = static_cast<std::size_t>(place.plane_width()) *
                                static_cast<std::size_t>(place.plane_height());
    constexpr const char* what = "device memory for a mask";
    response_memory_ = DeviceBuffer(device, response_stride_ * rows, what);
    pixels_memory_ = DeviceBuffer(device, pixels, what);
    samples_memory_ =
        std::make_shared<DeviceBuffer>(device, std::max<std::size_t>(samples, 1), what);
    if (place_.feather() > 0)
      scratch_ = DeviceBuffer(device, 2 * pixels * sizeof(std::int32_t), what);
    response_ = {.data = response_memory_.data(),
                 .stride = static_cast<std::ptrdiff_t>(response_stride_),
                 .width = width,
                 .height = height};
    pixels_ = weights_at(pixels_memory_.data(), width, height);
    samples_ = weights_at(samples_memory_->data(), place.plane_width(), place.plane_height());
    pairs_.reserve(2);
  }

  void make(std::span<const ConstBytePlane> components, bool by_field, CudaStream stream) override {
    cuda::check(cudaMemsetAsync(pixels_memory_.data(), 0, pixels_memory_.size(), stream),
                "cannot clear a mask");
    for (const std::size_t i : components_) {
      pairs_.clear();
      add_pairs(components[i], response_, by_field, pairs_);
      convolver_->run(pairs_, stream);
      for (const Rect& limit : limits_)
        cuda::raise_weights(part_of(response_, limit, sample_.bytes()).as<const std::byte>(),
                            sample_, part_of(pixels_, limit, 1), stream);
    }
    cuda::feather_weights(pixels_, place_.feather(),
                          reinterpret_cast<std::int32_t*>(scratch_.data()), stream);
    cuda::touched_weights(pixels_.as<const std::uint8_t>(), place_.inverts(), whole_, subsampling_,
                          by_field && subsampling_.y > 1, samples_, stream);
  }

  std::shared_ptr<const std::uint8_t> weights() const override {
    return {samples_memory_, samples_.data};
  }
  std::size_t bytes() const override {
    return response_memory_.size() + pixels_memory_.size() + samples_memory_->size() +
           scratch_.size();
  }

 private:
  const PlaceSpec place_;
  const std::vector<Rect> limits_;
  const bool whole_;
  const Subsampling subsampling_;
  const std::vector<std::size_t> components_;
  const SampleType sample_;
  const std::size_t response_stride_;
  std::unique_ptr<Convolver> convolver_;
  DeviceBuffer response_memory_, pixels_memory_, scratch_;
  std::shared_ptr<DeviceBuffer> samples_memory_;
  BytePlane response_;
  Plane<std::uint8_t> pixels_, samples_;
  std::vector<PlanePair> pairs_;
};

}  // namespace

std::shared_ptr<DeviceMask> make_device_mask(const RegionPlace& place, const PixelFormat& format,
                                             int width, int height) {
  return std::make_shared<CudaMask>(place, format, width, height);
}

}  // namespace vidconv
