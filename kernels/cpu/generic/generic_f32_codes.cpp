// The general variant (generic-inl.h) in floats, over codes.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/generic/generic_f32_codes.cpp"
#endif
#define VIDCONV_ANY_CPU
#define VIDCONV_NOT_SSE4
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/generic/generic-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// HWY_EXPORT takes no templates.
void run_lanes_float_codes(const Plan& plan, const GenericPlan<float>& lanes_plan, const Band& band,
                           const WindowLayout& layout, const Windows<float>& windows) {
  run_lanes_of_codes(plan, lanes_plan, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/generic/generic.h"

namespace vidconv {
HWY_EXPORT(run_lanes_float_codes);

void run_float_lanes_of_codes(const Plan& plan, const GenericPlan<float>& lanes_plan,
                              const Band& band, const WindowLayout& layout,
                              const Windows<float>& windows) {
  HWY_DYNAMIC_DISPATCH(run_lanes_float_codes)(plan, lanes_plan, band, layout, windows);
}

}  // namespace vidconv
#endif  // HWY_ONCE
