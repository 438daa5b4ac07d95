// A sink that hands its frames to a program, which takes them one by one.
#pragma once

#include <memory>

#include "pipeline/base/channel.h"
#include "pipeline/sink/sink.h"

namespace vidconv {

// Where the frames wait that are handed over. Any thread; pop() and cancel() are the program's.
using HandedFrames = Channel<Frame>;

// write() waits where these are full, and throws Error(interrupted) where they are cancelled;
// finish() closes them. Packets of other streams are left out.
std::unique_ptr<Sink> make_handing_sink(std::shared_ptr<HandedFrames> frames);

}  // namespace vidconv
