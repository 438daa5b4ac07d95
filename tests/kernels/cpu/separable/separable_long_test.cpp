// cpu-separable-long on every instruction set, against the definition.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/simd/simd.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/picture.h"

namespace vidconv::test {
namespace {

class SeparableLong : public testing::Test {
 protected:
  void TearDown() override { force_simd(0); }
};

TEST_F(SeparableLong, GivesTheBytesOfTheDefinition) {
  const SampleType samples[] = {
      {Storage::u8, 8, 0}, {Storage::u16, 10, 6}, {Storage::u16, 16, 0}, {Storage::f32, 32, 0}};
  const char* const specs[] = {"gaussian:sigma=90", "gaussian:sigmax=88:sigmay=1",
                               "gaussian:sigmax=0:sigmay=100:bias=0.1",
                               "gaussian:sigma=87:anchor=3,5"};
  std::mt19937 random(20260517);
  for (const SimdLevel level : all_simd_levels()) {
    force_simd(level);
    for (const SampleType& sample : samples)
      for (const char* const spec : specs) {
        const BorderName& border = border_modes[random() % std::size(border_modes)];
        const Plan plan =
            make_plan(FilterSpec::parse(spec).make(), sample, {border.mode, 0.3}, Role::colour);
        EXPECT_TRUE(plan.terms[0].dense.empty());
        const Prepared prepared = find_variant("cpu-separable-long")->prepare(plan, {});
        if (!prepared) continue;  // an older processor
        Picture from(
            sample, 1 + static_cast<int>(random() % 20), 1 + static_cast<int>(random() % 9),
            {.step = 1 + static_cast<int>(random() % 3), .bottom_up = random() % 2 == 0}, 5);
        from.draw(Content::noise, static_cast<unsigned>(random()));
        Picture wanted = from, got = from;
        const auto run = [&](const Prepared& by, Picture& to) {
          const std::vector<PlanePair> pairs{{std::as_const(from).plane(), to.plane()}};
          by(2)->run(pairs, nullptr);
        };
        run(find_variant("reference")->prepare(plan, {}), wanted);
        run(prepared, got);
        ASSERT_EQ(got.bytes(), wanted.bytes()) << spec << ", " << sample.depth << " bits, border "
                                               << border.name << ", " << simd_name(level);
      }
  }
}

TEST(ProductKernel, IsTurnedAsAMatrixIs) {
  const Kernel matrix =
      outer_product(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5, 6, 7});
  const Kernel product = Kernel::product({1, 2, 3}, {4, 5, 6, 7});
  ASSERT_TRUE(product.is_product());
  const auto alike = [](const Kernel& a, const Kernel& b) {
    ASSERT_EQ(a.width(), b.width());
    ASSERT_EQ(a.height(), b.height());
    EXPECT_EQ(a.anchor_x(), b.anchor_x());
    EXPECT_EQ(a.anchor_y(), b.anchor_y());
    EXPECT_DOUBLE_EQ(a.sum(), b.sum());
    EXPECT_DOUBLE_EQ(a.abs_sum(), b.abs_sum());
    for (int j = 0; j < a.height(); ++j)
      for (int i = 0; i < a.width(); ++i) EXPECT_DOUBLE_EQ(a.at(i, j), b.at(i, j));
  };
  alike(product, matrix);
  alike(product.flipped(), matrix.flipped());
  alike(product.rotated90(), matrix.rotated90());
  alike(product.scaled(-0.5), matrix.scaled(-0.5));
  alike(product.with_anchor(0, 1).rotated90(), matrix.with_anchor(0, 1).rotated90());
  for (const Orientation& shown : {Orientation{1, 0, 0, 1},
                                   {-1, 0, 0, 1},
                                   {0, 1, -1, 0},
                                   {0, -1, 1, 0},
                                   {0, 1, 1, 0},
                                   {-1, 0, 0, -1}})
    alike(stored_kernel(product.with_anchor(1, 2), shown),
          stored_kernel(matrix.with_anchor(1, 2), shown));
  EXPECT_THROW(Kernel::product({1}, std::vector<double>(Kernel::max_pass + 1, 0.0)),
               std::invalid_argument);
  EXPECT_THROW(product.with_anchor(4, 0), std::invalid_argument);
}

}  // namespace
}  // namespace vidconv::test
