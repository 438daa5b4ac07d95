// The limit on a kernel's dynamic shared memory: this is the one place that changes it.
#pragma once

namespace vidconv::cuda {

// Lets blocks of `kernel`, a __global__ function, have `bytes` of dynamic shared memory on the
// current device. The limit belongs to the function in the device's context, which all convolvers
// share, so it is only ever raised: another plan's need stays met. Thread-safe. Throws
// std::runtime_error, which names `variant`, where the device does not have that much.
void allow_shared_memory(const char* variant, const void* kernel, int bytes);

template <class... Arguments>
void allow_shared_memory(const char* variant, void (*kernel)(Arguments...), int bytes) {
  allow_shared_memory(variant, reinterpret_cast<const void*>(kernel), bytes);
}

}  // namespace vidconv::cuda
