#include "kernels/cpu/simd/simd.h"

#define VIDCONV_SCALABLE_VECTORS
#define VIDCONV_ANY_CPU
#define VIDCONV_DOT_PRODUCTS
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what highway.h offers.
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <atomic>
#include <stdexcept>
#include <string>

namespace vidconv {
namespace {

std::atomic<SimdLevel> used{0};

std::vector<SimdLevel> levels_of(SimdLevel targets) {
  std::vector<SimdLevel> levels;
  for (SimdLevel rest = (hwy::SupportedTargets() | HWY_STATIC_TARGET) & targets; rest != 0;
       rest &= rest - 1)
    levels.push_back(rest & -rest);  // Highway gives better sets lower bits
  return levels;
}

}  // namespace

void require_simd() {
  if ((hwy::SupportedTargets() & (HWY_TARGETS | HWY_STATIC_TARGET)) == 0)
    throw std::runtime_error(std::string("this build is for processors with ") +
                             hwy::TargetName(HWY_STATIC_TARGET) +
                             ", which this one lacks; build it here, or with VIDCONV_SIMD=all");
}

std::vector<SimdLevel> simd_levels() { return levels_of(HWY_TARGETS & ~VIDCONV_SCALABLE_TARGETS); }
std::vector<SimdLevel> engine_simd_levels() {
  return levels_of(HWY_TARGETS & ~VIDCONV_SCALABLE_TARGETS & ~VIDCONV_OLD_TARGETS);
}
std::vector<SimdLevel> all_simd_levels() { return levels_of(HWY_TARGETS); }

bool uses_simd(SimdLevel levels) {
  return levels == every_simd_level || (hwy::SupportedTargets() & levels) != 0;
}

std::string_view simd_name(SimdLevel level) { return hwy::TargetName(level); }

void force_simd(SimdLevel level) {
  hwy::SetSupportedTargetsForTest(0);
  // Lesser ones have higher bits: code without `level` uses the best of them.
  if (level != 0) hwy::SetSupportedTargetsForTest(hwy::SupportedTargets() & -level);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

SimdLevel take_used_simd() { return used.exchange(0); }

void note_used_simd(SimdLevel level) { used.fetch_or(level, std::memory_order_relaxed); }

}  // namespace vidconv
