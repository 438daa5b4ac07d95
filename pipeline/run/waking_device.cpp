#include "pipeline/run/waking_device.h"

#include <utility>

#include "pipeline/device/cuda.h"

namespace vidconv {

WakingDevice wake_chosen_device(const DeviceRequest& wish, Trace* trace) {
  if (wish.kind != DeviceRequest::Kind::cpu) pin_when_awake();
  std::promise<DeviceChoice> choice;
  WakingDevice waking{.choice = choice.get_future(), .awake = {}};
  waking.awake =
      std::async(std::launch::async, [wish, trace, choice = std::move(choice)]() mutable {
        const TraceSpan span(trace, "start: device", 0);
        try {
          const DeviceChoice chosen = choose_device(wish);
          choice.set_value(chosen);
          if (chosen.device == Device::cuda) wake_devices(chosen.indices);
        } catch (...) {
          choice.set_exception(std::current_exception());
        }
      });
  return waking;
}

}  // namespace vidconv
