// Weights that are made of pictures in device memory (docs/numerics.md, "Weights").
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/convolver/convolver.h"
#include "kernels/picture/plane.h"
#include "kernels/plan/plan.h"

namespace vidconv::cuda {

// All of these queue their work on `stream` and return; planes lie in device memory. They throw
// std::runtime_error where a launch is refused.

// Raises each weight to that of a filter's response, of samples of that type. Planes of one size.
void raise_weights(const ConstBytePlane& response, const SampleType& sample,
                   const Plane<std::uint8_t>& weights, CudaStream stream);

// As Weights::feather(). `scratch`: memory for two numbers of each weight.
void feather_weights(const Plane<std::uint8_t>& weights, int reach, std::int32_t* scratch,
                     CudaStream stream);

// As touched() of kernels/picture/weights.h, of inverted weights where `invert`.
void touched_weights(const Plane<const std::uint8_t>& pixels, bool invert, Subsampling subsampling,
                     bool by_field, const Plane<std::uint8_t>& samples, CudaStream stream);

}  // namespace vidconv::cuda
