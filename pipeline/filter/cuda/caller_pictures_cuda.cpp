#include "pipeline/filter/cuda/caller_pictures_cuda.h"

#include <cstring>
#include <string>

#include "kernels/cuda/copy/halves.h"
#include "pipeline/device/cuda.h"

namespace vidconv {
namespace {

constexpr const char* for_halves = "for floats of half floats";

}  // namespace

void check_there_is_device(int index) {
  const CudaDevices found = cuda_devices();
  const std::string name = "cuda:" + std::to_string(index);
  if (found.devices.empty())
    throw Error(Fault::device, "cannot use the device", name, found.why_none, use_cpu);
  if (index >= static_cast<int>(found.devices.size()))
    throw Error(Fault::device, "cannot use the device", name,
                "there are " + std::to_string(found.devices.size()), "see `devices`");
}

void copy_rows(std::span<const PlaneExtent> extents, std::span<const PlaceOfPlane> from,
               std::span<const PlaceOfPlane> to) {
  for (std::size_t p = 0; p < extents.size(); ++p)
    for (int y = 0; y < extents[p].rows; ++y)
      std::memcpy(to[p].data + to[p].stride * y, from[p].data + from[p].stride * y,
                  static_cast<std::size_t>(extents[p].row_bytes));
}

QueuedRuns::QueuedRuns(int device) : device_(device), done_(Event::Kind::order) {}

QueuedRuns::~QueuedRuns() {
  if (used_) cudaEventSynchronize(done_.get());
}

void QueuedRuns::begin(CudaStream stream) {
  if (used_ && stream != stream_)
    check_cuda(cudaStreamWaitEvent(stream, done_.get(), 0), "cannot wait for another stream");
  used_ = true;
  stream_ = stream;
}

void check_device_memory(int device, std::span<const PlaceOfPlane> planes, const char* act,
                         const char* remedy) {
  const std::string name = "cuda:" + std::to_string(device);
  for (const PlaceOfPlane& plane : planes) {
    cudaPointerAttributes attributes{};
    const bool known = cudaPointerGetAttributes(&attributes, plane.data) == cudaSuccess;
    if (!known) cudaGetLastError();  // not to be found by the next launch
    if (!known || attributes.type == cudaMemoryTypeUnregistered || !attributes.devicePointer)
      throw Error(Fault::usage, act, name, "a plane lies in memory that it cannot use", remedy);
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != device)
      throw Error(Fault::usage, act, name,
                  "a plane lies in the memory of cuda:" + std::to_string(attributes.device),
                  "use `device` cuda:" + std::to_string(attributes.device));
  }
}

HalvesOnDevice::HalvesOnDevice(const PixelFormat& format, int width, int height)
    : format_(format),
      width_(width),
      height_(height),
      to_(format, width, height, device_memory, for_halves) {
  for (const PlaneExtent& extent : extents_of_planes(format, width, height))
    shapes_.push_back(
        {.width = static_cast<int>(extent.row_bytes / extent.sample_bytes), .height = extent.rows});
  from_.emplace_back(format, width, height, device_memory, for_halves);
  places_ = from_[0].planes;
}

std::span<const PlaceOfPlane> HalvesOnDevice::floats_of(std::span<const PlaceOfPlane> halves,
                                                        CudaStream stream) {
  while (places_.size() < halves.size()) {
    const OwnPicture& more =
        from_.emplace_back(format_, width_, height_, device_memory, for_halves);
    places_.insert(places_.end(), more.planes.begin(), more.planes.end());
  }
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const std::size_t p = i % shapes_.size();
    cuda::floats_of_halves(at(halves[i], p).as<const std::byte>(), at(places_[i], p), stream);
  }
  return std::span(places_).first(halves.size());
}

void HalvesOnDevice::store(std::span<const PlaceOfPlane> halves, CudaStream stream) const {
  for (std::size_t p = 0; p < shapes_.size(); ++p)
    cuda::halves_of_floats(at(to_.planes[p], p).as<const std::byte>(), at(halves[p], p), stream);
}

std::size_t HalvesOnDevice::memory() const {
  std::size_t bytes = to_.bytes;
  for (const OwnPicture& picture : from_) bytes += picture.bytes;
  return bytes;
}

BytePlane HalvesOnDevice::at(const PlaceOfPlane& place, std::size_t p) const {
  BytePlane plane = shapes_[p].at(place.data);
  plane.stride = place.stride;
  return plane;
}

}  // namespace vidconv
