// Deals frames in turn to several processors of the same work, which act as one.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "pipeline/base/error.h"
#include "pipeline/filter/processor.h"

namespace vidconv {

// Makes a processor in place of the one at index `place`, which failed with `failure`. It has one
// slot more, because all frames that are left are submitted to it at once. Throws if there is none.
using ReplaceProcessor =
    std::function<std::unique_ptr<Processor>(std::size_t place, const Error& failure)>;

// Makes one processor of several: frame k goes to processor (k / in_a_row) mod N. If not all
// devices can read each other's memory, a frame on a CUDA device goes to the next processor of that
// device. Frames come out in the order in which they went in. Where a processor throws
// Error(device), `replace` makes another, and no frame is lost; if `replace` is empty, the error is
// passed on.
std::unique_ptr<Processor> deal_to_processors(std::vector<std::unique_ptr<Processor>> processors,
                                              ReplaceProcessor replace, int in_a_row = 1);

// Makes a processor for each of options.devices, or one for options.device_index, with the
// stand-ins that the options name.
std::unique_ptr<Processor> make_dealing_processor(TimedWork work, int width, int height,
                                                  const ProcessorOptions& options);

}  // namespace vidconv
