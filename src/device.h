// --device: from the user's word to a device that is awake.
#pragma once

#include <future>
#include <optional>
#include <string>

#include "pipeline/device/device_choice.h"
#include "pipeline/filter/processor.h"
#include "pipeline/source/source.h"

namespace vidconv {

// A device that wakes on a thread of its own.
struct WakingDevice {
  std::future<DeviceChoice> choice;  // what choose_device() returns or throws
  std::future<void> awake;           // later: it can be used
};
// A device takes longer to start than an input and an output to open: all of them at once. Until it
// is awake, frames are read into memory that it is told of then. `trace` may be null; outlives the
// waking.
WakingDevice wake_chosen_device(const std::string& word, Trace* trace);

// `word`: auto, cpu, nvdec or nvdec:SESSIONS. None: the CPU decodes, which is what auto means: it
// tells of damage that NVDEC hides. Throws Error(usage) for any other word, and for NVDEC where the
// frames are not convolved on a CUDA device or `verify` (or a comparison) wants to see them on the
// CPU; where --device auto has found no device `told` hears that the CPU decodes.
std::optional<NvdecOptions> choose_decoder(const std::string& word, const DeviceChoice& device,
                                           bool verify, const Notify& told);

}  // namespace vidconv
