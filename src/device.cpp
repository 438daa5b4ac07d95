#include "src/device.h"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "pipeline/bytes/trace.h"
#include "pipeline/device/cuda.h"
#include "src/option_values.h"

namespace vidconv {

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
    options.sessions = word.starts_with("nvdec:")
                           ? number_of<int>(word.substr(6), 0, std::numeric_limits<int>::max())
                           : std::nullopt;
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
