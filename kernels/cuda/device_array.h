// Constant tables in device memory: the taps of kernels too large for a launch's parameters.
#pragma once

#include <span>
#include <utility>

#include "kernels/cuda/check.h"

namespace vidconv::cuda {

// Owns a copy of `values` in the memory of the device that is current when it is made. Making one
// waits for the copy; dropping one waits for the device, so neither belongs into run().
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::span<const T> values) {
    check(cudaMalloc(&data_, values.size_bytes()), "device memory for taps");
    cudaError_t copied =
        cudaMemcpy(data_, values.data(), values.size_bytes(), cudaMemcpyHostToDevice);
    // It returns when the driver has taken the values, not when they have arrived; and streams of
    // their own do not wait for the default one.
    if (copied == cudaSuccess) copied = cudaStreamSynchronize(nullptr);
    if (copied != cudaSuccess) cudaFree(data_);
    check(copied, "upload of taps");
  }
  DeviceArray(DeviceArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }

  const T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace vidconv::cuda
