// kernels/plan/finish.h in vectors: the same operations in the same order. Compiled once for each
// instruction set.
#if defined(VIDCONV_CPU_FINISH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_FINISH_INL_H
#undef VIDCONV_CPU_FINISH_INL_H
#else
#define VIDCONV_CPU_FINISH_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/simd/division16.h"
#include "kernels/plan/finish.h"

HWY_BEFORE_NAMESPACE();
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The tag of the type in which l2 is computed for lanes of D.
template <class D>
using RealTag = std::conditional_t<std::is_same_v<hn::TFromD<D>, double>, D, hn::Rebind<float, D>>;

template <class DReal, class D>
HWY_INLINE hn::VFromD<DReal> to_real(DReal real, D, hn::VFromD<D> v) {
  if constexpr (std::is_same_v<hn::TFromD<D>, std::int32_t>)
    return hn::ConvertTo(real, v);
  else
    return v;
}

template <class D>
HWY_INLINE hn::VFromD<D> beyond_threshold(const Finish& f, D d, hn::VFromD<D> response) {
  using Lane = hn::TFromD<D>;
  const auto zero = hn::Zero(d);
  const auto negative = hn::Lt(response, zero);
  const auto size = hn::IfThenElse(negative, hn::Neg(response), response);
  Lane threshold;
  if constexpr (std::is_same_v<Lane, std::int32_t>)
    threshold = f.threshold;
  else
    threshold = static_cast<Lane>(f.real_threshold);
  auto rest = hn::Sub(size, hn::Set(d, threshold));
  rest = hn::IfThenElse(hn::Lt(rest, zero), zero, rest);
  return hn::IfThenElse(negative, hn::Neg(rest), rest);
}

// Combines a response with those before it. For l2 the bits are those of RealTag<D>.
template <class D>
HWY_INLINE hn::VFromD<D> fold(const Finish& f, D d, bool first, hn::VFromD<D> so_far,
                              hn::VFromD<D> response) {
  if (f.combine == Combine::linear) return response;
  if (f.combine == Combine::l2) {
    const RealTag<D> real;
    const auto r = to_real(real, d, response);
    const auto square = hn::Mul(r, r);
    return hn::BitCast(d, first ? square : hn::Add(hn::BitCast(real, so_far), square));
  }
  if (f.combine == Combine::unsharp)
    return first ? response : hn::Add(so_far, beyond_threshold(f, d, response));
  if (f.combine != Combine::signed_max)
    response = hn::IfThenElse(hn::Lt(response, hn::Zero(d)), hn::Neg(response), response);
  if (first) return response;
  if (f.combine == Combine::l1) return hn::Add(so_far, response);
  return hn::IfThenElse(hn::Gt(response, so_far), response, so_far);
}

// Does finish_real() in lanes; but where T is not float, the result, which is not below 0, is still
// to be rounded towards 0.
template <class T, class D>
HWY_INLINE hn::VFromD<D> finish_real_lanes(const Finish& f, D d, hn::VFromD<D> response) {
  using Real = hn::TFromD<D>;
  auto v = hn::Add(response, hn::Set(d, static_cast<Real>(f.real_offset)));
  if (f.absolute) v = hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Neg(v), v);
  if constexpr (std::is_same_v<T, float>) return v;
  v = hn::Add(v, hn::Set(d, static_cast<Real>(f.real_half)));
  if (f.real_divisor != 1) v = hn::Div(v, hn::Set(d, static_cast<Real>(f.real_divisor)));
  // Clamped first: the limits are whole.
  return hn::Min(hn::Max(v, hn::Set(d, static_cast<Real>(f.min))),
                 hn::Set(d, static_cast<Real>(f.max)));
}

// numerators() and quotients() are the two halves of finish_int().
template <class D>
HWY_INLINE hn::VFromD<D> numerators(const Finish& f, D d, hn::VFromD<D> response) {
  auto n = hn::Add(response, hn::Set(d, f.offset));
  if (f.absolute) n = hn::IfThenElse(hn::Lt(n, hn::Zero(d)), hn::Neg(n), n);
  n = hn::Add(n, hn::Set(d, f.half));
  return hn::Min(hn::Max(n, hn::Set(d, f.lowest)), hn::Set(d, f.limit));
}

template <class D>
HWY_INLINE hn::VFromD<D> quotients(const Finish& f, D d, hn::VFromD<D> n) {
  if (f.divides_by_power_of_two()) return hn::ShiftRightSame(n, f.log2);
  const hn::RebindToUnsigned<D> du;
  const hn::RepartitionToWide<decltype(du)> wide;
  const auto reciprocal = hn::Set(du, f.reciprocal);
  const int shift = 31 + f.log2;
  const auto even = hn::BitCast(du, n);
  const auto odd = hn::BitCast(du, hn::ShiftRight<32>(hn::BitCast(wide, n)));
  const auto even_codes = hn::ShiftRightSame(hn::MulEven(even, reciprocal), shift);
  const auto odd_codes = hn::ShiftRightSame(hn::MulEven(odd, reciprocal), shift);
  return hn::BitCast(
      d, hn::OddEven(hn::BitCast(du, hn::ShiftLeft<32>(odd_codes)), hn::BitCast(du, even_codes)));
}

template <class DU16>
HWY_INLINE hn::VFromD<DU16> quotients16(const Division16& division, DU16 d, hn::VFromD<DU16> n) {
  if (division.multiplier != 0) n = hn::MulHigh(n, hn::Set(d, division.multiplier));
  return hn::ShiftRightSame(n, division.shift);
}

// Converts a vector of codes to samples.
template <class T, class V16>
HWY_INLINE hn::VFromD<hn::Rebind<T, hn::DFromV<V16>>> samples_of16(V16 codes, int shift) {
  const hn::RebindToUnsigned<hn::DFromV<V16>> du16;
  if constexpr (sizeof(T) == 1) {
    const hn::Rebind<std::int16_t, decltype(du16)> d16;
    return hn::DemoteTo(hn::Rebind<T, decltype(du16)>(), hn::BitCast(d16, codes));
  } else {
    const auto samples = hn::BitCast(du16, codes);
    return shift == 0 ? samples : hn::ShiftLeftSame(samples, shift);
  }
}

// Makes codes of what fold() made of all responses; samples where T is float.
template <class T, class D>
HWY_INLINE hn::VFromD<D> finish_lanes(const Finish& f, D d, hn::VFromD<D> folded) {
  if (f.combine == Combine::l2) {
    const RealTag<D> real;
    const auto codes = finish_real_lanes<T>(f, real, hn::Sqrt(hn::BitCast(real, folded)));
    if constexpr (std::is_same_v<hn::TFromD<D>, std::int32_t>)
      return hn::ConvertTo(d, codes);
    else
      return codes;
  }
  if constexpr (std::is_same_v<hn::TFromD<D>, std::int32_t>)
    return quotients(f, d, numerators(f, d, folded));
  else
    return finish_real_lanes<T>(f, d, folded);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
