// libavutil's handle of a CUDA device, for libavcodec's decoders and encoders there.
#pragma once

#include "pipeline/av/av.h"
#include "pipeline/device/cuda_objects.h"

namespace vidconv {

// The handle of the device that is current, on the context of CUDA's runtime. What libav* queues
// for itself it queues on `stream`, which outlives the handle and whoever refers to it. Throws
// Error(device) that says `act` ("cannot decode on the device") where libav* has no such thing, or
// the driver not what it needs; `index` as in cuda:N.
BufferPtr make_av_device(const Stream& stream, const char* act, int index);

}  // namespace vidconv
