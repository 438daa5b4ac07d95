// The division that ends integer plans, where nothing has to be clamped. Compiled once for each
// instruction set; the includer writes VIDCONV_DOT_TARGET, as dot-inl.h asks.
#if defined(VIDCONV_CPU_QUOTIENT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_QUOTIENT_INL_H
#undef VIDCONV_CPU_QUOTIENT_INL_H
#else
#define VIDCONV_CPU_QUOTIENT_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/cpu/simd/dot-inl.h"
#include "kernels/plan/finish.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// floor(n / divisor) of 32-bit lanes, all from 0 to finish.limit, as quotients() gives it. The
// product's lower half is dropped first, so that one shift serves all.
template <class D>
class Quotient {
  using V = hn::VFromD<D>;
  using DU = hn::RebindToUnsigned<D>;
  using Wide = hn::RepartitionToWide<DU>;

 public:
  explicit HWY_INLINE Quotient(const Finish& f)
      : power_(f.divides_by_power_of_two()),
        shift_(power_ ? f.log2 : f.log2 - 1),
        reciprocal_(hn::Set(DU(), f.reciprocal)) {}

  HWY_INLINE V of(V n) const {
    if (power_) return hn::ShiftRightSame(n, shift_);
    constexpr DU du;
    constexpr Wide wide;
    const auto even = hn::BitCast(wide, hn::MulEven(hn::BitCast(du, n), reciprocal_));
    const auto odd =
        hn::MulEven(hn::BitCast(du, hn::ShiftRight<32>(hn::BitCast(wide, n))), reciprocal_);
    const auto upper = hn::OddEven(hn::BitCast(du, odd), hn::BitCast(du, hn::ShiftRight<32>(even)));
    return hn::BitCast(D(), hn::ShiftRightSame(upper, shift_));
  }

 private:
  const bool power_;
  const int shift_;
  const hn::VFromD<DU> reciprocal_;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
