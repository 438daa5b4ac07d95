// Lanes that lie in two vectors, at a distance that is not known when compiling. With intrinsics,
// because Debian's Highway 1.0.3 has no word for it. Compiled once for each instruction set; who
// includes it can ask VIDCONV_HAVE_SLIDE whether there is one instruction for it.
#if defined(VIDCONV_CPU_SLIDE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_SLIDE_INL_H
#undef VIDCONV_CPU_SLIDE_INL_H
#else
#define VIDCONV_CPU_SLIDE_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

#undef VIDCONV_HAVE_SLIDE
#if HWY_TARGET <= HWY_AVX3
#define VIDCONV_HAVE_SLIDE 1
#else
#define VIDCONV_HAVE_SLIDE 0
#endif

HWY_BEFORE_NAMESPACE();
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if VIDCONV_HAVE_SLIDE
// Sixteen of 32 lanes, those from `distance` on: 0 to 16.
class Slide {
 public:
  using D = hn::ScalableTag<float>;
  using V = hn::VFromD<D>;

  HWY_INLINE void set(int distance) { from_ = hn::Iota(hn::ScalableTag<std::int32_t>(), distance); }
  HWY_INLINE V of(V lower, V upper) const {
    return V{_mm512_permutex2var_ps(lower.raw, from_.raw, upper.raw)};
  }

 private:
  hn::VFromD<hn::ScalableTag<std::int32_t>> from_;
};
#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
