// Components of whole pixels that are only to be copied, where a kernel does not do so in passing.
#pragma once

#include <memory>

#include "kernels/convolver/convolver.h"
#include "kernels/plan/plan.h"

namespace vidconv::cuda {

// Makes what copies samples of a type; nullptr for floats, whose pixels are never taken together.
std::unique_ptr<Convolver> make_copy_of(const SampleType& sample);

// Runs `filter` for all components of a plan of whole pixels, then copies those in Plan::kept over
// what it made of them; `filter` itself where there are none, or where it is nullptr.
std::unique_ptr<Convolver> then_copy_kept(std::unique_ptr<Convolver> filter, const Plan& plan);

}  // namespace vidconv::cuda
