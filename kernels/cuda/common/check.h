// Refused CUDA calls and launches become exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace vidconv::cuda {

// Throws std::runtime_error that names `what` failed and the runtime's reason.
inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(result) + " (" +
                           cudaGetErrorName(result) + ")");
}

// To be called after each <<<>>>. Reports launches that were refused, and with them any error that
// earlier work of the device left behind; never waits.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

}  // namespace vidconv::cuda
