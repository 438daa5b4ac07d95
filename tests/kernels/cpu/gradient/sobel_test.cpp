// Lengths of Sobel's gradient on every instruction set: of codes every pair of sums that matters,
// against the root in double; of floats those that are not finite too, against the definition.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "kernels/cpu/simd/simd.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

class SobelLengths : public testing::TestWithParam<std::tuple<SimdLevel, int>> {
 protected:
  void SetUp() override { force_simd(std::get<0>(GetParam())); }
  void TearDown() override { force_simd(0); }
};

Plan sobel_plan(const char* spec, SampleType sample) {
  return make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour);
}

// Blocks of 3x3 side by side, at whose centres the sums are `across` and 0, 1, 2 ...: both are odd
// or both even in every picture.
template <class T>
class Blocks {
 public:
  Blocks(int count, int across) : width_(3 * count), samples_(3 * samples_a_row()) {
    for (int down = across % 2; down < count; down += 2) {
      const int odd = across % 2;
      at(3 * down + 2, 1) = static_cast<T>((across - odd) / 2);
      at(3 * down + 1, 2) = static_cast<T>((down - odd) / 2);
      at(3 * down + 2, 2) = static_cast<T>(odd);
    }
  }
  std::vector<T> lengths(Convolver& convolver) {
    std::vector<T> made(samples_.size());
    const ConstBytePlane src{.data = reinterpret_cast<std::byte*>(samples_.data()),
                             .stride = width_ * std::ptrdiff_t{sizeof(T)},
                             .width = width_,
                             .height = 3};
    const PlanePair pair{src, src.at(reinterpret_cast<std::byte*>(made.data()))};
    convolver.run({&pair, 1}, nullptr);
    return {made.begin() + width_, made.begin() + 2 * width_};
  }

 private:
  std::size_t samples_a_row() const { return static_cast<std::size_t>(width_); }
  T& at(int x, int y) { return samples_[static_cast<std::size_t>(y * width_ + x)]; }

  int width_;
  std::vector<T> samples_;
};

template <class T>
void check_every_gradient(int depth) {
  const Variant* const variant = find_variant("cpu-sobel");
  ASSERT_NE(variant, nullptr);
  const SampleType sample{depth == 8 ? Storage::u8 : Storage::u16, depth, 0};
  const auto convolver = variant->prepare(sobel_plan("sobel", sample), {})(1);
  const int most = sample.max(), count = 3 * most / 2;  // beyond the largest code
  for (int across = 0; across < count; across += depth == 8 ? 1 : 5) {
    const std::vector<T> lengths = Blocks<T>(count, across).lengths(*convolver);
    for (int down = across % 2; down < count; down += 2) {
      const int want = std::min(static_cast<int>(std::floor(std::hypot(across, down) + 0.5)), most);
      ASSERT_EQ(lengths[static_cast<std::size_t>(3 * down + 1)], want) << across << ", " << down;
    }
  }
}

TEST_P(SobelLengths, AreTheRootsInDoubleRounded) {
  const auto [level, depth] = GetParam();
  if (depth == 8)
    check_every_gradient<std::uint8_t>(depth);
  else
    check_every_gradient<std::uint16_t>(depth);
}

INSTANTIATE_TEST_SUITE_P(Depth, SobelLengths,
                         testing::Combine(testing::ValuesIn(engine_simd_levels()),
                                          testing::Values(8, 10)),
                         [](const testing::TestParamInfo<SobelLengths::ParamType>& test) {
                           return std::string(simd_name(std::get<0>(test.param))) + "_" +
                                  std::to_string(std::get<1>(test.param));
                         });

class SobelOfFloats : public testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override { force_simd(GetParam()); }
  void TearDown() override { force_simd(0); }
};

// Returns noise among which samples are infinite, NaN, at the limits of floats, or 0 with a sign.
Picture odd_picture(SampleType sample, int width, int height) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr float most = std::numeric_limits<float>::max();
  const double odd[] = {infinity,
                        -infinity,
                        std::numeric_limits<double>::quiet_NaN(),
                        std::numeric_limits<float>::denorm_min(),
                        most,
                        -most,
                        most / 2,
                        -0.};
  const auto seed = static_cast<unsigned>(width);
  Picture picture(sample, width, height, {}, seed);
  picture.draw(Content::noise, seed);
  std::mt19937 random(seed);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      if (random() % 16 == 0) picture.set(x, y, odd[random() % std::size(odd)]);
  return picture;
}

TEST_P(SobelOfFloats, IsTheDefinitionsOfEverySample) {
  const Plan plan = sobel_plan("sobel", {Storage::f32, 32, 0});
  Runner runner(*find_variant("cpu-sobel"), plan);
  for (int width = 1; width <= 70; ++width) {
    const int height = 1 + width % 11;
    const Picture source = odd_picture(plan.sample, width, height);
    Picture made(plan.sample, width, height, {}, 1);
    const Picture want = expected(plan, source, made);
    runner.run(source, made);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const double a = made.get(x, y), b = want.get(x, y);
        ASSERT_TRUE((a == b && std::signbit(a) == std::signbit(b)) ||
                    (std::isnan(a) && std::isnan(b)))
            << width << "x" << height << " at " << x << ", " << y << ": " << a << " for " << b;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Level, SobelOfFloats, testing::ValuesIn(engine_simd_levels()),
                         [](const testing::TestParamInfo<SimdLevel>& test) {
                           return std::string(simd_name(test.param));
                         });

TEST(SobelVariant, TakesThatGradientAndItsPartsAndNoOther) {
  const Variant& variant = *find_variant("cpu-sobel");
  for (int depth : {8, 10, 12, 16}) {
    const SampleType sample{depth == 8 ? Storage::u8 : Storage::u16, depth, 0};
    for (const char* taken : {"sobel", "sobel:axis=x", "sobel:axis=y"})
      EXPECT_TRUE(variant.prepare(sobel_plan(taken, sample), {})) << taken << ", " << depth;
    for (const char* other : {"sobel:scale=2", "sobel:axis=x:scale=2", "sobel:size=5", "prewitt",
                              "prewitt:axis=x", "scharr"})
      EXPECT_FALSE(variant.prepare(sobel_plan(other, sample), {})) << other << ", " << depth;
  }
  constexpr SampleType floats{Storage::f32, 32, 0};
  for (const char* taken : {"sobel", "sobel:scale=1", "sobel:bias=0.5"})
    EXPECT_TRUE(variant.prepare(sobel_plan(taken, floats), {})) << taken;
  for (const char* other : {"sobel:scale=2", "sobel:axis=x", "prewitt", "scharr"})
    EXPECT_FALSE(variant.prepare(sobel_plan(other, floats), {})) << other;
}

}  // namespace
}  // namespace vidconv::test
