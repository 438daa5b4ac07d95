// The general variant (generic-inl.h) in doubles.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/generic/generic_f64.cpp"
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
void run_lanes_double(const Plan& plan, const GenericPlan<double>& lanes_plan, const Band& band,
                      const WindowLayout& layout, const Windows<double>& windows) {
  if (plan.sample.storage == Storage::f32)
    run_lanes_of<float>(plan, lanes_plan, band, layout, windows);
  else
    run_lanes_of_codes(plan, lanes_plan, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/generic/generic.h"

namespace vidconv {
HWY_EXPORT(run_lanes_double);

void run_double_lanes(const Plan& plan, const GenericPlan<double>& lanes_plan, const Band& band,
                      const WindowLayout& layout, const Windows<double>& windows) {
  HWY_DYNAMIC_DISPATCH(run_lanes_double)(plan, lanes_plan, band, layout, windows);
}

}  // namespace vidconv
#endif  // HWY_ONCE
