// Makes libavutil's handle of a CUDA device, for libavcodec's decoders and encoders there.
#pragma once

#include "pipeline/av/av.h"
#include "pipeline/device/cuda_objects.h"

namespace vidconv {

// Returns the handle of the current device, on the context of CUDA's runtime. libav* queues its own
// work on `stream`, which outlives the handle and all references to it. Throws Error(device) that
// says `act` ("cannot decode on the device") if libav* has no such handle, or if the driver lacks
// what it needs; `index` is N of cuda:N.
BufferPtr make_av_device(const Stream& stream, const char* act, int index);

}  // namespace vidconv
