// The owner of device memory: all device memory of this program lies in these buffers.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <utility>

#include "kernels/cuda/common/check.h"

namespace vidconv::cuda {

// Owns memory of one device, aligned to 256 bytes, undefined at first. Move-only. Allocating and
// freeing wait for the device, so neither belongs in run(); neither depends on which device is
// current.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  // Throws std::runtime_error, which names `what` the memory is for, where the device has no more.
  DeviceBuffer(int device, std::size_t bytes, const char* what = "device memory") {
    check(reset(device, bytes), what);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    if (this == &other) return *this;
    free(data_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~DeviceBuffer() { free(data_); }

  // Frees its memory and allocates `bytes` bytes of `device`; for callers that do not want
  // exceptions.
  cudaError_t reset(int device, std::size_t bytes) noexcept {
    free(release());
    int before = 0;
    cudaError_t result = cudaGetDevice(&before);
    if (result == cudaSuccess && device != before) result = cudaSetDevice(device);
    if (result != cudaSuccess) return result;
    void* memory = nullptr;
    result = cudaMalloc(&memory, bytes);
    if (device != before) cudaSetDevice(before);
    if (result != cudaSuccess) return result;
    data_ = static_cast<std::byte*>(memory);
    size_ = bytes;
    return result;
  }
  // Leaves the memory to the caller, who must pass it to free().
  std::byte* release() noexcept {
    size_ = 0;
    return std::exchange(data_, nullptr);
  }
  static void free(std::byte* memory) noexcept {
    if (memory) cudaFree(memory);  // cudaFree(nullptr) would wake a device
  }

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

  // Copies between the host and the beginning of the buffer. Blocks until that is done, as well as
  // everything else on the stream.
  void upload(std::span<const std::byte> from, cudaStream_t stream) const {
    copy(data_, from.data(), from.size(), cudaMemcpyHostToDevice, stream, "upload");
  }
  void download(std::span<std::byte> to, cudaStream_t stream) const {
    copy(to.data(), data_, to.size(), cudaMemcpyDeviceToHost, stream, "download");
  }

 private:
  static void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                   cudaStream_t stream, const char* what) {
    check(cudaMemcpyAsync(to, from, bytes, kind, stream), what);
    check(cudaStreamSynchronize(stream), what);
  }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace vidconv::cuda
