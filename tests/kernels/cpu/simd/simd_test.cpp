// Every instruction set that this build has and this machine can run is really run, and agrees.
#include "kernels/cpu/simd/simd.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/runner.h"
#include "tests/kernels/support/used_simd.h"
#include "tests/support/thinning.h"

namespace vidconv::test {
namespace {

class Simd : public testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override { force_simd(GetParam()); }
  void TearDown() override { force_simd(0); }
};

TEST_P(Simd, RunsAndGivesTheBytesOfTheReference) {
  constexpr std::pair<int, int> sizes[] = {{1, 1}, {5, 9}, {33, 4}, {150, 3}};
  unsigned turn = 0;
  for (const NamedFilter& filter : all_filters()) {
    for (SampleType sample : all_sample_types) {
      ++turn;
      const Border border{all_borders[turn % std::size(all_borders)], 0.3};
      const Plan plan = make_plan(filter.filter, sample, border, Role::colour);
      for (const Plan& way : ways(plan)) {
        for (const Variant* variant : runnable_variants()) {
          if (variant->device != Device::cpu || !supports(*variant, way)) continue;
          if (variant->name == "cpu-copy" || variant->name == "cpu-fill" ||
              variant->name == "cpu-mosaic" || variant->name == "reference" ||
              variant->name.starts_with("study-"))
            continue;  // no SIMD level
          Runner runner(*variant, way);
          for (auto [width, height] : sizes) {
            Picture src(sample, width, height, {}, ++turn);
            src.draw(turn % 3 == 0 ? Content::black_and_white : Content::noise, turn);
            Picture got(sample, width, height, {}, turn + 1);
            const Picture want = expected(plan, src, got);
            take_used_simd();
            runner.run(src, got);
            EXPECT_PRED2(is_code_for, GetParam(), take_used_simd()) << variant->name;
            ASSERT_TRUE(got.bytes() == want.bytes())
                << variant->name << ", " << filter.name << ", " << width << "x" << height << ", "
                << sample.depth << " bits";
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Level, Simd, testing::ValuesIn(simd_levels()),
                         [](const auto& test) { return std::string(simd_name(test.param)); });

TEST(SimdLevels, TheBestIsUsedUnlessForced) {
  const auto levels = simd_levels();
  ASSERT_FALSE(levels.empty());
  const Filter blur{.kernels = {Kernel(2, 2, {0.25, 0.25, 0.25, 0.25})}};
  const Plan plan = make_plan(blur, {}, {}, Role::colour);
  Picture src({}, 9, 9, {}, 1), dst({}, 9, 9, {}, 2);
  take_used_simd();
  Runner(*pick(plan, Device::cpu).variant, plan).run(src, dst);
  EXPECT_PRED2(is_code_for, levels.front(), take_used_simd());
}

// Long rows are read from the picture itself except for both ends (middle_of() in band-inl.h). The
// widths are around those where that begins and where it takes another block.
TEST(SimdLevels, LongRowsGiveTheBytesOfTheReference) {
  unsigned turn = 0;
  for (const char* spec :
       {"box:size=3", "gaussian:sigma=0.8:radius=2", "gaussian:sigma=1", "sobel", "sobel:axis=x",
        "sobel:axis=y", "box:size=5", "box:size=101", "box:size=121", "box:size=9:anchor=0,8",
        "random:1,3", "random:1,5", "unsharp", "box:size=21",
        "matrix:1 2 3 4 5 6 7 8 9 10:scale=auto:anchor=0,0"}) {
    const Filter filter = FilterSpec::parse(spec).make();
    for (SampleType sample : {SampleType{Storage::u8, 8, 0}, SampleType{Storage::u16, 10, 0},
                              SampleType{Storage::u16, 16, 0}, SampleType{Storage::f32, 32, 0}}) {
      const int least = 4096 / sample.bytes();
      for (int width : {least - 1, least, least + 9 + static_cast<int>(turn % 128)}) {
        ++turn;
        if (!is_taken(turn + turn / 3, 3)) continue;
        const Border border{all_borders[turn % std::size(all_borders)], 0.3};
        const Plan plan = make_plan(filter, sample, border, Role::colour);
        Picture src(sample, width, 6, {.bottom_up = turn % 2 == 0}, turn);
        src.draw(turn % 3 == 0 ? Content::black_and_white : Content::noise, turn);
        const Picture blank(sample, width, 6, {}, turn + 1);
        const Picture want = expected(plan, src, blank);
        for (const SimdLevel level : simd_levels()) {
          force_simd(level);
          Picture got = blank;
          Runner(*pick(plan, Device::cpu).variant, plan).run(src, got);
          EXPECT_TRUE(got.bytes() == want.bytes())
              << spec << ", " << simd_name(level) << ", " << sample.depth << " bits, " << width
              << " columns, border " << static_cast<int>(border.mode);
        }
        force_simd(0);
      }
    }
  }
}

}  // namespace
}  // namespace vidconv::test
