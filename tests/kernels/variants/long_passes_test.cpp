// Passes that are longer than a matrix may be. The definition computes them in small pictures,
// where each sample has all rows; the rest is compared with what the CPU takes.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/picture.h"
#include "tests/kernels/support/runner.h"
#include "tests/sample_types.h"

namespace vidconv::test {
namespace {

// Passes across, passes down or both are longer, in one part or in several.
constexpr const char* long_blurs[] = {
    "gaussian:sigma=86",
    "gaussian:sigmax=1000:sigmay=3",
    "gaussian:sigmax=0.5:sigmay=342",
    "gaussian:sigma=200:radius=512:anchor=9,512",
};

class LongPasses : public testing::TestWithParam<const char*> {};

TEST_P(LongPasses, SameBytesFromEveryVariant) {
  const Filter filter = FilterSpec::parse(GetParam()).make();
  const Arrangement arrangements[] = {{.row_padding = 0, .guard = 64},
                                      {.step = 3, .component = 1},
                                      {.row_padding = 16, .bottom_up = true, .guard = 64}};
  unsigned seed = 0;
  for (const SampleType& sample : {u8, SampleType{Storage::u16, 10, 6}, u16, f32})
    for (const BorderMode border : all_borders) {
      const Plan plan = make_plan(filter, sample, {border, 0.3}, Role::colour);
      for (const auto& [width, height] : {std::pair{5, 3}, {257, 9}, {530, 37}}) {
        ++seed;
        Picture src(sample, width, height, arrangements[seed % 3], seed);
        src.draw(Content::noise, seed);
        const Picture blank(sample, width, height, arrangements[seed / 2 % 3], seed + 1);
        Picture wanted = blank;
        Runner(*find_variant("cpu-separable-long"), plan).run(src, wanted);
        for (const Variant* variant : runnable_variants(width, height)) {
          if (!supports(*variant, plan) || variant->name.starts_with("study-") ||
              (variant->name == "reference" && width > 5))
            continue;
          Picture made = blank;
          Runner(*variant, plan, 2).run(src, made);
          ASSERT_TRUE(made.bytes() == wanted.bytes())
              << variant->name << ", " << width << "x" << height << ", border " << name_of(border);
        }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Blurs, LongPasses, testing::ValuesIn(long_blurs),
                         [](const auto& instance) {
                           std::string name;
                           for (const char c : std::string(instance.param))
                             name += c >= 'a' && c <= 'z' ? c : '_';
                           return name + std::to_string(instance.index);
                         });

}  // namespace
}  // namespace vidconv::test
