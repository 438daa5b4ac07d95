// Half floats: every one of them there and back, and floats of all sizes, by arithmetic of double
// and on every instruction set.
#include "kernels/cpu/copy/half_rows.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "kernels/cpu/simd/simd.h"
#include "kernels/picture/half.h"

namespace vidconv::test {
namespace {

constexpr unsigned halves_in_all = 1U << 16U;

class HalfRows : public testing::Test {
 protected:
  void TearDown() override { force_simd(0); }
};

bool is_nan_half(std::uint16_t half) { return (half & 0x7FFFU) > 0x7C00U; }

// Returns the number as IEEE 754 defines it.
double number_of_half(std::uint16_t half) {
  const int exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
  const double magnitude = exponent == 31  ? std::numeric_limits<double>::infinity()
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

// Returns the magnitude of the nearest half, of two the even one.
double nearest_half(double magnitude) {
  const int exponent = std::max(-14, magnitude > 0 ? std::ilogb(magnitude) : -14);
  const double unit = std::ldexp(1, exponent - 10);
  const double rounded = std::nearbyint(magnitude / unit) * unit;
  return rounded >= 65536 ? std::numeric_limits<double>::infinity() : rounded;
}

std::vector<std::uint16_t> every_half() {
  std::vector<std::uint16_t> halves(halves_in_all);
  for (unsigned i = 0; i < halves_in_all; ++i) halves[i] = static_cast<std::uint16_t>(i);
  return halves;
}

// Returns floats around every half and between each two, and others.
std::vector<float> many_floats() {
  std::vector<float> floats = {0, -0.0F, 65504, 65519.996F, 65520, 65536, 3e38F, 1e-45F, 1e-30F};
  for (const std::uint16_t half : every_half()) {
    if (is_nan_half(half) || (half & 0x7FFFU) == 0x7C00) continue;
    const auto here = static_cast<float>(number_of_half(half));
    const auto next = static_cast<float>(number_of_half(static_cast<std::uint16_t>(half + 1)));
    const float middle = std::isinf(next) ? std::copysign(65520.F, here) : (here + next) / 2;
    for (const float x : {here, middle, std::nextafter(middle, here), std::nextafter(middle, next)})
      floats.push_back(x);
  }
  std::mt19937 random(7);
  for (int i = 0; i < 100000; ++i)
    floats.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  return floats;
}

TEST_F(HalfRows, FloatsAreTheSameNumbers) {
  for (const std::uint16_t half : every_half()) {
    const float made = float_of_half(half);
    if (is_nan_half(half)) {
      EXPECT_TRUE(std::isnan(made)) << half;
    } else {
      EXPECT_EQ(made, number_of_half(half)) << half;
    }
    EXPECT_EQ(std::signbit(made), (half & 0x8000) != 0) << half;
    ASSERT_EQ(half_of_float(made), half);
  }
}

TEST_F(HalfRows, HalvesAreTheNearest) {
  for (const float x : many_floats()) {
    const std::uint16_t made = half_of_float(x);
    ASSERT_EQ(std::signbit(x), (made & 0x8000) != 0) << x;
    ASSERT_EQ(is_nan_half(made), std::isnan(x)) << x;
    if (!std::isnan(x)) {
      ASSERT_EQ(std::abs(number_of_half(made)), nearest_half(std::abs(x))) << x;
    }
  }
}

TEST_F(HalfRows, RowsAreTheSameOnEveryInstructionSet) {
  const std::vector<std::uint16_t> halves = every_half();
  const std::vector<float> floats = many_floats();
  for (const SimdLevel level : simd_levels()) {
    force_simd(level);
    SCOPED_TRACE(simd_name(level));
    std::vector<float> made(halves.size());
    floats_of_halves(halves.data(), made.data(), halves.size());
    for (std::size_t i = 0; i < halves.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(made[i]),
                std::bit_cast<std::uint32_t>(float_of_half(halves[i])))
          << i;
    std::vector<std::uint16_t> back(floats.size());
    halves_of_floats(floats.data(), back.data(), floats.size());
    for (std::size_t i = 0; i < floats.size(); ++i)
      ASSERT_EQ(back[i], half_of_float(floats[i])) << floats[i];
    take_used_simd();
    for (std::size_t count = 0; count < 70; ++count) {  // nothing beyond the end is written
      std::vector<float> few(count + 1, 5);
      floats_of_halves(halves.data() + 15360, few.data(), count);
      EXPECT_EQ(few[count], 5);
      std::vector<std::uint16_t> short_row(count + 1, 5);
      halves_of_floats(floats.data(), short_row.data(), count);
      EXPECT_EQ(short_row[count], 5);
    }
    EXPECT_GE(take_used_simd(), level);  // lesser ones have higher bits
  }
}

}  // namespace
}  // namespace vidconv::test
