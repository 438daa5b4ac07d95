// Which instruction sets the CPU variants are compiled for. To be included before Highway's
// headers.
#pragma once

// Ice Lake's and Zen 4's, which add the products of 16-bit pairs in one instruction.
#define HWY_WANT_AVX3_DL 1

// Vectors of a size that is not known when compiling cannot be kept in arrays; those machines use
// their fixed-size instructions (NEON). Processors that have SSSE3 and no SSE4 are of 2006 and
// 2007: they use SSE2.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)

// The fallback is plain C++ in 128-bit vectors. Highway takes single lanes instead with GCC before
// 12.3, because of a compiler bug around MulHigh (GCC 106322); the tests run this level too, with
// our uses of MulHigh, and would show it.
#define HWY_BROKEN_EMU128 0
