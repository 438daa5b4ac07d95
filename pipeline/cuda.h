// What the program needs to know of CUDA, in builds with and without it: no CUDA header here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pipeline/pool.h"

namespace vidconv {

struct CudaDevice {
  int index = 0;  // as in cuda:N
  std::string name;
  int major = 0, minor = 0;  // compute capability
  std::size_t memory = 0;    // bytes in all
};

struct CudaDevices {
  std::vector<CudaDevice> devices;
  std::string why_none;  // for people, where there are none: "no NVIDIA driver is installed"
};

// Asks the driver; does not touch the devices. Never throws for want of a driver or a device.
CudaDevices cuda_devices();

// Host memory that every device copies from and to without a detour. Allocating takes milliseconds
// and may wait for the device: a thing for pools. Plain memory in a build without CUDA.
extern const HostMemory pinned_memory;

}  // namespace vidconv
