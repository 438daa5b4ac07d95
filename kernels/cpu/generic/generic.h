// The general variant in each arithmetic, as BandedConvolver::RunBand.
#pragma once

#include <cstdint>

#include "kernels/convolver/bands.h"
#include "kernels/convolver/window.h"
#include "kernels/cpu/generic/generic_plan.h"

namespace vidconv {

void run_int32_lanes(const Plan& plan, const GenericPlan<std::int32_t>& lanes_plan,
                     const Band& band, const WindowLayout& layout,
                     const Windows<std::int32_t>& windows);
void run_float_lanes_of_codes(const Plan& plan, const GenericPlan<float>& lanes_plan,
                              const Band& band, const WindowLayout& layout,
                              const Windows<float>& windows);
void run_float_lanes_of_floats(const Plan& plan, const GenericPlan<float>& lanes_plan,
                               const Band& band, const WindowLayout& layout,
                               const Windows<float>& windows);
void run_double_lanes(const Plan& plan, const GenericPlan<double>& lanes_plan, const Band& band,
                      const WindowLayout& layout, const Windows<double>& windows);

}  // namespace vidconv
