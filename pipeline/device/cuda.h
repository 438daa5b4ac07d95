// What the program needs to know of CUDA, in builds with and without it: no CUDA header here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pipeline/av/pool.h"

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

// Whether there is a driver that could know of devices. Does not start it.
bool has_cuda_driver();

// What the first use of a device would wait for, about 0.3 s. Leaves errors to that.
void wake_device(int index) noexcept;

// Host memory that every device copies from and to without a detour: plain memory that the driver
// learns of. Allocating takes milliseconds and may wait for the device: a thing for pools. Where
// there is no driver or no more such memory, and in a build without CUDA, it stays plain, and
// devices copy slower.
extern const FrameMemory pinned_memory;
// From now on pinned memory is plain and costs no time, until wake_device() pins what there is by
// then. For whoever has a use for memory while a device starts.
void pin_when_awake() noexcept;
// Whether a device had no more of it.
bool pinned_memory_ran_out();

}  // namespace vidconv
