// The definition of plans over time: plain loops, which all variants are tested against.
#pragma once

#include <memory>

#include "kernels/convolver/convolver.h"

namespace vidconv {

std::unique_ptr<Convolver> make_time_reference(const Plan& plan, int threads);

}  // namespace vidconv
