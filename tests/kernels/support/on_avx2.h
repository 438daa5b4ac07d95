// A fixture for variants that need AVX2.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>

#include "kernels/cpu/simd/simd.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {

// Forces AVX2 where this build and machine have it, else skips.
class OnAvx2 : public testing::Test {
 protected:
  void SetUp() override {
    if (std::ranges::count(simd_levels(), SimdLevel{HWY_AVX2}) == 0) GTEST_SKIP() << "no AVX2";
    force_simd(HWY_AVX2);
  }
  void TearDown() override { force_simd(0); }

  // Tries pictures of 1 to 40 columns and rows, whose samples lie `step` apart.
  static void expect_bytes_at_all_sizes(const char* variant, const Plan& plan, int step) {
    ASSERT_TRUE(supports(*find_variant(variant), plan));
    Runner runner(*find_variant(variant), plan);
    for (int size = 1; size <= 40; ++size) {
      Picture src(plan.sample, size, 41 - size, {.step = step}, 1);
      src.draw(size % 3 == 0 ? Content::black_and_white : Content::noise,
               static_cast<unsigned>(size));
      Picture result(plan.sample, size, 41 - size, {.step = step}, 3);
      const Picture truth = expected(plan, src, result);
      runner.run(src, result);
      ASSERT_EQ(result.bytes(), truth.bytes()) << size << ", step " << step;
    }
  }
};

}  // namespace vidconv::test
