// A fixture that compares a variant of some instruction sets with the definition, on each of them.
#pragma once

#include <gtest/gtest.h>

#include "kernels/cpu/simd/simd.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {

inline constexpr SampleType eights{Storage::u8, 8, 0}, tens{Storage::u16, 10, 0},
    high_tens{Storage::u16, 10, 6}, twelves{Storage::u16, 12, 0}, sixteens{Storage::u16, 16, 0};

inline Plan plan_from(const char* spec, SampleType sample, Border border = {},
                      Codes range = Codes::all) {
  return make_plan(FilterSpec::parse(spec).make(), sample, border, Role::colour, range);
}

// Skips where there is no such instruction set; fails for a plan that the variant does not take
// (`is_taken`).
class WhereverTaken : public testing::Test {
 protected:
  void TearDown() override { force_simd(0); }

  static void check(const Variant& variant, bool is_taken, const Plan& plan, int width, int height,
                    int step) {
    ASSERT_TRUE(is_taken) << "not taken";
    Picture src(plan.sample, width, height, {.step = step}, 1);
    src.draw(width % 3 == 0 ? Content::black_and_white : Content::noise,
             static_cast<unsigned>(width));
    Picture result(plan.sample, width, height, {.step = step}, 3);
    const Picture truth = expected(plan, src, result);
    bool is_there = false;
    force_simd(0);  // else simd_levels() has the one that was forced last alone
    for (const SimdLevel level : simd_levels()) {
      force_simd(level);
      if (!supports(variant, plan)) continue;
      is_there = true;
      Runner runner(variant, plan);
      Picture made(plan.sample, width, height, {.step = step}, 3);
      runner.run(src, made);
      ASSERT_EQ(made.bytes(), truth.bytes())
          << width << "x" << height << ", step " << step << ", " << simd_name(level);
    }
    if (!is_there) GTEST_SKIP() << "SKIPPED: no such instruction set";
  }
};

}  // namespace vidconv::test
