// Lengths of gradients: every pair of codes, on every instruction set, against the root in double.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels/cpu/simd.h"
#include "kernels/variants/variants.h"

namespace vidconv::test {
namespace {

class Lengths : public testing::TestWithParam<std::tuple<SimdLevel, const char*, int>> {
 protected:
  void SetUp() override { force_simd(std::get<0>(GetParam())); }
  void TearDown() override { force_simd(0); }
};

template <class T>
void check_every_pair(const Variant& variant, int depth) {
  const int codes = 1 << depth, width = 2 * codes;
  const Filter length{.kernels = {Kernel(1, 1, {1}), Kernel(2, 1, {0, 1}, 0, 0)},
                      .combine = Combine::l2};
  const SampleType sample{depth == 8 ? Storage::u8 : Storage::u16, depth, 0};
  const Plan plan = make_plan(length, sample, {BorderMode::wrap}, Role::colour);
  const Prepared prepared = variant.prepare(plan, {});
  if (!prepared && variant.name == "cpu-bytes")
    GTEST_SKIP() << "SKIPPED: no dot products of bytes in this instruction set";
  ASSERT_TRUE(prepared) << "the variant does not take this plan";
  const auto convolver = prepared(1);
  std::vector<T> row(static_cast<std::size_t>(width)), result(row.size());
  const auto bytes = [](std::vector<T>& samples) {
    return reinterpret_cast<std::byte*>(samples.data());
  };
  const ConstBytePlane src{
      .data = bytes(row), .stride = width * std::ptrdiff_t{sizeof(T)}, .width = width, .height = 1};
  const PlanePair pair{src, src.at(bytes(result))};
  for (int a = 0; a < codes; a += depth == 8 ? 1 : 3) {
    for (int b = 0; b < codes; ++b) {
      row[static_cast<std::size_t>(2 * b)] = static_cast<T>(a);
      row[static_cast<std::size_t>(2 * b + 1)] = static_cast<T>(b);
    }
    convolver->run({&pair, 1}, nullptr);
    for (int b = 0; b < codes; ++b) {
      const int want = std::min(static_cast<int>(std::floor(std::hypot(a, b) + 0.5)), codes - 1);
      ASSERT_EQ(result[static_cast<std::size_t>(2 * b)], want) << a << ", " << b;
    }
  }
}

TEST_P(Lengths, AreTheRootsInDoubleRounded) {
  const auto [level, name, depth] = GetParam();
  const Variant* const variant = find_variant(name);
  ASSERT_NE(variant, nullptr);
  if (depth == 8)
    check_every_pair<std::uint8_t>(*variant, depth);
  else
    check_every_pair<std::uint16_t>(*variant, depth);
}

std::string name_of_lengths(const testing::TestParamInfo<Lengths::ParamType>& test) {
  const auto [level, variant, depth] = test.param;
  return std::string(simd_name(level)) + (variant[4] == 'b' ? "_bytes_" : "_gradient_") +
         std::to_string(depth);
}

INSTANTIATE_TEST_SUITE_P(Bytes, Lengths,
                         testing::Combine(testing::ValuesIn(engine_simd_levels()),
                                          testing::Values("cpu-bytes"), testing::Values(8)),
                         name_of_lengths);
INSTANTIATE_TEST_SUITE_P(Gradient, Lengths,
                         testing::Combine(testing::ValuesIn(engine_simd_levels()),
                                          testing::Values("cpu-gradient"), testing::Values(8, 10)),
                         name_of_lengths);

// Kernels whose squares float does not hold exactly are left to the definition's operations.
TEST(Lengths16, OfLargeSumsAreNotTaken) {
  const Filter length{.kernels = {Kernel(1, 1, {5}), Kernel(2, 1, {0, 1}, 0, 0)},
                      .combine = Combine::l2};
  const Plan plan = make_plan(length, {Storage::u16, 10, 0}, {}, Role::colour);
  EXPECT_FALSE(find_variant("cpu-gradient")->prepare(plan, {}));
}

}  // namespace
}  // namespace vidconv::test
