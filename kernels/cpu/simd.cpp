#include "kernels/cpu/simd.h"

#include "kernels/cpu/targets.h"
// In this order: targets.h decides what highway.h offers.
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <atomic>

namespace vidconv {
namespace {

std::atomic<SimdLevel> used{0};

}  // namespace

std::vector<SimdLevel> simd_levels() {
  std::vector<SimdLevel> levels;
  for (SimdLevel rest = (hwy::SupportedTargets() | HWY_STATIC_TARGET) & HWY_TARGETS; rest != 0;
       rest &= rest - 1)
    levels.push_back(rest & -rest);  // Highway gives better sets lower bits
  return levels;
}

std::string_view simd_name(SimdLevel level) { return hwy::TargetName(level); }

void force_simd(SimdLevel level) {
  hwy::SetSupportedTargetsForTest(level);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

SimdLevel take_used_simd() { return used.exchange(0); }

void note_used_simd(SimdLevel level) { used.fetch_or(level, std::memory_order_relaxed); }

}  // namespace vidconv
