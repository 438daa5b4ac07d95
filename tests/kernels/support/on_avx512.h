// A variant of AVX-512 beside the definition.
#pragma once

#include <gtest/gtest.h>

#include "kernels/variants/variants.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {

// Skips where there is no AVX-512; a plan that the variant does not take (`is_taken`) fails.
class OnAvx512 : public testing::Test {
 protected:
  static void check(const Variant& variant, bool is_taken, const Plan& plan, int width, int height,
                    int step) {
    ASSERT_TRUE(is_taken) << "not taken";
    if (!supports(variant, plan)) GTEST_SKIP() << "SKIPPED: no AVX-512";
    Runner runner(variant, plan);
    Picture src(plan.sample, width, height, {.step = step}, 1);
    src.draw(width % 3 == 0 ? Content::black_and_white : Content::noise,
             static_cast<unsigned>(width));
    Picture result(plan.sample, width, height, {.step = step}, 3);
    const Picture truth = expected(plan, src, result);
    runner.run(src, result);
    ASSERT_EQ(result.bytes(), truth.bytes()) << width << "x" << height << ", step " << step;
  }
};

}  // namespace vidconv::test
