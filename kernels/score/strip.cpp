// Sums up samples in vectors. Further results are computed in doubles, which hold the sums exactly;
// so there is one rounding in each of two products and one in a quotient, wherever it runs.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/score/strip.cpp"
#endif
#undef VIDCONV_SCALABLE_VECTORS
#define VIDCONV_SCALABLE_VECTORS
#define VIDCONV_ANY_CPU
#define VIDCONV_DOT_PRODUCTS
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/simd/simd.h"
#include "kernels/score/strip.h"

HWY_BEFORE_NAMESPACE();
namespace vidconv {
namespace HWY_NAMESPACE {
namespace strip {

namespace hn = hwy::HWY_NAMESPACE;
const hn::ScalableTag<std::int16_t> d16;
const hn::RebindToUnsigned<decltype(d16)> du16;
const hn::RepartitionToWide<decltype(d16)> d32;
const hn::Repartition<std::uint64_t, decltype(d16)> d64;
const hn::Repartition<double, decltype(d16)> df;
const hn::Rebind<std::uint8_t, decltype(d16)> d8;
using V16 = hn::Vec<decltype(d16)>;
using V32 = hn::Vec<decltype(d32)>;
using Vf = hn::Vec<decltype(df)>;

HWY_INLINE V16 load(const std::uint8_t* from) { return hn::PromoteTo(d16, hn::LoadU(d8, from)); }
HWY_INLINE V16 load(const std::uint16_t* from) { return hn::BitCast(d16, hn::LoadU(du16, from)); }

// Returns the sums of the products of each two neighbours. Only x86 adds neighbours.
HWY_INLINE V32 multiply_pairs(V16 x, V16 y) {
#if HWY_ARCH_X86
  V32 rest = hn::Zero(d32);
  const V32 sum = hn::ReorderWidenMulAccumulate(d32, x, y, hn::Zero(d32), rest);
  return hn::Add(sum, rest);
#else
  const V32 left = hn::BitCast(d32, x), right = hn::BitCast(d32, y), low = hn::Set(d32, 0xFFFF);
  return hn::Add(hn::Mul(hn::And(left, low), hn::And(right, low)),
                 hn::Mul(hn::ShiftRight<16>(left), hn::ShiftRight<16>(right)));
#endif
}

// Stores the sums of each two neighbours, which are not negative. An integer below 2^52 beside the
// exponent of 2^52 is 2^52 more than itself.
HWY_INLINE void store_sums(V32 pairs, double* to) {
  const auto both = hn::BitCast(d64, pairs);
  const auto sum = hn::Add(hn::And(both, hn::Set(d64, 0xFFFFFFFF)), hn::ShiftRight<32>(both));
  const auto biased = hn::BitCast(df, hn::Or(sum, hn::Set(d64, 0x4330000000000000)));
  hn::StoreU(hn::Sub(biased, hn::Set(df, 4503599627370496.0)), df, to);
}

// The squares of 16 samples of 12 bits fit into 32.
template <class T>
HWY_INLINE int sum_vectors(const Strip<T>& strip, int blocks, const BlockSums& to) {
  const int per_vector = static_cast<int>(hn::Lanes(d16)) / 4;
  const V16 ones = hn::Set(d16, 1);
  int block = 0;
  for (; block + per_vector <= blocks; block += per_vector) {
    V16 a = hn::Zero(d16), b = hn::Zero(d16);
    V32 squares = hn::Zero(d32), products = hn::Zero(d32);
    for (int row = 0; row < 4; ++row) {
      const V16 x = load(strip.a[row] + 4 * block), y = load(strip.b[row] + 4 * block);
      a = hn::Add(a, x);
      b = hn::Add(b, y);
      squares = hn::Add(squares, hn::Add(multiply_pairs(x, x), multiply_pairs(y, y)));
      products = hn::Add(products, multiply_pairs(x, y));
    }
    store_sums(multiply_pairs(a, ones), to.a + block);
    store_sums(multiply_pairs(b, ones), to.b + block);
    store_sums(squares, to.squares + block);
    store_sums(products, to.products + block);
  }
  return block;
}

HWY_INLINE Vf add_four(const double* above, const double* below) {
  return hn::Add(hn::Add(hn::LoadU(df, above), hn::LoadU(df, above + 1)),
                 hn::Add(hn::LoadU(df, below), hn::LoadU(df, below + 1)));
}

}  // namespace strip

int sum_bytes(const Strip<std::uint8_t>& strip, int blocks, const BlockSums& to) {
  note_used_simd(HWY_TARGET);
  return strip::sum_vectors(strip, blocks, to);
}
int sum_words(const Strip<std::uint16_t>& strip, int blocks, const BlockSums& to) {
  note_used_simd(HWY_TARGET);
  return strip::sum_vectors(strip, blocks, to);
}

// Scores whole vectors of windows; returns how many windows that were.
int score_vectors(const BlockSums& above, const BlockSums& below, int windows,
                  const SsimConstants& constants, double* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  using strip::df;
  const auto c1 = hn::Set(df, constants.c1), c2 = hn::Set(df, constants.c2);
  const auto two = hn::Set(df, 2.0), count = hn::Set(df, 64.0);
  const int per_vector = static_cast<int>(hn::Lanes(df));
  int i = 0;
  for (; i + per_vector <= windows; i += per_vector) {
    const auto a = strip::add_four(above.a + i, below.a + i);
    const auto b = strip::add_four(above.b + i, below.b + i);
    const auto squares = strip::add_four(above.squares + i, below.squares + i);
    const auto products = strip::add_four(above.products + i, below.products + i);
    const auto means = hn::Mul(a, b), powers = hn::Add(hn::Mul(a, a), hn::Mul(b, b));
    const auto covariance = hn::Sub(hn::Mul(count, products), means);
    const auto variances = hn::Sub(hn::Mul(count, squares), powers);
    const auto over =
        hn::Mul(hn::Add(hn::Mul(two, means), c1), hn::Add(hn::Mul(two, covariance), c2));
    const auto under = hn::Mul(hn::Add(powers, c1), hn::Add(variances, c2));
    hn::StoreU(hn::Div(over, under), df, to + i);
  }
  return i;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vidconv {
HWY_EXPORT(sum_bytes);
HWY_EXPORT(sum_words);
HWY_EXPORT(score_vectors);

int sum_blocks(const Strip<std::uint8_t>& strip, int blocks, const BlockSums& to) {
  return HWY_DYNAMIC_DISPATCH(sum_bytes)(strip, blocks, to);
}
int sum_blocks(const Strip<std::uint16_t>& strip, int blocks, const BlockSums& to) {
  return HWY_DYNAMIC_DISPATCH(sum_words)(strip, blocks, to);
}

void score_windows(const BlockSums& above, const BlockSums& below, int windows,
                   const SsimConstants& constants, double* to) {
  int i = HWY_DYNAMIC_DISPATCH(score_vectors)(above, below, windows, constants, to);
  for (; i < windows; ++i) {
    const auto sum = [i](const double* x, const double* y) {
      return (x[i] + x[i + 1]) + (y[i] + y[i + 1]);
    };
    const double a = sum(above.a, below.a), b = sum(above.b, below.b);
    const double means = a * b, powers = a * a + b * b;
    const double covariance = 64 * sum(above.products, below.products) - means;
    const double variances = 64 * sum(above.squares, below.squares) - powers;
    to[i] = ((2 * means + constants.c1) * (2 * covariance + constants.c2)) /
            ((powers + constants.c1) * (variances + constants.c2));
  }
}

}  // namespace vidconv
#endif  // HWY_ONCE
