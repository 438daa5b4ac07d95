// DeviceMask makes a mask of each picture with a filter, on a CUDA device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/convolver/convolver.h"
#include "pipeline/filter/region_place.h"

namespace vidconv {

class DeviceMask {
 public:
  virtual ~DeviceMask() = default;

  // Queues the kernels that make the weights of a picture, given its unfiltered components. They
  // replace the weights of the picture before.
  virtual void make(std::span<const ConstBytePlane> components, bool by_field,
                    CudaStream stream) = 0;
  // Returns the weights of a plane's samples in device memory, in the order of RegionPlace::add().
  virtual std::shared_ptr<const std::uint8_t> weights() const = 0;
  virtual std::size_t bytes() const = 0;  // bytes on the device
};

// Makes the mask of a place of edges in pictures of that format and size, on the current device.
// Throws Error(device) in a build without CUDA.
std::shared_ptr<DeviceMask> make_device_mask(const RegionPlace& place, const PixelFormat& format,
                                             int width, int height);

}  // namespace vidconv
