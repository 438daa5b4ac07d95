// Sums of products: multiply-adds of two pairs of 16 bits, or four of 8, a lane. The only file with
// intrinsics, for operations that Debian's Highway 1.0.3 lacks. Compiled once for each instruction
// set. The includer writes VIDCONV_DOT_TARGET after HWY_BEFORE_NAMESPACE. VIDCONV_HAVE_DOT says
// whether there are dot products of bytes, VIDCONV_HAVE_BYTE_PAIRS whether pairs of bytes are to be
// used instead.
#if defined(VIDCONV_CPU_DOT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_DOT_INL_H
#undef VIDCONV_CPU_DOT_INL_H
#else
#define VIDCONV_CPU_DOT_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

// Highway 1.0.3 tests for the instructions when it chooses this set, but does not allow them.
#undef VIDCONV_HAVE_DOT
#undef VIDCONV_DOT_TARGET
#if HWY_TARGET == HWY_AVX3_DL && HWY_COMPILER_GCC_ACTUAL
#define VIDCONV_HAVE_DOT 1
#define VIDCONV_DOT_TARGET HWY_PRAGMA(GCC target("avx512vnni"))
#else
#define VIDCONV_HAVE_DOT 0
#define VIDCONV_DOT_TARGET
#endif

// Whether bytes are best multiplied two at a time, into 16 bits.
#undef VIDCONV_HAVE_BYTE_PAIRS
#define VIDCONV_HAVE_BYTE_PAIRS (HWY_TARGET == HWY_AVX2)

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Makes the compiler compute `v` here, once, and not where it is used: GCC puts off much that there
// are then no registers for, begins late what takes long, or loads the same value for each
// instruction that takes it.
template <class V>
HWY_INLINE void settle([[maybe_unused]] V& v) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  asm("" : "+v"(v.raw));
#endif
}

// A vector of 32-bit sums. Some machines add the two products of a pair apart.
struct Sum {
  using D8 = hn::ScalableTag<std::uint8_t>;
  using D16 = hn::ScalableTag<std::int16_t>;
  using D32 = hn::ScalableTag<std::int32_t>;
  using V8 = hn::VFromD<D8>;
  using V16 = hn::VFromD<D16>;
  using V32 = hn::VFromD<D32>;
  static constexpr D32 d32{};

  V32 a, b;

  // Highway's vectors for NEON have constructors. One that the compiler made of them would be for
  // the machine that all files are compiled for, and could call none of these.
  HWY_INLINE Sum() {}
  HWY_INLINE void start(std::int32_t value) {
#if HWY_ARCH_ARM && HWY_TARGET != HWY_EMU128
    // Sums are those of two lanes, the lower ones of `a` and the upper ones of `b`.
    const hn::ScalableTag<std::uint64_t> d64;
    a = b = hn::BitCast(d32, hn::Set(d64, static_cast<std::uint32_t>(value)));
#else
    a = hn::Set(d32, value);
    b = hn::Zero(d32);
#endif
  }
  // Adds the two products of each pair.
  HWY_INLINE void add(V16 samples, V16 taps) {
#if VIDCONV_HAVE_DOT
    a = V32{_mm512_dpwssd_epi32(a.raw, samples.raw, taps.raw)};
#else
    a = hn::ReorderWidenMulAccumulate(d32, samples, taps, a, b);
#endif
  }
#if VIDCONV_HAVE_DOT
  // Adds the products of each four bytes with the four signed ones of `taps`.
  HWY_INLINE void add_bytes(V8 samples, std::uint32_t taps) {
    a = V32{_mm512_dpbusd_epi32(a.raw, samples.raw, _mm512_set1_epi32(static_cast<int>(taps)))};
  }
#endif
  HWY_INLINE V32 total() const { return hn::RearrangeToOddPlusEven(a, b); }
};

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
// Returns the sum of the products of each pair of bytes with the two signed ones of `taps`, which
// has to fit 16 signed bits.
HWY_INLINE hn::VFromD<hn::ScalableTag<std::uint16_t>> pairs_of_bytes(Sum::V8 samples,
                                                                     Sum::V8 taps) {
#if HWY_TARGET == HWY_AVX2
  return hn::VFromD<hn::ScalableTag<std::uint16_t>>{_mm256_maddubs_epi16(samples.raw, taps.raw)};
#else
  return hn::VFromD<hn::ScalableTag<std::uint16_t>>{_mm512_maddubs_epi16(samples.raw, taps.raw)};
#endif
}
#endif

// Returns two taps, the first one in the lower half, for each pair of samples.
HWY_INLINE Sum::V16 pair_of_taps(std::int32_t taps) {
  return hn::BitCast(Sum::D16(), hn::Set(Sum::d32, taps));
}

// Convert floats to integers, to the nearest and towards 0. NaN, and values that 32 bits do not
// hold, become anything: Highway defines their results, which costs as much again.
using Floats = hn::VFromD<hn::Rebind<float, Sum::D32>>;
HWY_INLINE Sum::V32 nearest(Floats v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return Sum::V32{_mm512_cvtps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return Sum::V32{_mm256_cvtps_epi32(v.raw)};
#else
  return hn::NearestInt(v);
#endif
}
HWY_INLINE Sum::V32 truncated(Floats v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return Sum::V32{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return Sum::V32{_mm256_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(Sum::d32, v);
#endif
}

#if HWY_TARGET == HWY_AVX2
// Returns the lanes of two vectors, four of each in turn, clamped to 0 and 65535.
HWY_INLINE hn::VFromD<hn::ScalableTag<std::uint16_t>> clamped_quarters(Sum::V32 a, Sum::V32 b) {
  return hn::VFromD<hn::ScalableTag<std::uint16_t>>{_mm256_packus_epi32(a.raw, b.raw)};
}
#endif

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
// Returns the lanes of two vectors, one after the other, clamped to 0 and 65535.
HWY_INLINE hn::VFromD<hn::ScalableTag<std::uint16_t>> clamped_halves(Sum::V32 a, Sum::V32 b) {
#if HWY_TARGET == HWY_AVX2
  return hn::VFromD<hn::ScalableTag<std::uint16_t>>{
      _mm256_permute4x64_epi64(clamped_quarters(a, b).raw, _MM_SHUFFLE(3, 1, 2, 0))};
#else
  const __m512i packed = _mm512_packus_epi32(a.raw, b.raw);
  return hn::VFromD<hn::ScalableTag<std::uint16_t>>{
      _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), packed)};
#endif
}
#endif

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
// Returns the lanes of two vectors, one after the other, clamped to bytes.
HWY_INLINE Sum::V8 clamped_bytes(Sum::V16 a, Sum::V16 b) {
#if HWY_TARGET == HWY_AVX2
  const __m256i packed = _mm256_packus_epi16(a.raw, b.raw);
  return Sum::V8{_mm256_permute4x64_epi64(packed, _MM_SHUFFLE(3, 1, 2, 0))};
#else
  const __m512i packed = _mm512_packus_epi16(a.raw, b.raw);
  return Sum::V8{_mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), packed)};
#endif
}
#endif

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// Returns the lanes of two vectors that `lanes` names: from 16 on those of `b`.
HWY_INLINE Floats lanes_of(Floats a, Floats b, Sum::V32 lanes) {
  return Floats{_mm512_permutex2var_ps(a.raw, lanes.raw, b.raw)};
}
// Returns the lanes of two vectors from number `first` on, a constant from 0 to 15.
template <class First>
HWY_INLINE Floats lanes_from(First first, Floats a, Floats b) {
  return Floats{_mm512_castsi512_ps(
      _mm512_alignr_epi32(_mm512_castps_si512(b.raw), _mm512_castps_si512(a.raw), first.value))};
}
#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
