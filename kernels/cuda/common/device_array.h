// Constant tables in device memory: the taps of kernels too large for a launch's parameters.
#pragma once

#include <span>

#include "kernels/cuda/common/device.h"
#include "kernels/cuda/common/device_buffer.h"

namespace vidconv::cuda {

// A copy of `values` in the memory of the device that is current when it is made, as the convolver
// is that it belongs to. Waits for the copy.
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
