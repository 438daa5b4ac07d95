#include "pipeline/decode/decoder_request.h"

#include <algorithm>
#include <string_view>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"

namespace vidconv {
namespace {

[[noreturn]] void refuse_decoder(const std::string& text, const std::string& why,
                                 const std::string& remedy) {
  throw Error(Fault::usage, "`decoder`", shortened(text, longest_value), why, remedy);
}

}  // namespace

DecoderRequest parse_decoder(const std::string& text) {
  using Kind = DecoderRequest::Kind;
  constexpr std::string_view with_sessions = "nvdec:";
  if (text == "auto") return {};
  if (text == "cpu") return {.kind = Kind::cpu, .sessions = {}, .text = text};
  if (text == "nvdec") return {.kind = Kind::nvdec, .sessions = {}, .text = text};
  const auto sessions = text.starts_with(with_sessions)
                            ? number_of<int>(text.substr(with_sessions.size()), 1, 64)
                            : std::nullopt;
  if (sessions) return {.kind = Kind::nvdec, .sessions = sessions, .text = text};
  refuse_decoder(text, "no such decoder" + did_you_mean(text, {"auto", "cpu", "nvdec"}),
                 "use auto, cpu, nvdec or nvdec:SESSIONS (1 to 64)");
}

std::optional<NvdecOptions> choose_decoder(const DecoderRequest& wish, const DeviceChoice& device,
                                           bool sees_frames, const Notify& notify_user) {
  if (wish.kind != DecoderRequest::Kind::nvdec) return std::nullopt;
  if (device.device != Device::cuda && device.ours) {
    notify(notify_user, MessageKind::fallback, "decoding on the CPU, which filters too");
    return std::nullopt;
  }
  if (device.device != Device::cuda)
    refuse_decoder(wish.text,
                   "frames that NVDEC decodes stay on the device, and the CPU convolves here",
                   "use `device` cuda, or `decoder` cpu");
  if (sees_frames)
    refuse_decoder(
        wish.text,
        "frames that NVDEC decodes stay on the device, and `verify` and `compare` look at them "
        "on the CPU",
        "use `decoder` cpu");
  NvdecOptions options{.devices = {}, .sessions = wish.sessions};
  for (const int index : device.indices)  // each device once
    if (std::ranges::find(options.devices, index) == options.devices.end())
      options.devices.push_back(index);
  return options;
}

}  // namespace vidconv
