// The general variant (generic-inl.h) in integers.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/generic/generic_int32.cpp"
#endif
#define VIDCONV_ANY_CPU
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
void run_lanes_int32(const Plan& plan, const GenericPlan<std::int32_t>& lanes_plan,
                     const Band& band, const WindowLayout& layout,
                     const Windows<std::int32_t>& windows) {
  run_lanes_of_codes(plan, lanes_plan, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/generic/generic.h"

namespace vidconv {
HWY_EXPORT(run_lanes_int32);

void run_int32_lanes(const Plan& plan, const GenericPlan<std::int32_t>& lanes_plan,
                     const Band& band, const WindowLayout& layout,
                     const Windows<std::int32_t>& windows) {
  HWY_DYNAMIC_DISPATCH(run_lanes_int32)(plan, lanes_plan, band, layout, windows);
}

}  // namespace vidconv
#endif  // HWY_ONCE
