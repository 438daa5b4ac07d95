// The definition: plain loops that compute a plan sample by sample.
#pragma once

#include <memory>

#include "kernels/convolver/convolver.h"

namespace vidconv {

std::unique_ptr<Convolver> make_reference(const Plan& plan, int threads);

}  // namespace vidconv
