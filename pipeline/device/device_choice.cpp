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

DeviceWish parse_device(const std::string& text) {
  using Kind = DeviceWish::Kind;
  if (text == "auto") return {};
  if (text == "cpu") return {.kind = Kind::cpu, .text = text};
  if (text == "cuda") return {.kind = Kind::cuda, .text = text};
  const std::optional<int> index =
      text.starts_with("cuda:") ? number_of<int>(text.substr(5), 0, std::numeric_limits<int>::max())
                                : std::nullopt;
  if (index) return {.kind = Kind::cuda, .index = *index, .text = text};
  throw Error(Fault::usage, "`device`", shortened(text, longest_value),
              "no such device" + did_you_mean(text, {"auto", "cpu", "cuda"}),
              "use auto, cpu, cuda or cuda:N");
}

DeviceChoice choose_device(const DeviceWish& wish) {
  if (wish.kind == DeviceWish::Kind::cpu) return {};
  const CudaDevices found = cuda_devices();
  if (wish.kind == DeviceWish::Kind::automatic) {
    if (found.devices.empty())
      return {Device::cpu, 0, fmt::format("convolving on the CPU: {}", found.why_none)};
    return {Device::cuda, 0, fmt::format("convolving on {} (cuda:0)", found.devices[0].name)};
  }
  if (found.devices.empty())
    throw Error(Fault::device, "cannot use the device", wish.text, found.why_none,
                "use `device` cpu or auto");
  if (wish.index >= static_cast<int>(found.devices.size()))
    throw Error(Fault::device, "cannot use the device", wish.text,
                fmt::format("there are {} CUDA devices, counted from 0", found.devices.size()),
                "see `devices`");
  return {Device::cuda, wish.index, ""};
}

}  // namespace vidconv
