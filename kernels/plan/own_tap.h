// The tap that an unsharp mask over floats has beside its two passes.
#pragma once

#include <optional>

#include "kernels/plan/plan.h"

namespace vidconv {

// Returns the tap of the sample itself where the plan's second term, in floats or doubles, is just
// that tap's product, added to the first term; nothing for other plans.
std::optional<double> own_tap(const Plan& plan);

}  // namespace vidconv
