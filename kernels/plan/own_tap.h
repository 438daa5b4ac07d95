// What an unsharp mask over floats is beside its two passes.
#pragma once

#include <optional>

#include "kernels/plan/plan.h"

namespace vidconv {

// The tap of the sample itself whose product the second of two terms in floats or doubles adds to
// the first; none where it is anything else.
std::optional<double> own_tap(const Plan& plan);

}  // namespace vidconv
