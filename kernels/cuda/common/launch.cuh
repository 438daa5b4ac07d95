// Launches whose blocks may start while the last blocks of the kernel before them in the stream
// still run ("programmatic dependent launch", sm_90). This hides the time that a launch takes, and
// the work that blocks do before they touch planes.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "kernels/cuda/common/check.h"

namespace vidconv::cuda {

// Must be called first by every thread that reads or writes planes. Returns when all kernels before
// this one are complete and their writes are visible.
__device__ inline void wait_for_earlier_kernels() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Once all blocks have called this, blocks of the next kernel take the room that is left. Without
// it they start when all blocks have ended, which is better where a grid fills the device only
// once: early ones would crowd on some multiprocessors.
__device__ inline void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// Returns whether the kernels that run on a device of this compute capability (900 for 9.0) wait
// there: code compiled for older ones, and by the driver once more for this one, does not.
inline bool kernels_wait(int capability) {
  constexpr int compiled_for[] = {__CUDA_ARCH_LIST__};
  return std::ranges::any_of(compiled_for,
                             [&](int version) { return version >= 900 && version <= capability; });
}

// Launches a kernel of one parameter, which calls wait_for_earlier_kernels(). Throws as
// check_launch() does.
inline void launch_kernel(const char* name, const void* kernel, int blocks, dim3 threads,
                          int shared_bytes, cudaStream_t stream, const void* work) {
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device), "the current device");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
        "the device's compute capability");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
        "the device's compute capability");
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = threads;
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = kernels_wait(major * 100 + minor * 10) ? 1 : 0;
  void* parameters[] = {const_cast<void*>(work)};
  check(cudaLaunchKernelExC(&config, kernel, parameters), name);
}
template <class Work>
void launch(const char* name, void (*kernel)(Work), int blocks, dim3 threads, int shared_bytes,
            cudaStream_t stream, const Work& work) {
  launch_kernel(name, reinterpret_cast<const void*>(kernel), blocks, threads, shared_bytes, stream,
                &work);
}

}  // namespace vidconv::cuda
