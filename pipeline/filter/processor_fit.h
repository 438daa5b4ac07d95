// A processor as large as the memory allows.
#pragma once

#include <functional>
#include <memory>

#include "pipeline/base/notice.h"
#include "pipeline/filter/processor.h"

namespace vidconv {

// Returns how a user is told that something else does the work of a device that threw `failure`: a
// device with too little memory is as it should be.
inline MessageKind kind_of_fallback(const Error& failure) {
  return failure.kind() == MessageKind::memory ? MessageKind::fallback : MessageKind::device_failed;
}

using MakeProcessor = std::function<std::unique_ptr<Processor>(const ProcessorOptions&)>;

// Makes a processor with these options; where a CUDA device has no memory for it, with half the
// slots, again and again down to one. With `or_cpu`, where the device fails even so or in another
// way, one of the CPU. `options` become those it was made with; `notify_user` hears what was given
// up, in one line. Throws what `make` throws in the end.
std::unique_ptr<Processor> make_fitting_processor(const MakeProcessor& make,
                                                  ProcessorOptions& options, bool or_cpu,
                                                  const Notify& notify_user);

}  // namespace vidconv
