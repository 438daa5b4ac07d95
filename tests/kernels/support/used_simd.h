// Compares the levels that a variant has used with those that it should use.
#pragma once

#include <hwy/targets.h>

#include "kernels/cpu/simd/simd.h"

namespace vidconv::test {

// Variants without dot products have no code of their own for AVX3_DL, and those of floats none for
// SSE4 (targets.h).
inline bool is_code_for(SimdLevel level, SimdLevel used) {
  return used == level || (level == HWY_AVX3_DL && used == HWY_AVX3) ||
         (level == HWY_SSE4 && used > HWY_SSE4);  // lesser levels have higher bits
}

}  // namespace vidconv::test
