// All variants: one table, and the choice from it.
#pragma once

#include <span>
#include <string_view>

#include "kernels/convolver/convolver.h"

namespace vidconv {

// Returns the variants of this build, in order of preference: the first that supports a plan is the
// best.
std::span<const Variant> variants();

// A variant, and the plan it has prepared.
struct Choice {
  const Variant* variant;
  Prepared convolver;
};

// Returns the variant that serves `plan` on `device`. The reference supports every plan on the CPU;
// where the build has CUDA, every plan has a CUDA variant too. Throws std::invalid_argument for
// Device::cuda in a build without CUDA.
Choice pick(const Plan& plan, Device device, const CudaAbilities& abilities = {});

// Returns the abilities of the device cuda:`index`; none where there is no such device, and in a
// build without CUDA.
CudaAbilities cuda_abilities(int index);

// Returns nullptr where no variant has that name.
const Variant* find_variant(std::string_view name);

}  // namespace vidconv
