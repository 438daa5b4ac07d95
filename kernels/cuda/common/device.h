// Queries of a device's abilities.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

#include "kernels/cuda/common/check.h"

namespace vidconv::cuda {

inline int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "the current device");
  return device;
}

// Returns the first number of the device's compute capability; 0 where there is no such device.
inline int device_generation(int device) {
  int major = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess)
    return major;
  cudaGetLastError();  // clears the error, which the next launch would report
  return 0;
}
// Returns whether the device has the features of sm_90, such as bulk copies to shared memory.
inline bool is_sm90(int device) { return device_generation(device) >= 9; }

// Returns whether a kernel's code was made for sm_90 or later. A device may run code for an older
// one, compiled anew by the driver, which lacks the features of sm_90.
template <class Kernel>
bool is_sm90_code(Kernel kernel) {
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel), "the code of a kernel");
  return attributes.ptxVersion >= 90;
}

// Returns the number of multiprocessors of the current device.
inline int multiprocessors() {
  const int device = current_device();
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
  return count;
}

// Returns how many blocks of a kernel the current device runs at once, at least 1.
template <class Kernel>
int blocks_at_once(Kernel kernel, int threads, int shared_bytes) {
  int each = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads,
                                                      static_cast<std::size_t>(shared_bytes)),
        "blocks on a multiprocessor");
  return std::max(1, multiprocessors() * each);
}

}  // namespace vidconv::cuda
