// Repacks between planes of a pixel format and the layouts of the device's video engines.
#pragma once

#include "kernels/convolver/convolver.h"
#include "kernels/picture/plane.h"

namespace vidconv::cuda {

// Copies each sample of `from`, moved `shift` bits up (down where negative), to `to`: one component
// of NV12, P010 and their kin on one side, a plane of samples as they are on the other. The planes
// have one size and lie in device memory; their samples are of `storage` (u8 or u16). Queues the
// work on `stream` and returns; throws std::runtime_error where the launch is refused.
void repack(const ConstBytePlane& from, int shift, const BytePlane& to, Storage storage,
            CudaStream stream);

}  // namespace vidconv::cuda
