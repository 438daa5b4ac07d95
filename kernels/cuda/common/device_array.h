// Constant tables in device memory: taps of kernels too large for a launch's parameters.
#pragma once

#include <span>

#include "kernels/cuda/common/device.h"
#include "kernels/cuda/common/device_buffer.h"

namespace vidconv::cuda {

// Owns a copy of `values` in the memory of the device that is current when it is made, as does the
// convolver that owns it. The constructor blocks until the copy is complete.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::span<const T> values)
      : buffer_(current_device(), values.size_bytes(), "device memory for taps") {
    buffer_.upload(std::as_bytes(values), nullptr);
  }

  const T* data() const { return reinterpret_cast<const T*>(buffer_.data()); }

 private:
  DeviceBuffer buffer_;
};

}  // namespace vidconv::cuda
