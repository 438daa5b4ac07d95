// Pixels whose components are all filtered alike are one plane of samples that lie side by side,
// under kernels whose columns lie a pixel apart.
#pragma once

#include <optional>

#include "kernels/plan/plan.h"

namespace vidconv {

// The plan that makes of rows of whole pixels, of so many components each, what `plan` makes of
// each component, but those in `kept`, which it copies (Plan::kept): zeros between the taps of a
// row, which change no sum of codes, and a border of pixels. Nothing where a zero could be seen,
// because samples are floats, which may be infinite.
std::optional<Plan> interleaved(const Plan& plan, int components, unsigned kept = 0);

}  // namespace vidconv
