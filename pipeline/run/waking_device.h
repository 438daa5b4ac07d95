// Wakes a device, which takes longer than opening an input and an output, concurrently with both.
#pragma once

#include <future>

#include "pipeline/device/device_choice.h"
#include "pipeline/io/trace.h"

namespace vidconv {

// Holds a device that wakes on a thread of its own. Frames can be read into host memory before it
// is awake, and are pinned then. A copy is the same device, which consecutive jobs may share.
struct WakingDevice {
  std::shared_future<DeviceChoice> choice;  // the result of choose_device(), or what it throws
  std::shared_future<void> awake;           // later: it can be used
};
// `trace` may be null; outlives the waking.
WakingDevice wake_chosen_device(const DeviceRequest& wish, Trace* trace);

}  // namespace vidconv
