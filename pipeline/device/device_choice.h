// Which device convolves, or which devices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/convolver/convolver.h"
#include "pipeline/device/cuda.h"

namespace vidconv {

// What was asked for.
struct DeviceRequest {
  enum class Kind : std::uint8_t { automatic, cpu, cuda };
  Kind kind = Kind::automatic;
  std::vector<int> indices = {0};  // of CUDA devices that take frames in turn,
  bool all = false;                // or all there are
  std::string text = "auto";       // for messages
  bool asked = false;              // somebody wrote it
  std::string why = {};            // of `cpu`, where nobody wrote it: DeviceChoice::why
};

// auto, cpu, cuda, cuda:N, cuda:N,M,... or cuda:all. Throws Error(usage) for any other text.
DeviceRequest parse_device(const std::string& text);

struct DeviceChoice {
  Device device = Device::cpu;
  // CUDA devices that take frames in turn, at least one where `device` is cuda. The same device may
  // be there twice.
  std::vector<int> indices = {};
  // Those that may take over, in this order, the frames of one that fails: all there are where the
  // choice was ours or all were asked for; of devices that were named, none.
  std::vector<int> stand_ins = {};
  bool ours = false;  // nobody named the device
  // One line where the choice was ours, what was chosen and why; else empty, as where nobody asked
  // for a device and this machine has none.
  std::string why = {};
};

// Throws Error(device) for a CUDA device that is not there.
DeviceChoice choose_device(const DeviceRequest& wish);
// The same where these devices were found.
DeviceChoice choose_device(const DeviceRequest& wish, const CudaDevices& found);

}  // namespace vidconv
