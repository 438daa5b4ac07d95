#include "src/device.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>
#include <vector>

#include "kernels/base/names.h"
#include "pipeline/bytes/trace.h"
#include "pipeline/device/cuda.h"
#include "src/option_values.h"

namespace vidconv {

namespace {

// Digits and nothing else.
std::optional<int> parse_number(const std::string& text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

}  // namespace

DeviceChoice choose_device(const std::string& word) {
  if (word == "cpu") return {};
  const CudaDevices found = cuda_devices();
  if (word == "auto") {
    if (found.devices.empty())
      return {Device::cpu, 0, fmt::format("convolving on the CPU: {}", found.why_none)};
    return {Device::cuda, 0, fmt::format("convolving on {} (cuda:0)", found.devices[0].name)};
  }

  const std::optional<int> numbered =
      word.starts_with("cuda:") ? parse_number(word.substr(5)) : std::nullopt;
  if (word != "cuda" && !numbered)
    refuse("--device", word, "no such device" + did_you_mean(word, {"auto", "cpu", "cuda"}),
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

WakingDevice wake_chosen_device(const std::string& word, Trace* trace) {
  if (word != "cpu") pin_when_awake();
  std::promise<DeviceChoice> choice;
  WakingDevice waking{.choice = choice.get_future(), .awake = {}};
  waking.awake =
      std::async(std::launch::async, [word, trace, choice = std::move(choice)]() mutable {
        const TraceSpan span(trace, "start: device", 0);
        try {
          const DeviceChoice chosen = choose_device(word);
          choice.set_value(chosen);
          if (chosen.device == Device::cuda) wake_device(chosen.index);
        } catch (...) {
          choice.set_exception(std::current_exception());
        }
      });
  return waking;
}

std::optional<NvdecOptions> choose_decoder(const std::string& word, const DeviceChoice& device,
                                           bool verify, const Notify& told) {
  if (word == "auto" || word == "cpu") return std::nullopt;
  const auto refuse_it = [&](const std::string& why, const std::string& remedy) {
    refuse("--decoder", word, why, remedy);
  };
  NvdecOptions options{.device = device.index, .sessions = std::nullopt};
  if (word != "nvdec") {
    options.sessions = word.starts_with("nvdec:") ? parse_number(word.substr(6)) : std::nullopt;
    if (!options.sessions || *options.sessions < 1 || *options.sessions > 64)
      refuse_it("no such decoder" + did_you_mean(word, {"auto", "cpu", "nvdec"}),
                "use auto, cpu, nvdec or nvdec:SESSIONS (1 to 64)");
  }
  if (device.device != Device::cuda && !device.why.empty()) {  // --device auto has found none
    notify(told, Message::fallback, "decoding on the CPU, which filters too");
    return std::nullopt;
  }
  if (device.device != Device::cuda)
    refuse_it("frames that NVDEC decodes stay on the device, and the CPU convolves here",
              "use --device cuda, or --decoder cpu");
  if (verify)
    refuse_it(
        "frames that NVDEC decodes stay on the device, and --verify and --compare look at them on "
        "the CPU",
        "use --decoder cpu");
  return options;
}

}  // namespace vidconv
