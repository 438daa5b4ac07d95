// A device takes longer to start than an input and an output to open: all of them at once.
#pragma once

#include <future>

#include "pipeline/device/device_choice.h"
#include "pipeline/io/trace.h"

namespace vidconv {

// A device that wakes on a thread of its own. Until it is awake, frames are read into memory that
// it hears of then. A copy is the same device, which jobs that follow each other may share.
struct WakingDevice {
  std::shared_future<DeviceChoice> choice;  // what choose_device() returns or throws
  std::shared_future<void> awake;           // later: it can be used
};
// `trace` may be null; outlives the waking.
WakingDevice wake_chosen_device(const DeviceRequest& wish, Trace* trace);

}  // namespace vidconv
