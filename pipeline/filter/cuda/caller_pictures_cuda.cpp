#include "pipeline/filter/cuda/caller_pictures_cuda.h"

#include <cstdint>
#include <cstring>
#include <string>

#include "kernels/cuda/copy/halves.h"
#include "pipeline/device/cuda.h"
#include "pipeline/device/cuda_objects.h"

namespace vidconv {
namespace {

constexpr const char* for_halves = "for floats of half floats";

struct Allocation {
  std::uintptr_t first = 0, end = 0;
  bool holds(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= first && at < end;
  }
};

// Returns the device memory that an address lies in; empty where the driver does not say.
Allocation allocation_of(const void* address) {
  using Range = int (*)(unsigned long long* first, std::size_t* bytes, unsigned long long address);
  static const auto range = reinterpret_cast<Range>(driver_function("cuMemGetAddressRange"));
  unsigned long long first = 0;
  std::size_t bytes = 0;
  if (!range || range(&first, &bytes, reinterpret_cast<std::uintptr_t>(address)) != 0) return {};
  return {first, first + bytes};
}

// Calls convert(from, to) for planes, those whose samples follow one another in both places
// together: each call is a launch. `from_at(i)` and `to_at(i)` are plane i.
template <class From, class To, class Convert>
void convert_planes(std::size_t count, std::ptrdiff_t from_bytes, std::ptrdiff_t to_bytes,
                    const From& from_at, const To& to_at, const Convert& convert) {
  const auto follows = [](const BytePlane& plane, const BytePlane& next, std::ptrdiff_t bytes) {
    const std::ptrdiff_t row = bytes * plane.width;
    return plane.stride == row && next.stride == row && next.width == plane.width &&
           next.data == plane.data + row * plane.height;
  };
  for (std::size_t first = 0, next = 1; first < count; first = next++) {
    BytePlane from = from_at(first), to = to_at(first);
    for (; next < count; ++next) {
      const BytePlane more = from_at(next);
      if (!follows(from, more, from_bytes) || !follows(to, to_at(next), to_bytes)) break;
      from.height += more.height, to.height += more.height;
    }
    convert(from, to);
  }
}

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
  Allocation checked;  // the last one: planes of a batch lie in it by the hundred
  for (const PlaceOfPlane& plane : planes) {
    if (checked.holds(plane.data)) continue;
    cudaPointerAttributes attributes{};
    const bool known = cudaPointerGetAttributes(&attributes, plane.data) == cudaSuccess;
    if (!known) cudaGetLastError();  // not to be found by the next launch
    if (!known || attributes.type == cudaMemoryTypeUnregistered || !attributes.devicePointer)
      throw Error(Fault::usage, act, name, "a plane lies in memory that it cannot use", remedy);
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != device)
      throw Error(Fault::usage, act, name,
                  "a plane lies in the memory of cuda:" + std::to_string(attributes.device),
                  "use `device` cuda:" + std::to_string(attributes.device));
    if (&plane != &planes.back()) checked = allocation_of(plane.data);
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
  const auto plane_of = [this](std::span<const PlaceOfPlane> places) {
    return [this, places](std::size_t i) { return at(places[i], i % shapes_.size()); };
  };
  convert_planes(halves.size(), sizeof(std::uint16_t), sizeof(float), plane_of(halves),
                 plane_of(places_), [&](const BytePlane& from, const BytePlane& to) {
                   cuda::floats_of_halves(from.as<const std::byte>(), to, stream);
                 });
  return std::span(places_).first(halves.size());
}

void HalvesOnDevice::store(std::span<const PlaceOfPlane> halves, CudaStream stream) const {
  convert_planes(
      shapes_.size(), sizeof(float), sizeof(std::uint16_t),
      [&](std::size_t p) { return at(to_.planes[p], p); },
      [&](std::size_t p) { return at(halves[p], p); },
      [&](const BytePlane& from, const BytePlane& to) {
        cuda::halves_of_floats(from.as<const std::byte>(), to, stream);
      });
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
