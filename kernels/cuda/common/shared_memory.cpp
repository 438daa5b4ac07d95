#include "kernels/cuda/common/shared_memory.h"

#include <cuda_runtime_api.h>

#include <mutex>
#include <string>

#include "kernels/cuda/common/check.h"

namespace vidconv::cuda {

void allow_shared_memory(const char* variant, const void* kernel, int bytes) {
  static std::mutex mutex;  // nobody changes the limit between the query and the change
  const std::lock_guard lock(mutex);
  const std::string what = std::string("shared memory for ") + variant;
  cudaFuncAttributes now;
  check(cudaFuncGetAttributes(&now, kernel), what.c_str());
  if (bytes <= now.maxDynamicSharedSizeBytes) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        what.c_str());
}

}  // namespace vidconv::cuda
