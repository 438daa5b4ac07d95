// What a video decoder on the device leaves, made into planes of a format of the table.
#pragma once

#include "kernels/convolve.h"
#include "kernels/plane.h"

namespace vidconv::cuda {

// Copies each sample of `from`, stored `shift` bits up, to `to`, stored as it is: one component of
// NV12, P010 and their kin. Both lie in device memory and hold samples of `storage` (u8 or u16).
// Queues the work on `stream` and returns; throws std::runtime_error where the launch is refused.
void unpack(const ConstBytePlane& from, int shift, const BytePlane& to, Storage storage,
            CudaStream stream);

}  // namespace vidconv::cuda
