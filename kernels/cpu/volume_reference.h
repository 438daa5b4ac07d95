// The definition of volumes, plans over columns, rows and frames: plain loops.
#pragma once

#include <memory>

#include "kernels/convolver/time_convolver.h"

namespace vidconv {

std::unique_ptr<TimeConvolver> make_volume_reference(const Plan& plan, int threads);

}  // namespace vidconv
