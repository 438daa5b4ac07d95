// Which device convolves.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/convolver/convolver.h"

namespace vidconv {

// What was asked for.
struct DeviceWish {
  enum class Kind : std::uint8_t { automatic, cpu, cuda };
  Kind kind = Kind::automatic;
  int index = 0;              // of the CUDA device
  std::string text = "auto";  // as it was written, for messages
};

// auto, cpu, cuda or cuda:N. Throws Error(usage) for any other text.
DeviceWish parse_device(const std::string& text);

struct DeviceChoice {
  Device device = Device::cpu;
  int index = 0;    // of the CUDA device
  std::string why;  // one line where the choice was ours: what was chosen and why; else empty
};

// Throws Error(device) for a CUDA device that is not there.
DeviceChoice choose_device(const DeviceWish& wish);

}  // namespace vidconv
