// Reads a user's wish where frames are decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/base/notice.h"
#include "pipeline/decode/decoder_choice.h"
#include "pipeline/device/device_choice.h"

namespace vidconv {

struct DecoderRequest {
  // automatic: the CPU, which reports damage that NVDEC hides.
  enum class Kind : std::uint8_t { automatic, cpu, nvdec };
  Kind kind = Kind::automatic;
  std::optional<int> sessions;  // NVDEC sessions on each device; none: as its memory allows
  std::string text = "auto";    // as the user wrote it, for messages
};

// Parses auto, cpu, nvdec or nvdec:SESSIONS. Throws Error(usage) for any other text.
DecoderRequest parse_decoder(const std::string& text);

// Returns NVDEC's options; none: the CPU decodes. Throws Error(usage) for NVDEC if frames are not
// convolved on a CUDA device, or if the CPU `sees_frames`, for verification or a comparison. If an
// automatic choice has found no device, tells `notify_user` that the CPU decodes.
std::optional<NvdecOptions> choose_decoder(const DecoderRequest& wish, const DeviceChoice& device,
                                           bool sees_frames, const Notify& notify_user);

}  // namespace vidconv
