// Integers do the work rather than the processor's conversions, which change the bits of NaNs:
// halves that are only copied come back as they were.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/copy/half_rows.cpp"
#endif
#define VIDCONV_ANY_CPU
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/copy/half_rows.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/picture/half.h"

HWY_BEFORE_NAMESPACE();
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void floats_of_half_row(const std::uint16_t* HWY_RESTRICT halves, float* HWY_RESTRICT floats,
                        std::size_t count) {
  note_used_simd(HWY_TARGET);
  const hn::ScalableTag<float> df;
  const hn::RebindToUnsigned<decltype(df)> du;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<std::uint16_t, decltype(df)> dh;
  const std::size_t lanes = hn::Lanes(df);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto half = hn::PromoteTo(du, hn::LoadU(dh, halves + i));
    const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(du, 0x8000)));
    const auto rest = hn::And(half, hn::Set(du, 0x7FFF));
    const auto shifted = hn::ShiftLeft<13>(rest);
    const auto usual = hn::Add(shifted, hn::Set(du, (127U - 15U) << 23U));
    const auto small = hn::Mul(hn::ConvertTo(df, hn::BitCast(di, rest)), hn::Set(df, 0x1p-24F));
    const auto endless = hn::Or(shifted, hn::Set(du, 0x7F800000));
    const auto finite =
        hn::IfThenElse(hn::Lt(rest, hn::Set(du, 0x400)), hn::BitCast(du, small), usual);
    const auto made = hn::IfThenElse(hn::Lt(rest, hn::Set(du, 0x7C00)), finite, endless);
    hn::StoreU(hn::BitCast(df, hn::Or(made, sign)), df, floats + i);
  }
  for (; i < count; ++i) floats[i] = float_of_half(halves[i]);
}

void halves_of_float_row(const float* HWY_RESTRICT floats, std::uint16_t* HWY_RESTRICT halves,
                         std::size_t count) {
  note_used_simd(HWY_TARGET);
  const hn::ScalableTag<float> df;
  const hn::RebindToUnsigned<decltype(df)> du;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<std::uint16_t, decltype(df)> dh;
  const std::size_t lanes = hn::Lanes(df);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto bits = hn::BitCast(du, hn::LoadU(df, floats + i));
    const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000));
    const auto rest = hn::And(bits, hn::Set(du, 0x7FFFFFFF));
    const auto upper = hn::ShiftRight<13>(rest);
    const auto small = hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(df, rest), hn::Set(df, 0.5F))),
                               hn::Set(du, 0x3F000000));
    const auto odd = hn::And(upper, hn::Set(du, 1));
    const auto usual = hn::ShiftRight<13>(
        hn::Sub(hn::Add(hn::Add(rest, hn::Set(du, 0xFFF)), odd), hn::Set(du, (127U - 15U) << 23U)));
    const auto kept = hn::And(upper, hn::Set(du, 0x3FF));
    const auto nan = hn::Or(hn::Set(du, 0x7C00),
                            hn::IfThenElse(hn::Eq(kept, hn::Zero(du)), hn::Set(du, 0x200), kept));
    auto half = hn::IfThenElse(hn::Lt(rest, hn::Set(du, 0x38800000)), small, usual);
    half = hn::IfThenElse(hn::Lt(rest, hn::Set(du, 0x477FF000)), half, hn::Set(du, 0x7C00));
    half = hn::IfThenElse(hn::Gt(rest, hn::Set(du, 0x7F800000)), nan, half);
    hn::StoreU(hn::DemoteTo(dh, hn::BitCast(di, hn::Or(half, sign))), dh, halves + i);
  }
  for (; i < count; ++i) halves[i] = half_of_float(floats[i]);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vidconv {
HWY_EXPORT(floats_of_half_row);
HWY_EXPORT(halves_of_float_row);

void floats_of_halves(const std::uint16_t* halves, float* floats, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(floats_of_half_row)(halves, floats, count);
}
void halves_of_floats(const float* floats, std::uint16_t* halves, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(halves_of_float_row)(floats, halves, count);
}

}  // namespace vidconv
#endif  // HWY_ONCE
