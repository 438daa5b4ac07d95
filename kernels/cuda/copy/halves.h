// Converts between half floats and floats on a device, as kernels/picture/half.h defines it.
#pragma once

#include "kernels/convolver/convolver.h"
#include "kernels/picture/plane.h"

namespace vidconv::cuda {

// Planes of one size in device memory, whose samples lie side by side. Queues the work on `stream`
// and returns; throws std::runtime_error where the launch is refused.
void floats_of_halves(const ConstBytePlane& halves, const BytePlane& floats, CudaStream stream);
void halves_of_floats(const ConstBytePlane& floats, const BytePlane& halves, CudaStream stream);

}  // namespace vidconv::cuda
