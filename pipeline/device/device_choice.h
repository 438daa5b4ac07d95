// Which device convolves.
#pragma once

#include <string>

#include "kernels/convolver/convolver.h"

namespace vidconv {

struct DeviceChoice {
  Device device = Device::cpu;
  int index = 0;    // of the CUDA device
  std::string why;  // one line for `auto`: what was chosen and why; else empty
};

// `word`: auto, cpu, cuda or cuda:N. Throws Error(usage) for any other, Error(device) for a CUDA
// device that is not there.
DeviceChoice choose_device(const std::string& word);

}  // namespace vidconv
