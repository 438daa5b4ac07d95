// Components that lie side by side and are all filtered alike form one plane of whole pixels, which
// kernels read and write as they do any other, in one pass for all components.
#pragma once

#include <memory>

#include "kernels/convolver/convolver.h"

namespace vidconv::cuda {

// Returns a convolver that runs pixels as planes of their own where a variant is at hand for that,
// and all else by `separate`, which runs `plan` for planes. Belongs to the device that is current
// when it is made; the first run for a kind of pixels uploads its taps.
std::unique_ptr<Convolver> with_whole_pixels(const Plan& plan, const CudaAbilities& abilities,
                                             std::unique_ptr<Convolver> separate);

// Returns a convolver that runs `plan` for planes of whole pixels, of `components` components each,
// and copies those in `kept` (Plan::kept); nullptr where no variant is at hand for that.
std::unique_ptr<Convolver> make_whole_pixels(const Plan& plan, const CudaAbilities& abilities,
                                             int components, unsigned kept = 0);

}  // namespace vidconv::cuda
