// Floats under equal taps: which plans add sums of sums, in what order, and how far from the truth.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kernels/plan/pairwise.h"
#include "kernels/plan/plan.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

constexpr SampleType real{Storage::f32, 32, 0};

Plan plan_of(int width, int height, SampleType sample = real) {
  std::vector<double> taps(static_cast<std::size_t>(width * height), 1.0 / (width * height));
  return make_plan({.kernels = {Kernel(width, height, std::move(taps))}}, sample, {}, Role::colour);
}

// Returns the order of additions as text.
std::string order(int n, int x = 0) {
  if (n == 1) return std::string(1, static_cast<char>('a' + x));
  const PairwiseStep step = pairwise_step(n, pairwise_steps(n) - 1);
  std::string text = "(" + order(step.half, x) + "+" + order(step.half, x + step.half);
  if (step.odd) text += std::string("+") + static_cast<char>('a' + x + n - 1);
  return text + ")";
}

TEST(Pairwise, OrderOfAdditions) {
  EXPECT_EQ(order(2), "(a+b)");
  EXPECT_EQ(order(3), "(a+b+c)");
  EXPECT_EQ(order(7), "((a+b+c)+(d+e+f)+g)");
  EXPECT_EQ(order(10), "(((a+b)+(c+d)+e)+((f+g)+(h+i)+j))");
  for (int n = 1; n <= Kernel::max_size; ++n) {
    int size = 1;
    for (int i = 0; i < pairwise_steps(n); ++i) {
      EXPECT_EQ(pairwise_step(n, i).half, size);
      size = pairwise_step(n, i).size();
    }
    EXPECT_EQ(size, n);
    const int expected_sum = n * 5 + n * (n - 1) / 2;
    EXPECT_EQ(pairwise_sum(n, 5, [](int x) { return static_cast<float>(x); }),
              static_cast<float>(expected_sum));
  }
}

// 2^24 takes no 1 more, but two of them: the sums are those of the order above, not of another.
TEST(Pairwise, OrderIsThatOfTheSum) {
  const std::vector<float> values = {0x1p24F, 1, 1, 1, 1, 1, 1};
  const float sum = pairwise_sum(7, 0, [&](int x) { return values[static_cast<std::size_t>(x)]; });
  EXPECT_EQ(sum, ((0x1p24F + 1) + 1) + ((1.0F + 1) + 1) + 1);
}

TEST(Pairwise, ServesEqualTapsOfFloatsThatAreMany) {
  EXPECT_TRUE(plan_of(7, 7).terms[0].pairwise);
  EXPECT_TRUE(plan_of(1, 11).terms[0].pairwise);
  EXPECT_TRUE(plan_of(11, 1).terms[0].pairwise);
  EXPECT_FALSE(plan_of(5, 5).terms[0].pairwise);
  EXPECT_FALSE(plan_of(7, 7, {Storage::u16, 16, 0}).terms[0].pairwise);
  std::vector<double> taps(49, 1.0 / 49);
  taps[24] += 1e-7;
  const Plan other =
      make_plan({.kernels = {Kernel(7, 7, std::move(taps))}}, real, {}, Role::colour);
  for (const Taps& t : other.terms) EXPECT_FALSE(t.pairwise);
}

// The bound holds, and is below that of multiply-adds in order.
TEST(Pairwise, WithinItsBound) {
  std::mt19937 random(3);
  for (const auto& [width, height] :
       {std::pair{7, 7}, {31, 31}, {11, 1}, {1, 15}, {64, 3}, {101, 101}}) {
    const Plan plan = plan_of(width, height);
    EXPECT_LE(plan.error_bound, (width + height + 2) * 0x1p-24);
    Picture src(real, 37, 29, {}, 1);
    for (int y = 0; y < src.height(); ++y)
      for (int x = 0; x < src.width(); ++x) src.set(x, y, static_cast<float>(random()) * 0x1p-32F);
    const Picture got = expected(plan, src, Picture(real, 37, 29, {}, 2));
    double worst = 0;
    for (int y = 0; y < src.height(); ++y)
      for (int x = 0; x < src.width(); ++x) {
        double sum = 0;
        for (int j = y - height / 2; j < y - height / 2 + height; ++j)
          for (int i = x - width / 2; i < x - width / 2 + width; ++i)
            sum += src.get(border_index(plan.border, i, src.width()),
                           border_index(plan.border, j, src.height()));
        worst = std::max(worst, std::abs(got.get(x, y) - sum / (width * height)));
      }
    EXPECT_LE(worst, plan.error_bound) << width << "x" << height;
  }
}

}  // namespace
}  // namespace vidconv::test
