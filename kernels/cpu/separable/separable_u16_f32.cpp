// cpu-separable-f32 (separable_f32-inl.h) over 16 bits.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/separable/separable_u16_f32.cpp"
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
void run_fused_u16(const Plan& plan, const SeparableF32Plan& fused_plan, const Band& band,
                   const WindowLayout& layout, const Windows<std::uint16_t>& windows) {
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
HWY_EXPORT(run_fused_u16);

Prepared prepare_fused_u16(const Plan& plan) {
  if (!uses_simd(VIDCONV_LEVELS) || !HWY_DYNAMIC_DISPATCH(have_fused)()) return nullptr;
  return prepare_banded<std::uint16_t>(plan, make_fused_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_fused_u16)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
