// Tells of CUDA devices in builds with and without CUDA: no CUDA header here.
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
  std::optional<int> node;   // NUMA node of the host memory it hangs on; none: as near as any
};

struct CudaDevices {
  std::vector<CudaDevice> devices;
  std::string why_none;  // for people, where there are none: "no NVIDIA driver is installed"
  bool expected = true;  // where there are none: this machine has NVIDIA's driver
};

// Returns the devices that the driver has; does not touch them. Never throws for want of a driver
// or a device.
CudaDevices cuda_devices();

// Returns whether there is a driver that could know of devices. Does not start it.
bool has_cuda_driver();

// Wakes all of these devices at once, for which the first use of each would wait: about 0.3 s.
// Leaves errors to that use. From now on pinned memory comes from the devices' nodes
// (platform/numa.h).
void wake_devices(const std::vector<int>& indices) noexcept;

// Returns CudaDevice::node.
std::optional<int> node_of_device(int index) noexcept;

// Returns the device in whose memory this lies; -1 if nobody knows.
int device_of(const std::byte* memory) noexcept;

// Lets each of these devices read the others' memory without a detour over the host. Returns false
// if one of them cannot; some may then still.
bool reach_each_other(const std::vector<int>& devices) noexcept;

// Host memory that every device copies from and to without a detour: plain memory that the driver
// is told of. Allocating takes milliseconds and may wait for the device, so it is for pools. If
// there is no driver or no more such memory, and in a build without CUDA, it stays plain, and
// devices copy slower.
extern const FrameMemory pinned_memory;
// Returns pinned memory from this NUMA node; none: from any.
FrameMemory pinned_memory_near(std::optional<int> node);
// Makes pinned memory plain from now on, which costs no time, until wake_devices() pins what there
// is by then. For callers with a use for memory while a device starts.
void pin_when_awake() noexcept;
// Keeps pinned memory pinned from now on when it is released, for whoever wants as much again, or
// no longer does so. Memory in use and memory kept are together no more than was once in use. For
// several runs in one process.
void keep_pinned_memory(bool keep) noexcept;
// Returns whether a device had no more pinned memory.
bool pinned_memory_ran_out();

}  // namespace vidconv
