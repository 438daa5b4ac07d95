// Turns failed CUDA calls and launches into exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace vidconv::cuda {

// Throws std::runtime_error, whose message has `what` and the runtime's reason, unless `result` is
// cudaSuccess.
inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(result) + " (" +
                           cudaGetErrorName(result) + ")");
}

// Must be called after each <<<>>>. Reports a launch that was refused, and any error that earlier
// work of the device left behind. Does not block.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

}  // namespace vidconv::cuda
