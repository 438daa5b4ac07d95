#include "pipeline/filter/processor_fit.h"

namespace vidconv {
namespace {

// Throws the last error if even one slot does not fit.
std::unique_ptr<Processor> make_with_fewer_slots(const MakeProcessor& make,
                                                 ProcessorOptions& options,
                                                 const Notify& notify_user) {
  const int wanted = options.slots;
  for (;;) {
    try {
      auto processor = make(options);
      if (options.slots < wanted)
        notify(notify_user, MessageKind::fallback,
               "the device has no memory for " + std::to_string(wanted) + " slots: going on with " +
                   std::to_string(options.slots));
      return processor;
    } catch (const Error& error) {
      if (error.kind() != MessageKind::memory || options.slots == 1) throw;
      options.slots /= 2;
    }
  }
}

}  // namespace

std::unique_ptr<Processor> make_fitting_processor(const MakeProcessor& make,
                                                  ProcessorOptions& options, bool or_cpu,
                                                  const Notify& notify_user) {
  if (options.device == Device::cpu) return make(options);
  const int wanted = options.slots;
  try {
    return make_with_fewer_slots(make, options, notify_user);
  } catch (const Error& error) {
    if (!or_cpu || error.fault() != Fault::device) throw;
    options.device = Device::cpu;
    options.slots = wanted;
    notify(notify_user, kind_of_fallback(error), "convolving on the CPU: " + error.message());
    return make(options);
  }
}

}  // namespace vidconv
