// The definition: plain loops that compute a plan sample by sample, with OpenMP's threads. It
// shares neither code nor threads with the other variants, which are compared with it.
#pragma once

#include <memory>

#include "kernels/convolver/convolver.h"

namespace vidconv {

std::unique_ptr<Convolver> make_reference(const Plan& plan, int threads);

}  // namespace vidconv
