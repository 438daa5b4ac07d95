// What the program needs to know of CUDA, in builds with and without it: no CUDA header here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/av/pool.h"

namespace vidconv {

struct CudaDevice {
  int index = 0;  // as in cuda:N
  std::string name;
  int major = 0, minor = 0;  // compute capability
  std::size_t memory = 0;    // bytes in all
  std::optional<int> node;   // of the host's memory, that it hangs on; none: as near as any
};

struct CudaDevices {
  std::vector<CudaDevice> devices;
  std::string why_none;  // for people, where there are none: "no NVIDIA driver is installed"
  bool expected = true;  // where there are none: this machine has NVIDIA's driver
};

// Asks the driver; does not touch the devices. Never throws for want of a driver or a device.
CudaDevices cuda_devices();

// Whether there is a driver that could know of devices. Does not start it.
bool has_cuda_driver();

// What the first use of a device would wait for, about 0.3 s: of all of these at once. Leaves
// errors to that. Pinned memory comes from where they are from now on (device/numa.h).
void wake_devices(const std::vector<int>& indices) noexcept;

// As CudaDevice::node.
std::optional<int> node_of_device(int index) noexcept;

// On which device this memory lies, which is some device's; -1 where nobody knows.
int device_of(const std::byte* memory) noexcept;

// Lets each of these devices read the memory of the others, without a detour over the host. False
// where one of them cannot; then some may still.
bool reach_each_other(const std::vector<int>& devices) noexcept;

// Host memory that every device copies from and to without a detour: plain memory that the driver
// learns of. Allocating takes milliseconds and may wait for the device: a thing for pools. Where
// there is no driver or no more such memory, and in a build without CUDA, it stays plain, and
// devices copy slower.
extern const FrameMemory pinned_memory;
// From this node; none: wherever.
FrameMemory pinned_memory_near(std::optional<int> node);
// From now on pinned memory is plain and costs no time, until wake_devices() pins what there is
// by then. For whoever has a use for memory while a device starts.
void pin_when_awake() noexcept;
// From now on pinned memory that is released stays pinned, for whoever wants as much again, or does
// so no longer. What is used and what is kept are together no more than was once used. For several
// runs in one process.
void keep_pinned_memory(bool keep) noexcept;
// Whether a device had no more of it.
bool pinned_memory_ran_out();

}  // namespace vidconv
