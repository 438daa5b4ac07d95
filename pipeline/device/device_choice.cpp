#include "pipeline/device/device_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"

namespace vidconv {
namespace {

constexpr std::size_t most_devices = 64;  // more than a host has, and than a line can say

std::vector<int> all_of(const CudaDevices& found) {
  std::vector<int> indices;
  for (const CudaDevice& device : found.devices) indices.push_back(device.index);
  return indices;
}

// Parses "0" or "0,2"; none for anything else.
std::optional<std::vector<int>> numbers_of(std::string_view text) {
  std::vector<int> numbers;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto number =
        number_of<int>(text.substr(at, end - at), 0, std::numeric_limits<int>::max());
    if (!number || numbers.size() == most_devices) return std::nullopt;
    numbers.push_back(*number);
    at = end + 1;
  }
  return numbers;
}

}  // namespace

DeviceRequest parse_device(const std::string& text) {
  using Kind = DeviceRequest::Kind;
  constexpr std::string_view cuda = "cuda:";
  if (text == "auto") return {};
  if (text == "cpu") return {.kind = Kind::cpu, .text = text};
  if (text == "cuda") return {.kind = Kind::cuda, .text = text};
  if (text == "cuda:all") return {.kind = Kind::cuda, .all = true, .text = text};
  if (text.starts_with(cuda))
    if (const auto numbers = numbers_of(std::string_view(text).substr(cuda.size())))
      return {.kind = Kind::cuda, .indices = *numbers, .text = text};
  throw Error(Fault::usage, "`device`", shortened(text, longest_value),
              "no such device" + did_you_mean(text, {"auto", "cpu", "cuda", "cuda:all"}),
              "use auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all");
}

DeviceChoice choose_device(const DeviceRequest& wish) {
  if (wish.kind == DeviceRequest::Kind::cpu) return choose_device(wish, {});
  CudaDevices found = cuda_devices();
  std::error_code error;
  found.expected = std::filesystem::exists("/proc/driver/nvidia/version", error);
  return choose_device(wish, found);
}

DeviceChoice choose_device(const DeviceRequest& wish, const CudaDevices& found) {
  if (wish.kind == DeviceRequest::Kind::cpu) return {.ours = !wish.why.empty(), .why = wish.why};
  const std::vector<int> all = all_of(found);
  if (wish.kind == DeviceRequest::Kind::automatic) {
    if (all.empty() && !wish.asked && !found.expected) return {.ours = true};
    if (all.empty())
      return {.ours = true, .why = fmt::format("convolving on the CPU: {}", found.why_none)};
    return {.device = Device::cuda,
            .indices = {0},
            .stand_ins = {all.begin() + 1, all.end()},
            .ours = true,
            .why = fmt::format("convolving on {} (cuda:0)", found.devices[0].name)};
  }
  if (all.empty())
    throw Error(Fault::device, "cannot use the device", wish.text, found.why_none,
                "use `device` cpu or auto");
  if (wish.all) return {.device = Device::cuda, .indices = all, .stand_ins = all};
  for (const int index : wish.indices)
    if (index >= static_cast<int>(all.size()))
      throw Error(Fault::device, "cannot use the device", shortened(wish.text, longest_value),
                  fmt::format("there is no cuda:{}, there are {} CUDA devices, counted from 0",
                              index, all.size()),
                  "see `devices`");
  return {.device = Device::cuda, .indices = wish.indices};
}

}  // namespace vidconv
