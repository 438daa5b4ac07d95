// The definition of plans whose samples count by weights, for make_reference().
#pragma once

#include <memory>

#include "kernels/convolver/convolver.h"

namespace vidconv {

std::unique_ptr<Convolver> make_weighted_reference(const Plan& plan, int threads);

}  // namespace vidconv
