// Boxes of floats on planes that no second-level cache holds: their results go past it where rows
// are aligned, and by way of lines where they are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/variants/variants.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

TEST(PairwisePlanes, LargeOnesAreAsTheDefinitionSays) {
  constexpr int width = 1040, height = 1030;  // rows are a multiple of 64 bytes
  constexpr std::ptrdiff_t stride = width * std::ptrdiff_t{sizeof(float)};
  const Filter box{.kernels = {Kernel(3, 9, std::vector<double>(27, 1.0 / 27))}};
  const Plan plan = make_plan(box, {Storage::f32, 32, 0}, {}, Role::colour);
  std::vector<float> source(std::size_t{width} * height), want(source.size());
  for (std::size_t i = 0; i < source.size(); ++i)
    source[i] = static_cast<float>(i * 2654435761U % 4096) / 4095;
  const auto run = [&](const Variant& variant, int threads, float* to) {
    const ConstBytePlane from{.data = reinterpret_cast<const std::byte*>(source.data()),
                              .stride = stride,
                              .width = width,
                              .height = height};
    const PlanePair pair{from, from.at(reinterpret_cast<std::byte*>(to))};
    variant.prepare(plan, {})(threads)->run({&pair, 1}, nullptr);
  };
  const auto variant_named = [](std::string_view name) {
    for (const Variant* variant : runnable_variants())
      if (variant->name == name) return variant;
    return static_cast<const Variant*>(nullptr);
  };
  const Variant* const variant = variant_named("cpu-box-f32-pairwise");
  if (variant == nullptr) GTEST_SKIP() << "SKIPPED: VIDCONV_TEST_VARIANTS leaves it out";
  run(*find_variant("reference"), 2, want.data());
  for (const std::size_t off : {0UL, 1UL}) {
    for (const int threads : {1, 3}) {
      std::vector<float> memory(source.size() + 32, -1);
      auto* first = memory.data();
      while (reinterpret_cast<std::uintptr_t>(first) % 64 != 0) ++first;
      first += off;
      run(*variant, threads, first);
      EXPECT_TRUE(std::equal(want.begin(), want.end(), first)) << off << ", " << threads;
      EXPECT_EQ(first[want.size()], -1);
    }
  }
}

}  // namespace
}  // namespace vidconv::test
