// DeviceMask: a mask that a filter makes of each picture, on a CUDA device.
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

  // Queues what makes weights of a picture, of which these are the components, unfiltered. The
  // weights of the picture before are gone then.
  virtual void make(std::span<const ConstBytePlane> components, bool by_field,
                    CudaStream stream) = 0;
  // Of the samples of a plane of the place, as RegionPlace::add() orders them, in device memory.
  virtual std::shared_ptr<const std::uint8_t> weights() const = 0;
  virtual std::size_t bytes() const = 0;  // on the device
};

// Of a place of edges in pictures of that format and size, on the current device. In a build
// without CUDA it throws Error(device).
std::shared_ptr<DeviceMask> make_device_mask(const RegionPlace& place, const PixelFormat& format,
                                             int width, int height);

}  // namespace vidconv
