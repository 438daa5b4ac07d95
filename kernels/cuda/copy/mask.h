// Weights that are computed from pictures in device memory (docs/numerics.md, "Weights").
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/convolver/convolver.h"
#include "kernels/picture/plane.h"
#include "kernels/plan/plan.h"

namespace vidconv::cuda {

// All functions queue their work on `stream` and return without blocking; planes lie in device
// memory. They throw std::runtime_error where a launch is refused.

// Raises each weight to the weight of a filter's response, whose samples are of type `sample`. The
// planes have one size.
void raise_weights(const ConstBytePlane& response, const SampleType& sample,
                   const Plane<std::uint8_t>& weights, CudaStream stream);

// Does Weights::feather() on the device. `scratch` has room for two numbers for each weight.
void feather_weights(const Plane<std::uint8_t>& weights, int reach, std::int32_t* scratch,
                     CudaStream stream);

// Does touched() of kernels/picture/weights.h on the device, of inverted weights where `invert`.
// `whole`: each weight above 0 becomes the largest.
void touched_weights(const Plane<const std::uint8_t>& pixels, bool invert, bool whole,
                     Subsampling subsampling, bool by_field, const Plane<std::uint8_t>& samples,
                     CudaStream stream);

}  // namespace vidconv::cuda
