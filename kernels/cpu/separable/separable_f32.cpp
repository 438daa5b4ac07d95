// cpu-separable-f32 (separable_f32-inl.h) over floats.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/separable/separable_f32.cpp"
#endif
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/separable/separable_f32-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// HWY_EXPORT takes no templates.
void run_fused_f32(const Plan& plan, const SeparableF32Plan& fused_plan, const Band& band,
                   const WindowLayout& layout, const Windows<float>& windows) {
  run_fused(plan, fused_plan, band, layout, windows);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/band/banded.h"

namespace vidconv {
HWY_EXPORT(have_fused);
HWY_EXPORT(run_fused_f32);

Prepared prepare_fused_f32(const Plan& plan) {
  if (!uses_simd(VIDCONV_LEVELS) || !HWY_DYNAMIC_DISPATCH(have_fused)()) return nullptr;
  return prepare_banded<float>(plan, make_fused_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_fused_f32)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
