// Which instruction sets the CPU variants are compiled for. To be included before Highway's
// headers.
#pragma once

// Ice Lake's and Zen 4's, which add the products of 16-bit pairs in one instruction.
#define HWY_WANT_AVX3_DL 1

// Vectors of a size that is not known when compiling cannot be kept in arrays or in members, as the
// engines do: on those machines they use fixed-size instructions (NEON). Files that can do without
// say VIDCONV_SCALABLE_VECTORS first. Those for one size of SVE would be the same code once more.
#define VIDCONV_SCALABLE_TARGETS (HWY_SVE | HWY_SVE2)
#ifdef VIDCONV_SCALABLE_VECTORS
#define VIDCONV_SCALABLE_DISABLED 0
#else
#define VIDCONV_SCALABLE_DISABLED VIDCONV_SCALABLE_TARGETS
#endif

// Processors that have SSSE3 and no SSE4 are of 2006 and 2007: they use SSE2.
#define HWY_DISABLED_TARGETS \
  (VIDCONV_SCALABLE_DISABLED | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)

// The fallback is plain C++ in 128-bit vectors. Highway takes single lanes instead with GCC before
// 12.3, because of a compiler bug around MulHigh (GCC 106322); the tests run this level too, with
// our uses of MulHigh, and would show it.
#define HWY_BROKEN_EMU128 0
