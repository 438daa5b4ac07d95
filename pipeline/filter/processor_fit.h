// Makes a processor as large as the memory allows.
#pragma once

#include <functional>
#include <memory>

#include "pipeline/base/notice.h"
#include "pipeline/filter/processor.h"

namespace vidconv {

// Returns the kind of message for a user when something else does the work of a device that threw
// `failure`. Too little memory is no failure of the device.
inline MessageKind kind_of_fallback(const Error& failure) {
  return failure.kind() == MessageKind::memory ? MessageKind::fallback : MessageKind::device_failed;
}

using MakeProcessor = std::function<std::unique_ptr<Processor>(const ProcessorOptions&)>;

// Makes a processor with these options. If a CUDA device has too little memory for it, halves the
// slots until it fits, down to one. With `or_cpu`, falls back to the CPU if that fails, or if the
// device fails in another way. Sets `options` to those in use, and tells `notify_user` in one line
// what was given up. Throws the last error of `make` otherwise.
std::unique_ptr<Processor> make_fitting_processor(const MakeProcessor& make,
                                                  ProcessorOptions& options, bool or_cpu,
                                                  const Notify& notify_user);

}  // namespace vidconv
