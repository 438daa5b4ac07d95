// Chooses the instruction sets that the CPU variants are compiled for. Must be included before
// Highway's headers.
#pragma once

// The instruction set of Ice Lake and Zen 4, of which variants use one instruction, for sums of
// products of bytes and of 16-bit pairs. Files that have such sums (Sum in dot-inl.h) define
// VIDCONV_DOT_PRODUCTS first; the others have code for AVX3 there.
#ifdef VIDCONV_DOT_PRODUCTS
#define HWY_WANT_AVX3_DL 1
#endif

// Vectors of a size that is not known at compile time cannot be kept in arrays or in members, as
// the variants do: on those machines they use fixed-size instructions (NEON). Files that can do
// without define VIDCONV_SCALABLE_VECTORS first. Targets for one size of SVE would be the same code
// once more.
#define VIDCONV_SCALABLE_TARGETS (HWY_SVE | HWY_SVE2)
#ifdef VIDCONV_SCALABLE_VECTORS
#define VIDCONV_SCALABLE_DISABLED 0
#else
#define VIDCONV_SCALABLE_DISABLED VIDCONV_SCALABLE_TARGETS
#endif

// Most variants have no code for processors older than AVX2, where compiling takes longest: they
// decline there (VIDCONV_LEVELS), and the general variant is used. Files without which something
// could not be computed define VIDCONV_ANY_CPU first. Files that compile quickly for SSE4, and are
// many times as fast as the general variant, define VIDCONV_SSE4_TOO. Files whose time on such a
// processor goes into multiply-adds of floats with one rounding, which SSE4 lacks, define
// VIDCONV_NOT_SSE4 beside VIDCONV_ANY_CPU. A build for one instruction set
// (HWY_COMPILE_ONLY_STATIC, or -mavx2 and more) has code for that alone.
#if defined(__x86_64__) && !defined(__AVX2__) && !defined(HWY_COMPILE_ONLY_STATIC)
// Lesser instruction sets have higher bits. Highway's version decides which there are.
#define VIDCONV_BEFORE_SSE4 (-2 * HWY_SSE4)
#define VIDCONV_OLD_TARGETS (-HWY_SSE4)
#if defined(VIDCONV_SSE4_TOO)
#define HWY_BASELINE_TARGETS HWY_SSE4
#define VIDCONV_OLD_DISABLED VIDCONV_BEFORE_SSE4
#elif !defined(VIDCONV_ANY_CPU)
#define HWY_BASELINE_TARGETS HWY_AVX2
#define VIDCONV_OLD_DISABLED VIDCONV_OLD_TARGETS
#elif defined(VIDCONV_NOT_SSE4)
#define VIDCONV_OLD_DISABLED HWY_SSE4
#endif
#else
#define VIDCONV_OLD_TARGETS 0
#endif
#ifdef HWY_BASELINE_TARGETS
#define VIDCONV_LEVELS HWY_TARGETS
#else
#define VIDCONV_LEVELS vidconv::every_simd_level
#endif
#ifndef VIDCONV_OLD_DISABLED
#define VIDCONV_OLD_DISABLED 0
#endif

// Processors with SSSE3 and without SSE4 are of 2006 and 2007; they use SSE2.
#define HWY_DISABLED_TARGETS                                                                 \
  (VIDCONV_SCALABLE_DISABLED | VIDCONV_OLD_DISABLED | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | \
   HWY_SSSE3)

// The fallback is plain C++ in 128-bit vectors. Highway takes single lanes instead with GCC before
// 12.3, because of a compiler bug around MulHigh (GCC 106322); the tests run this level too, with
// our uses of MulHigh, and would show it.
#define HWY_BROKEN_EMU128 0
