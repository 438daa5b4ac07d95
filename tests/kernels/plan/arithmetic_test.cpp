// The parts of a plan: what lies outside, integers behind taps, factors, quantisation, division.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/picture/border.h"
#include "kernels/plan/factor.h"
#include "kernels/plan/finish.h"
#include "kernels/plan/plan.h"
#include "kernels/plan/quantise.h"
#include "kernels/plan/rational.h"

namespace vidconv {
namespace {

std::vector<int> border_indices(BorderMode mode, int n, int from, int to) {
  std::vector<int> indices;
  for (int i = from; i <= to; ++i) indices.push_back(border_index(mode, i, n));
  return indices;
}

using Ints = std::vector<int>;

TEST(Border, TablesForFourSamples) {
  EXPECT_EQ(border_indices(BorderMode::reflect101, 4, -8, 11),
            (Ints{2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1}));
  EXPECT_EQ(border_indices(BorderMode::reflect, 4, -8, 11),
            (Ints{0, 1, 2, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0, 1, 2, 3}));
  EXPECT_EQ(border_indices(BorderMode::replicate, 4, -3, 6), (Ints{0, 0, 0, 0, 1, 2, 3, 3, 3, 3}));
  EXPECT_EQ(border_indices(BorderMode::wrap, 4, -5, 8),
            (Ints{3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0}));
  EXPECT_EQ(border_indices(BorderMode::constant, 4, -2, 5), (Ints{-1, -1, 0, 1, 2, 3, -1, -1}));
}

TEST(Border, OneSample) {
  for (BorderMode mode :
       {BorderMode::reflect101, BorderMode::reflect, BorderMode::replicate, BorderMode::wrap})
    EXPECT_EQ(border_indices(mode, 1, -3, 3), Ints(7, 0));
  EXPECT_EQ(border_indices(BorderMode::constant, 1, -1, 1), (Ints{-1, 0, -1}));
}

TEST(Border, TwoSamples) {
  EXPECT_EQ(border_indices(BorderMode::reflect101, 2, -3, 4), (Ints{1, 0, 1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(border_indices(BorderMode::reflect, 2, -4, 4), (Ints{0, 1, 1, 0, 0, 1, 1, 0, 0}));
}

TEST(Border, FarAway) {
  EXPECT_EQ(border_index(BorderMode::reflect101, 1'000'000, 4),
            1'000'000 % 6 > 3 ? 6 - 1'000'000 % 6 : 1'000'000 % 6);
  EXPECT_EQ(border_index(BorderMode::wrap, -1'000'001, 10), 9);
  EXPECT_EQ(border_index(BorderMode::reflect, -1'000'000, 10),
            9 - (999'999 % 20 > 9 ? 999'999 % 20 - 10 : 9 - 999'999 % 20));
  EXPECT_EQ(border_index(BorderMode::replicate, std::numeric_limits<int>::min(), 7), 0);
  EXPECT_EQ(border_index(BorderMode::replicate, std::numeric_limits<int>::max(), 7), 6);
}

TEST(Rationals, FindsTheSmallestDivisor) {
  const auto of = [](std::vector<double> taps) { return find_rationals(taps); };
  const auto ninth = of(std::vector<double>(9, 1.0 / 9));
  ASSERT_TRUE(ninth);
  EXPECT_EQ(ninth->divisor, 9);
  EXPECT_EQ(ninth->numerators, std::vector<std::int64_t>(9, 1));

  const auto mixed = of({0.25, -0.1, 1.0 / 3, 0});
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->divisor, 60);
  EXPECT_EQ(mixed->numerators, (std::vector<std::int64_t>{15, -6, 20, 0}));

  const auto integers = of({2, 4, -6});
  ASSERT_TRUE(integers);
  EXPECT_EQ(integers->divisor, 1);
  EXPECT_EQ(integers->numerators, (std::vector<std::int64_t>{2, 4, -6}));

  const auto zeros = of({0, 0});
  ASSERT_TRUE(zeros);
  EXPECT_EQ(zeros->divisor, 1);
}

TEST(Rationals, RefusesWhatIsNone) {
  EXPECT_FALSE(find_rationals(std::vector<double>{std::sqrt(0.5)}));
  EXPECT_FALSE(find_rationals(std::vector<double>{1, std::sqrt(2)}));  // near 22619537 / 15994428
  EXPECT_FALSE(find_rationals(std::vector<double>{std::exp(-1.0), 0.5}));
  EXPECT_FALSE(find_rationals(std::vector<double>{0x1p-25}));
  EXPECT_FALSE(find_rationals(std::vector<double>{1.0 / 65521, 1.0 / 65519}));  // divisor too large
  EXPECT_FALSE(find_rationals(std::vector<double>{1e20}));
}

TEST(Quantise, KeepsTheSumAndKnowsItsError) {
  const std::vector<double> thirds = {1.0 / 3, 1.0 / 3, 1.0 / 3};
  const Quantised q = quantise(thirds, 1, 8);
  EXPECT_EQ(q.numerators, (std::vector<std::int64_t>{85, 86, 85}));
  EXPECT_NEAR(q.error, (1.0 / 3 + 2.0 / 3 + 1.0 / 3) / 256, 1e-12);
}

TEST(Quantise, StaysWithinItsLimits) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> taps(1 + random() % 40);
    const double gain = std::exp2(static_cast<double>(random() % 60) - 30.0);
    for (double& tap : taps) tap = gain * (static_cast<double>(random()) / 2147483648.0 - 1.0);
    for (int sum_bits : {24, 31}) {
      const auto q = quantise_dense(taps, 0, 255, 1.5, sum_bits);
      if (!q) continue;
      const Extent e = extent(q->numerators);
      EXPECT_LT(static_cast<double>(e.total()) * 255 + std::ldexp(1.5, q->bits),
                std::exp2(sum_bits));
      for (std::int64_t n : q->numerators) EXPECT_LE(std::abs(n), 32767);
    }
  }
}

TEST(Quantise, HugeTapsHaveNoIntegers) {
  EXPECT_FALSE(quantise_dense(std::vector<double>(1000, 1e9), 0, 255, 1, 31));
  EXPECT_FALSE(quantise_dense(std::vector<double>{1e300, -1e300}, 0, 255, 1, 31));
  const Product huge{{0.5, 0.5}, {1e9, -1e9}};
  EXPECT_FALSE(quantise_passes(std::span(&huge, 1), 255, 1, 24));
}

TEST(Quantise, BlursOf3KeepRoomForDifferences) {
  for (const int max : {255, 511, 1023}) {
    const int fraction = max == 255 ? 6 : 4;
    for (int i = 1; i < 100; ++i) {
      const double p = i * 0.00499, q = 0.499 - p;
      const auto passes = quantise_short_blur({{p, 1 - 2 * p, p}, {q, 1 - 2 * q, q}}, max, 0.5);
      ASSERT_TRUE(passes) << p;
      EXPECT_EQ(passes->intermediate_bits, fraction);
      EXPECT_LE(2 * max << fraction, 32767) << "differences of differences";
      EXPECT_EQ(passes->column_bits, 15);
      const auto& [row, column, shift] = passes->list[0];
      EXPECT_EQ(shift, 15 - fraction);
      // The error of taps of 2^-15, two of which are rounded while the third makes the sum 1.
      EXPECT_LE(passes->error, std::ldexp(0.5, -fraction) + 2 * max * std::ldexp(4, -16));
      for (const Quantised* pass : {&row, &column}) {
        EXPECT_EQ(pass->numerators[0], pass->numerators[2]);
        EXPECT_EQ(pass->numerators[0] + pass->numerators[1] + pass->numerators[2], 1 << 15);
      }
    }
  }
}

TEST(Quantise, OtherProductsAreNoBlursOf3) {
  const std::vector<double> blur{0.2, 0.6, 0.2};
  const auto taken = [&](std::vector<double> row, int max = 255, double headroom = 0.5) {
    return quantise_short_blur({blur, row}, max, headroom).has_value() &&
           quantise_short_blur({std::move(row), blur}, max, headroom).has_value();
  };
  EXPECT_TRUE(taken(blur));
  EXPECT_FALSE(taken(blur, 4095)) << "12 bits";
  EXPECT_TRUE(taken(blur, 255, 700)) << "a bias that fits";
  EXPECT_FALSE(taken(blur, 255, 800)) << "and one that does not";
  EXPECT_FALSE(taken({0.2, 0.8})) << "two taps";
  EXPECT_FALSE(taken({0.1, 0.7, 0.2})) << "not the same from both ends";
  EXPECT_FALSE(taken({-0.1, 1.2, -0.1}));
  EXPECT_FALSE(taken({0.2, 0.5, 0.2})) << "sum";
  EXPECT_FALSE(taken({0.5, 0, 0.5}));
  EXPECT_FALSE(taken({1e300, 0, 1e300}));
}

// Returns 31 random bits.
std::uint32_t draw(std::mt19937& random) { return static_cast<std::uint32_t>(random() >> 1); }

void expect_exact_division(std::uint32_t divisor, std::uint32_t n) {
  Finish f;
  set_divisor(f, divisor);
  ASSERT_EQ((static_cast<std::uint64_t>(n) * f.reciprocal) >> (31 + f.log2), n / divisor)
      << n << " / " << divisor;
}

TEST(Division, ExactForEverySmallDivisor) {
  std::mt19937 random(2);
  constexpr std::uint32_t largest = (1U << 31) - 1;
  for (std::uint32_t divisor = 1; divisor <= 20000; ++divisor) {
    for (int k = 0; k < 20; ++k) expect_exact_division(divisor, draw(random));
    // Numerators lie on both sides of a multiple, and at the ends.
    const std::uint32_t multiple = draw(random) / divisor * divisor;
    for (std::uint32_t n :
         {0U, divisor - 1, divisor, multiple, largest, largest / divisor * divisor})
      expect_exact_division(divisor, n);
    if (multiple > 0) expect_exact_division(divisor, multiple - 1);
    if (largest / divisor > 1) expect_exact_division(divisor, largest / divisor * divisor - 1);
  }
}

TEST(Division, ExactForLargeDivisors) {
  std::mt19937 random(3);
  for (int k = 0; k < 200000; ++k) {
    const std::uint32_t divisor = draw(random) >> draw(random) % 31 | 1;
    const std::uint32_t n = draw(random);
    expect_exact_division(divisor, n);
    expect_exact_division(divisor, n / divisor * divisor);
    if (n >= divisor) expect_exact_division(divisor, n / divisor * divisor - 1);
  }
  for (int bits = 0; bits < 31; ++bits) {
    expect_exact_division(1U << bits, (1U << 31) - 1);
    expect_exact_division((1U << bits) | 1, (1U << 31) - 1);
  }
}

TEST(Finish, TiesGoUpward) {
  Filter half{.kernels = {Kernel(1, 1, {0.5})}};
  const Plan plan = make_plan(half, {Storage::u8, 8, 0}, {}, Role::colour);
  for (std::int32_t sum = 0; sum <= 255; ++sum)
    EXPECT_EQ(finish_int(plan.finish, sum), (sum + 1) / 2);
}

TEST(Finish, ClampsAndTakesAbsolutes) {
  Filter filter{.kernels = {Kernel(1, 1, {-1.0})}};
  filter.absolute = true;
  const Plan absolute = make_plan(filter, {Storage::u8, 8, 0}, {}, Role::colour);
  EXPECT_EQ(finish_int(absolute.finish, -7), 7);
  EXPECT_EQ(finish_int(absolute.finish, -1000), 255);
  filter.absolute = false;
  filter.bias = 0.5;
  const Plan biased = make_plan(filter, {Storage::u8, 8, 0}, {}, Role::colour);
  EXPECT_EQ(finish_int(biased.finish, 0), 128);  // 127.5, upward
  EXPECT_EQ(finish_int(biased.finish, -1000), 0);
  EXPECT_EQ(finish_int(biased.finish, 1000), 255);
}

// Sums fit where a plan promises it, at the extremes of pictures made to reach them.
TEST(Plan, IntegerSumsStayWithin31Bits) {
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    Filter filter;
    const int kernels = 1 + static_cast<int>(random() % 9);
    const double gain = std::exp2(static_cast<double>(random() % 24) - 4.0);
    for (int k = 0; k < kernels; ++k) {
      std::vector<double> taps(12);
      for (double& tap : taps)
        tap = gain * (round % 2 == 0 ? static_cast<double>(random()) / 2147483648.0 - 1.0
                                     : static_cast<double>(random() % 64) / 16);
      filter.kernels.emplace_back(4, 3, taps);
    }
    constexpr Combine combines[] = {Combine::l1, Combine::max, Combine::l2, Combine::signed_max};
    filter.combine = kernels == 1   ? Combine::linear
                     : kernels == 2 ? Combine::unsharp
                                    : combines[round % 4];
    filter.threshold = static_cast<double>(round % 3) * 0.7;
    filter.bias = static_cast<double>(random() % 5) - 2;
    for (SampleType sample : {SampleType{Storage::u8, 8, 0}, SampleType{Storage::u16, 16, 0}}) {
      const Plan plan = make_plan(filter, sample, {}, Role::colour);
      if (plan.arith != Arith::int32) continue;
      double total = 0, largest = 0;
      for (const Taps& t : plan.terms) {
        double sum = 0;
        for (double tap : t.dense) sum += std::abs(tap) * sample.max();
        total += sum;
        largest = std::max(largest, sum);
      }
      const double reach = (adds(filter.combine) ? total : largest) +
                           std::abs(static_cast<double>(plan.finish.offset)) + plan.finish.half +
                           plan.finish.threshold;
      EXPECT_LT(reach, 0x1p31) << "round " << round;
      EXPECT_GT(plan.finish.limit, 0);
      if (plan.fits24) {
        EXPECT_LT(adds(filter.combine) ? total : largest, 0x1p24);
      }
    }
  }
}

TEST(Plan, ManyKernelsAddedStillFit) {
  Filter filter;
  filter.combine = Combine::l1;
  for (int k = 0; k < 200; ++k) filter.kernels.push_back(Kernel(2, 1, {0.7071 + k * 1e-7, -0.3}));
  const Plan plan = make_plan(filter, {Storage::u8, 8, 0}, {}, Role::colour);
  if (plan.arith == Arith::int32) {
    double total = 0;
    for (const Taps& t : plan.terms)
      for (double tap : t.dense) total += std::abs(tap) * 255;
    EXPECT_LT(total + plan.finish.offset, 0x1p31);
  }
}

TEST(Plan, WhatLiesOutsideIsACode) {
  const Filter filter{.kernels = {Kernel(1, 1, {1.0})}};
  const auto outside = [&](double value, SampleType sample, Role role) {
    return make_plan(filter, sample, {BorderMode::constant, value}, role).outside;
  };
  EXPECT_EQ(outside(0.5, {Storage::u8, 8, 0}, Role::colour), 128);
  EXPECT_EQ(outside(7, {Storage::u16, 10, 0}, Role::colour), 1023);
  EXPECT_EQ(outside(-1, {Storage::u16, 10, 0}, Role::colour), 0);
  EXPECT_EQ(outside(0.3, {Storage::u16, 10, 0}, Role::chroma), 512);
  EXPECT_EQ(outside(0.25, {Storage::f32, 32, 0}, Role::colour), 0.25);
}

TEST(Plan, RefusesWhatIsNoFilter) {
  EXPECT_THROW(make_plan({}, {}, {}, Role::colour), std::invalid_argument);
  const Kernel one(1, 1, {1.0});
  EXPECT_THROW(make_plan({.kernels = {one, one}}, {}, {}, Role::colour), std::invalid_argument);
  EXPECT_THROW(make_plan({.kernels = {one}, .combine = Combine::unsharp}, {}, {}, Role::colour),
               std::invalid_argument);
}

TEST(Kernel, RefusesWhatIsNone) {
  EXPECT_THROW(Kernel(0, 1, {}), std::invalid_argument);
  EXPECT_THROW(Kernel(1, 514, std::vector<double>(514)), std::invalid_argument);
  EXPECT_THROW(Kernel(2, 2, {1, 2, 3}), std::invalid_argument);
  EXPECT_THROW(Kernel(1, 1, {std::nan("")}), std::invalid_argument);
  EXPECT_THROW(Kernel(1, 1, {HUGE_VAL}), std::invalid_argument);
  EXPECT_THROW(Kernel(2, 1, {1, 2}, 2, 0), std::invalid_argument);
  EXPECT_THROW(Kernel(2, 1, {1, 2}, 0, -1), std::invalid_argument);
}

TEST(Kernel, IsTrimmedToItsTapsAndItsAnchor) {
  const Kernel k(4, 3, {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0}, 1, 1);
  EXPECT_EQ(k.trimmed(), Kernel(2, 2, {1, 0, 0, 2}, 0, 0));
  EXPECT_EQ(k.with_anchor(3, 0).trimmed(), Kernel(3, 3, {0, 0, 0, 1, 0, 0, 0, 2, 0}, 2, 0));
  EXPECT_EQ(Kernel(3, 3, std::vector<double>(9)).trimmed(), Kernel(1, 1, {0}));
}

TEST(Kernel, TurnsWithItsAnchor) {
  const Kernel k(3, 2, {1, 2, 3, 4, 5, 6}, 0, 1);
  EXPECT_EQ(k.flipped(), Kernel(3, 2, {6, 5, 4, 3, 2, 1}, 2, 0));
  EXPECT_EQ(k.rotated90(), Kernel(2, 3, {4, 1, 5, 2, 6, 3}, 0, 0));
  EXPECT_EQ(k.rotated90().rotated90(), k.flipped());
}

}  // namespace
}  // namespace vidconv
