// Scores against their definition, on every instruction set.
#include "kernels/score/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/cpu/simd/simd.h"

namespace vidconv::test {
namespace {

// Codes of a plane, and the same as they lie in memory.
struct ScoredPlane {
  std::vector<int> codes;
  std::vector<std::byte> bytes;
  ConstBytePlane plane;
};

ScoredPlane make_plane(std::vector<int> codes, int width, int height, const SampleType& type,
                       int step) {
  ScoredPlane made{.codes = std::move(codes), .bytes = {}, .plane = {}};
  const auto size = static_cast<std::size_t>(type.bytes());
  const std::size_t stride = static_cast<std::size_t>(width * step) * size + 3 * size;
  made.bytes.resize(stride * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const auto code = static_cast<std::uint16_t>(
          made.codes[static_cast<std::size_t>(y * width + x)] << type.shift);
      std::memcpy(made.bytes.data() + static_cast<std::size_t>(y) * stride +
                      static_cast<std::size_t>(x * step) * size,
                  &code, size);
    }
  made.plane = {.data = made.bytes.data(),
                .stride = static_cast<std::ptrdiff_t>(stride),
                .width = width,
                .height = height,
                .step = step};
  return made;
}

// Computes the score window by window, as the formula is written down.
PlaneScore defined(const std::vector<int>& a, const std::vector<int>& b, int width, int height,
                   double max) {
  PlaneScore score;
  score.samples = std::int64_t{width} * height;
  for (std::size_t i = 0; i < a.size(); ++i)
    score.squared_error += (a[i] - b[i]) * double(a[i] - b[i]);
  const double c1 = std::floor(1e-4 * max * max * 64 + .5);
  const double c2 = std::floor(9e-4 * max * max * 64 * 63 + .5);
  double sum = 0;
  int windows = 0;
  for (int y = 0; y + 8 <= height / 4 * 4; y += 4)
    for (int x = 0; x + 8 <= width / 4 * 4; x += 4, ++windows) {
      double s1 = 0, s2 = 0, ss = 0, s12 = 0;
      for (int j = y; j < y + 8; ++j)
        for (int i = x; i < x + 8; ++i) {
          const double p = a[static_cast<std::size_t>(j * width + i)];
          const double q = b[static_cast<std::size_t>(j * width + i)];
          s1 += p, s2 += q, ss += p * p + q * q, s12 += p * q;
        }
      sum += (2 * s1 * s2 + c1) * (2 * (64 * s12 - s1 * s2) + c2) /
             ((s1 * s1 + s2 * s2 + c1) * (64 * ss - s1 * s1 - s2 * s2 + c2));
    }
  if (windows > 0) score.ssim = sum / windows;
  return score;
}

void expect_defined(const SampleType& a_type, const SampleType& b_type, int width, int height,
                    int step) {
  SCOPED_TRACE(testing::Message() << a_type.depth << " bits, " << width << "x" << height
                                  << ", step " << step);
  std::mt19937 random(static_cast<unsigned>(width * 131 + height));
  std::vector<int> a(static_cast<std::size_t>(width * height)), b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<int>(random() % static_cast<unsigned>(a_type.max() + 1));
    b[i] = random() % 4 ? a[i] : a_type.max() - a[i];
  }
  if (width > 8) a[0] = a[1] = a[2] = a[3] = b[0] = b[1] = b[2] = b[3] = a_type.max();
  const PlaneScore expected = defined(a, b, width, height, a_type.max());
  const ScoredPlane first = make_plane(std::move(a), width, height, a_type, step);
  const ScoredPlane second = make_plane(std::move(b), width, height, b_type, 1);
  std::optional<PlaneScore> before;
  for (const SimdLevel level : all_simd_levels()) {
    SCOPED_TRACE(simd_name(level));
    force_simd(level);
    const PlaneScore score = score_planes(first.plane, a_type, second.plane, b_type);
    EXPECT_EQ(score.samples, expected.samples);
    EXPECT_EQ(score.squared_error, expected.squared_error);
    ASSERT_EQ(score.ssim.has_value(), expected.ssim.has_value());
    if (score.ssim) {
      EXPECT_NEAR(*score.ssim, *expected.ssim, 1e-12);
    }
    if (before) {
      EXPECT_EQ(score.ssim, before->ssim) << "depends on the instruction set";
    }
    before = score;
  }
  force_simd(0);
}

TEST(Score, UsesTheInstructionSetThatItIsToldTo) {
  const SampleType type{Storage::u8, 8, 0};
  const ScoredPlane plane = make_plane(std::vector<int>(1100 * 16, 1), 1100, 16, type, 1);
  for (const SimdLevel level : all_simd_levels()) {
    force_simd(level);
    take_used_simd();
    score_planes(plane.plane, type, plane.plane, type);
    EXPECT_EQ(take_used_simd(), level) << simd_name(level);
  }
  force_simd(0);
}

TEST(Score, IsAsDefinedOnEveryInstructionSet) {
  for (const int depth : {8, 10, 12, 14, 16}) {
    const SampleType type{depth > 8 ? Storage::u16 : Storage::u8, depth, 0};
    for (const auto& [width, height] :
         {std::pair{1, 1}, {7, 9}, {8, 8}, {9, 11}, {12, 8}, {67, 35}, {200, 17}})
      for (const int step : {1, 3}) expect_defined(type, type, width, height, step);
  }
}

TEST(Score, LooksThroughTheWayThatSamplesLie) {
  const SampleType upper{Storage::u16, 10, 6}, lower{Storage::u16, 10, 0};
  expect_defined(upper, lower, 41, 22, 2);
  expect_defined(upper, upper, 41, 22, 1);
}

TEST(Score, EqualPlanesAreOneAndInfinite) {
  const SampleType type;
  const ScoredPlane plane = make_plane(std::vector<int>(64 * 64, 77), 64, 64, type, 1);
  const PlaneScore score = score_planes(plane.plane, type, plane.plane, type);
  EXPECT_EQ(score.squared_error, 0);
  EXPECT_EQ(score.ssim, 1);
  EXPECT_TRUE(std::isinf(psnr_of(0, 255)));
  EXPECT_NEAR(psnr_of(1, 255), 48.1308, 1e-4);
}

}  // namespace
}  // namespace vidconv::test
