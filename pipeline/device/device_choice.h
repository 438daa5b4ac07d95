// Chooses the devices that convolve.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/convolver/convolver.h"
#include "pipeline/device/cuda.h"

namespace vidconv {

// The devices that a user asks for.
struct DeviceRequest {
  enum class Kind : std::uint8_t { automatic, cpu, cuda };
  Kind kind = Kind::automatic;
  std::vector<int> indices = {0};  // CUDA devices that take frames in turn
  bool all = false;                // all CUDA devices instead
  std::string text = "auto";       // for messages
  bool asked = false;              // the user has asked
  std::string why = {};            // reason for `cpu` if the user has not asked: DeviceChoice::why
};

// Parses auto, cpu, cuda, cuda:N, cuda:N,M,... or cuda:all. Throws Error(usage) for any other text.
DeviceRequest parse_device(const std::string& text);

struct DeviceChoice {
  Device device = Device::cpu;
  // CUDA devices that take frames in turn, at least one if `device` is cuda. The same device may be
  // listed twice.
  std::vector<int> indices = {};
  // Devices that may take over the frames of one that fails, in this order: all there are if the
  // choice was ours or all were asked for; none if devices were named.
  std::vector<int> stand_ins = {};
  bool ours = false;  // nobody named the device
  // Says in one line what was chosen and why, if the choice was ours; else empty, as if nobody
  // asked for a device and this machine has none.
  std::string why = {};
};

// Chooses devices. Throws Error(device) for a CUDA device that is not there.
DeviceChoice choose_device(const DeviceRequest& wish);
// Chooses from the devices that were found.
DeviceChoice choose_device(const DeviceRequest& wish, const CudaDevices& found);

}  // namespace vidconv
