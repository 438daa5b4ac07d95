#include "pipeline/device/device_choice.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"
#include "pipeline/device/cuda.h"

namespace vidconv {

DeviceChoice choose_device(const std::string& word) {
  if (word == "cpu") return {};
  const CudaDevices found = cuda_devices();
  if (word == "auto") {
    if (found.devices.empty())
      return {Device::cpu, 0, fmt::format("convolving on the CPU: {}", found.why_none)};
    return {Device::cuda, 0, fmt::format("convolving on {} (cuda:0)", found.devices[0].name)};
  }

  const std::optional<int> numbered =
      word.starts_with("cuda:") ? number_of<int>(word.substr(5), 0, std::numeric_limits<int>::max())
                                : std::nullopt;
  if (word != "cuda" && !numbered)
    throw Error(Fault::usage, "--device", shortened(word, longest_value),
                "no such device" + did_you_mean(word, {"auto", "cpu", "cuda"}),
                "use auto, cpu, cuda or cuda:N");
  const int index = numbered.value_or(0);
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
