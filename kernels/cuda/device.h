// What the device that is current can do.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

#include "kernels/cuda/check.h"

namespace vidconv::cuda {

// The first number of its compute capability; 0 without a device.
inline int device_generation() {
  int device = 0, major = 0;
  const bool known =
      cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess;
  if (!known) cudaGetLastError();  // or the next launch would be blamed for it
  return known ? major : 0;
}
// It has what came with sm_80, integer tensor cores with mma.m16n8k32.
inline bool device_is_sm80() { return device_generation() >= 8; }
// It has what came with sm_90, bulk copies to shared memory.
inline bool device_is_sm90() { return device_generation() >= 9; }

inline int multiprocessors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device), "the current device");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
  return count;
}

// How many blocks of a kernel it runs at once, at least 1.
template <class Kernel>
int blocks_at_once(Kernel kernel, int threads, int shared_bytes) {
  int each = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads,
                                                      static_cast<std::size_t>(shared_bytes)),
        "blocks on a multiprocessor");
  return std::max(1, multiprocessors() * each);
}

}  // namespace vidconv::cuda
