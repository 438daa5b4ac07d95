// Pixels whose components are all filtered alike are one plane of samples that lie side by side,
// under kernels whose columns lie a pixel apart.
#pragma once

#include <optional>

#include "kernels/plan/plan.h"

namespace vidconv {

// Returns the plan for rows of whole pixels of `components` each that does to each component what
// `plan` does, but copies those in `kept` (Plan::kept). It has zeros between the taps of a row,
// which change no sum of codes, and a border of pixels. Nothing where samples are floats: they may
// be infinite, and a zero would show.
std::optional<Plan> interleaved(const Plan& plan, int components, unsigned kept = 0);

}  // namespace vidconv
