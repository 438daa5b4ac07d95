// Matrices of many taps over floats: sums in double, in order, rounded once, from every variant and
// on every instruction set, whatever the samples are.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/simd/simd.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/places.h"
#include "tests/kernels/support/runner.h"
#include "tests/kernels/support/used_simd.h"

namespace vidconv::test {
namespace {

struct ManyTapsShape {
  int width, height, anchor_x, anchor_y;
};
void PrintTo(const ManyTapsShape& s, std::ostream* out) { *out << s.width << 'x' << s.height; }

Filter many_taps(const ManyTapsShape& shape, bool absolute) {
  std::mt19937 random(static_cast<unsigned>(shape.width * 100 + shape.height));
  std::vector<double> taps;
  for (int i = shape.width * shape.height; i > 0; --i)
    taps.push_back((static_cast<double>(random()) * 0x1p-32 - 0.4) /
                   (0.1 * shape.width * shape.height));
  const Kernel kernel(shape.width, shape.height, std::move(taps));
  return {.kernels = {kernel.with_anchor(shape.anchor_x, shape.anchor_y)},
          .bias = absolute ? 0.1 : 0,
          .absolute = absolute};
}

const ManyTapsShape many_taps_shapes[] = {{21, 21, 10, 10}, {31, 31, 15, 15}, {48, 48, 47, 0},
                                          {17, 40, 3, 30},  {49, 23, 24, 22}, {60, 50, 0, 49},
                                          {9, 101, 4, 50},  {101, 67, 99, 3}};

class ManyTaps : public testing::TestWithParam<ManyTapsShape> {};

// Sizes lie around results of one and two tiles of transforms; some are smaller than the matrix.
TEST_P(ManyTaps, BeginAndEndAnywhere) {
  constexpr int widths[] = {1, 2, 7, 16, 17, 33, 34, 35, 44, 45, 68, 69, 88, 89, 100, 137};
  constexpr int heights[] = {1, 2, 9, 17, 18, 34, 35, 44, 45, 70};
  const Places places{.widths = widths,
                      .heights = heights,
                      .arrangements = {{{.row_padding = 0, .guard = 64},
                                        {.step = 3, .component = 1},
                                        {.row_padding = 16, .bottom_up = true, .guard = 64}}},
                      .whole = {.cuda = 7, .cpu = 67},
                      .thin = {.cuda = 29, .cpu = 211}};
  const ManyTapsShape& shape = GetParam();
  expect_the_same_at(
      places, f32, [&](bool absolute) { return many_taps(shape, absolute); },
      static_cast<std::size_t>(shape.width + shape.height));
}

INSTANTIATE_TEST_SUITE_P(Shapes, ManyTaps, testing::ValuesIn(many_taps_shapes),
                         testing::PrintToStringParamName());

// Pictures with sums that an error of transforms leaves open, and with samples that would reach
// beyond their kernels if transforms alone gave the results.
struct HardPicture {
  const char* name;
  void (*draw)(Picture&);
};
void PrintTo(const HardPicture& p, std::ostream* out) { *out << p.name; }

template <class Value>
void draw_each(Picture& picture, Value value) {
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x) picture.set(x, y, value(x, y));
}

constexpr float float_infinity = std::numeric_limits<float>::infinity();

const HardPicture hard_pictures[] = {
    {"black", [](Picture& p) { draw_each(p, [](int, int) { return 0.0; }); }},
    {"negative_zeros", [](Picture& p) { draw_each(p, [](int, int) { return -0.0; }); }},
    {"black_beside_noise",
     [](Picture& p) {
       draw_each(p, [](int x, int y) { return x < 60 ? 0 : std::sin(x * 3.7 + y * 1.3); });
     }},
    {"black_beside_dark",
     [](Picture& p) {
       draw_each(p, [](int x, int y) { return y > 11 ? 0 : std::ldexp((x * 7 + y) % 9, -40); });
     }},
    {"flat", [](Picture& p) { draw_each(p, [](int, int) { return 0.7; }); }},
    {"one_sample", [](Picture& p) { draw_each(p, [](int x, int y) { return x == 9 && y == 7; }); }},
    {"one_very_bright",
     [](Picture& p) {
       p.draw(Content::noise, 5);
       p.set(40, 20, 1e30);
     }},
    {"largest",
     [](Picture& p) {
       draw_each(p, [](int x, int y) {
         const double largest = std::numeric_limits<float>::max();
         return (x / 5 + y) % 3 == 0 ? -largest : largest;
       });
     }},
    {"subnormal",
     [](Picture& p) {
       draw_each(p, [](int x, int y) { return std::ldexp((x * 5 + y * 3) % 17 - 8, -149); });
     }},
    {"not_a_number",
     [](Picture& p) {
       p.draw(Content::noise, 6);
       p.set(30, 3, std::numeric_limits<float>::quiet_NaN());
     }},
    {"infinite",
     [](Picture& p) {
       p.draw(Content::noise, 7);
       p.set(66, 2, float_infinity);
       p.set(3, 25, -float_infinity);
     }},
};

// Compares all bytes, but a NaN may have any payload.
void expect_the_same_floats(const Picture& made, const Picture& truth, std::string_view by) {
  for (int y = 0; y < truth.height(); ++y) {
    for (int x = 0; x < truth.width(); ++x) {
      const double a = made.get(x, y), b = truth.get(x, y);
      if (std::isnan(b))
        ASSERT_TRUE(std::isnan(a)) << by << ' ' << x << ", " << y << ": " << a;
      else
        ASSERT_TRUE(a == b && std::signbit(a) == std::signbit(b))
            << by << ' ' << x << ", " << y << ": " << a << " instead of " << b;
    }
  }
}

void expect_of_all_variants(const Plan& plan, const Picture& src, const Picture& blank,
                            const Picture& truth) {
  for (const Variant* variant : runnable_variants(src.width(), src.height())) {
    if (!supports(*variant, plan)) continue;
    Picture made = blank;
    Runner(*variant, plan).run(src, made);
    expect_the_same_floats(made, truth, variant->name);
  }
}

class HardFloats : public testing::TestWithParam<HardPicture> {
 protected:
  void TearDown() override { force_simd(0); }
};

TEST_P(HardFloats, AreAddedUpInOrder) {
  for (const bool absolute : {false, true}) {
    const Plan plan = make_plan(many_taps({25, 23, 11, 12}, absolute), f32,
                                {BorderMode::constant, 0}, Role::colour);
    Picture src(f32, 97, 43, {}, 1);
    GetParam().draw(src);
    Picture blank(f32, 97, 43, {}, 2);
    const Picture truth = expected(plan, src, blank);
    expect_of_all_variants(plan, src, blank, truth);
    for (const SimdLevel level : simd_levels()) {
      force_simd(level);
      for (const char* name : {"cpu-fft", "cpu-generic"}) {
        Picture made = blank;
        take_used_simd();
        Runner(*find_variant(name), plan).run(src, made);
        ASSERT_PRED2(is_code_for, level, take_used_simd());
        expect_the_same_floats(made, truth,
                               std::string(name) + ' ' + std::string(simd_name(level)));
      }
      force_simd(0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pictures, HardFloats, testing::ValuesIn(hard_pictures),
                         [](const auto& test) { return std::string(test.param.name); });

// Sums are smaller than any float, or beyond what the error can tell: their sign is the
// definition's.
TEST(HardFloats, MayHaveTapsOfAnySize) {
  for (const double size : {1e-320, 1e-160, 1e-30, 1e7}) {
    Filter filter = many_taps({22, 21, 11, 10}, false);
    std::vector<double> taps(filter.kernels[0].taps().begin(), filter.kernels[0].taps().end());
    for (double& tap : taps) tap *= size;
    filter.kernels = {Kernel(22, 21, std::move(taps))};
    const Plan plan = make_plan(filter, f32, {}, Role::colour);
    Picture src(f32, 50, 30, {}, 1);
    src.draw(Content::noise, 3);
    Picture blank(f32, 50, 30, {}, 2);
    const Picture truth = expected(plan, src, blank);
    expect_of_all_variants(plan, src, blank, truth);
  }
}

TEST(ManyTapsPlan, SumsOfManyTapsOfFloatsAreInDouble) {
  const auto plan_of = [](const Filter& filter, SampleType sample) {
    return make_plan(filter, sample, {BorderMode::constant, 0.3}, Role::colour);
  };
  const Plan many = plan_of(many_taps({21, 21, 0, 0}, false), f32);
  EXPECT_EQ(many.arith, Arith::float64);
  EXPECT_EQ(many.outside, 0.3F);
  EXPECT_LT(many.error_bound, 0x1p-40);
  EXPECT_EQ(plan_of(many_taps({22, 20, 0, 0}, false), f32).arith, Arith::float32);
  // Two passes, equal taps, a row, and several kernels stay what they are.
  Filter filter = many_taps({1, 500, 0, 0}, false);
  EXPECT_EQ(plan_of(filter, f32).arith, Arith::float32);
  filter.kernels = {Kernel(25, 25, std::vector<double>(625, 1.0 / 625))};
  EXPECT_EQ(plan_of(filter, f32).arith, Arith::float32);
  filter = many_taps({31, 31, 0, 0}, false);
  filter.kernels.push_back(many_taps({31, 30, 0, 0}, false).kernels[0]);
  filter.combine = Combine::l2;
  EXPECT_EQ(plan_of(filter, f32).arith, Arith::float32);
}

}  // namespace
}  // namespace vidconv::test
