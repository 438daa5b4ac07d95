// Makes a sink that hands its frames to a program, one by one.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "pipeline/base/channel.h"
#include "pipeline/sink/sink.h"

namespace vidconv {

// Queues the frames that are handed over. Thread-safe; pop() and cancel() are for the program.
using HandedFrames = Channel<Frame>;

// Makes of a frame what the program gets; none: the frame is left out. Called on the sink's thread.
using ChangeFrame = std::function<std::optional<Frame>(Frame frame)>;

// Its write() blocks while `frames` is full, and throws Error(interrupted) where it is cancelled;
// finish() closes it. Packets of other streams are left out.
std::unique_ptr<Sink> make_handing_sink(std::shared_ptr<HandedFrames> frames,
                                        ChangeFrame change = {});

}  // namespace vidconv
