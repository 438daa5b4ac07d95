// Makes a sink that hands its frames to a program, one by one.
#pragma once

#include <memory>

#include "pipeline/base/channel.h"
#include "pipeline/sink/sink.h"

namespace vidconv {

// Queues the frames that are handed over. Thread-safe; pop() and cancel() are for the program.
using HandedFrames = Channel<Frame>;

// Its write() blocks while `frames` is full, and throws Error(interrupted) where it is cancelled;
// finish() closes it. Packets of other streams are left out.
std::unique_ptr<Sink> make_handing_sink(std::shared_ptr<HandedFrames> frames);

}  // namespace vidconv
