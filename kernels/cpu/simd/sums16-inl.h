// Codes of sums that fit 16 bits. Compiled once for each instruction set.
#if defined(VIDCONV_CPU_SUMS16_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_SUMS16_INL_H
#undef VIDCONV_CPU_SUMS16_INL_H
#else
#define VIDCONV_CPU_SUMS16_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/sums16.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// Makes codes of sums that begin at start(). `absolute` is as in the plan.
template <bool absolute>
class Codes16 {
  using D = hn::ScalableTag<std::uint16_t>;
  using V = hn::VFromD<D>;
  static constexpr D d{};

 public:
  explicit HWY_INLINE Codes16(const Sums16& plan)
      : start_(hn::Set(d, plan.start)),
        half_(hn::Set(d, plan.half)),
        below_zero_(hn::Set(d, plan.below_zero)),
        limit_(hn::Set(d, plan.limit)),
        multiplier_(hn::Set(d, plan.division.multiplier)),
        divides_(plan.division.multiplier != 0),
        down_(plan.division.shift),
        up_(plan.shift) {}

  HWY_INLINE V start() const { return start_; }

  // Stores a block of a row from column x on: two vectors of columns, one after the other.
  HWY_INLINE void store(StoreWay way, const V (&sums)[2], int x, std::uint16_t* out,
                        int width) const {
    V codes[2];
    unrolled<0, 2>([&](int u) VIDCONV_LAMBDA {
      codes[u] = code(sums[u]);
      if (up_ != 0) codes[u] = hn::ShiftLeftSame(codes[u], up_);
    });
    store_block(way, d, codes, out, x, width);
  }

  // Stores bytes: the vectors have the even columns and the odd ones.
  HWY_INLINE void store(StoreWay way, const V (&sums)[2], int x, std::uint8_t* out,
                        int width) const {
    constexpr hn::ScalableTag<std::uint8_t> d8;
    const V odd = hn::ShiftLeft<8>(code(sums[1]));
    const hn::VFromD<decltype(d8)> codes[1] = {hn::BitCast(d8, hn::Or(odd, code(sums[0])))};
    store_block(way, d8, codes, out, x, width);
  }

 private:
  HWY_INLINE V code(V n) const {
    if constexpr (absolute)
      n = hn::Add(hn::BitCast(d, hn::Abs(hn::BitCast(hn::RebindToSigned<D>(), n))), half_);
    n = hn::Min(hn::SaturatedSub(n, below_zero_), limit_);
    if (divides_) n = hn::MulHigh(n, multiplier_);
    return down_ == 0 ? n : hn::ShiftRightSame(n, down_);
  }

  const V start_, half_, below_zero_, limit_, multiplier_;
  const bool divides_;
  const int down_, up_;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
