#include "src/device.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <vector>

#include "pipeline/cuda.h"

namespace vidconv {

DeviceChoice choose_device(const std::string& word) {
  if (word == "cpu") return {};
  const CudaDevices found = cuda_devices();
  if (word == "auto") {
    if (found.devices.empty())
      return {Device::cpu, 0, fmt::format("convolving on the CPU: {}", found.why_none)};
    return {Device::cuda, 0, fmt::format("convolving on {} (cuda:0)", found.devices[0].name)};
  }

  int index = 0;
  const std::string_view number =
      std::string_view(word).substr(std::min<std::size_t>(5, word.size()));
  const char* end = number.data() + number.size();
  const bool numbered = word.starts_with("cuda:") &&
                        std::from_chars(number.data(), end, index).ptr == end && !number.empty() &&
                        index >= 0;
  if (word != "cuda" && !numbered)
    throw Error(Fault::usage, "--device", word, "no such device", "use auto, cpu, cuda or cuda:N");
  if (found.devices.empty())
    throw Error(Fault::device, "cannot use the device", word, found.why_none,
                "use --device cpu or auto");
  if (index >= static_cast<int>(found.devices.size()))
    throw Error(Fault::device, "cannot use the device", word,
                fmt::format("there are {} CUDA devices, counted from 0", found.devices.size()),
                "see --list-devices");
  return {Device::cuda, index, ""};
}

}  // namespace vidconv
