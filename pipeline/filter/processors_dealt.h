// Several processors of the same work as one: frames go to them in turn.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "pipeline/base/error.h"
#include "pipeline/filter/processor.h"

namespace vidconv {

// Makes another processor in the place, counted from 0, of one that has failed so. It has a slot
// more: all frames that are left are submitted to it at once. Throws where there is none.
using ReplaceProcessor =
    std::function<std::unique_ptr<Processor>(std::size_t place, const Error& failure)>;

// Frame k goes to processor k mod N, one that lies on a CUDA device to the next processor of that
// device; they come out in the order in which they went in. Where a processor throws an
// Error(device) `replace` makes another, and no frame is lost; where it is empty the error is
// thrown on.
std::unique_ptr<Processor> deal_to_processors(std::vector<std::unique_ptr<Processor>> processors,
                                              ReplaceProcessor replace);

// One for each of options.devices, or one for options.device_index, with the stand-ins that the
// options name.
std::unique_ptr<Processor> make_dealing_processor(TimedWork work, int width, int height,
                                                  const ProcessorOptions& options);

}  // namespace vidconv
