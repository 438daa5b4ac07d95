// The numeric promise: the definition against real arithmetic in double, rounded once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

// Smooth shades, an edge, a texture and sensor noise.
void draw_natural(Picture& picture) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.01);
  const double max = picture.sample().max();
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) {
      double v = 0.35 + 0.25 * std::sin(x * 0.021) * std::cos(y * 0.017);
      if (x + 2 * y > picture.width()) v += 0.3;
      if (x % 64 < 24 && y % 48 < 30) v += 0.15 * std::sin(x * 1.3) * std::sin(y * 0.9);
      v = std::clamp(v + noise(random), 0.0, 1.0);
      picture.set(x, y, std::floor(v * max + 0.5));
    }
  }
}

double combined(const Filter& filter, const std::vector<double>& responses, double max) {
  double squares = 0, sizes = 0, largest_size = 0;
  for (double r : responses) {
    squares += r * r;
    sizes += std::abs(r);
    largest_size = std::max(largest_size, std::abs(r));
  }
  switch (filter.combine) {
    case Combine::linear:
      return responses[0];
    case Combine::l2:
      return std::sqrt(squares);
    case Combine::l1:
      return sizes;
    case Combine::max:
      return largest_size;
    case Combine::signed_max:
      return *std::ranges::max_element(responses);
    case Combine::unsharp:
      return responses[0] +
             std::copysign(std::max(std::abs(responses[1]) - filter.threshold * max, 0.0),
                           responses[1]);
  }
  throw std::logic_error("no such combination");
}

double truth(const Filter& filter, const Plan& plan, const Picture& src, int x, int y) {
  std::vector<double> responses;
  for (const Kernel& k : filter.kernels) {
    double sum = 0;
    for (int j = 0; j < k.height(); ++j) {
      for (int i = 0; i < k.width(); ++i) {
        const int u = border_index(plan.border, x + i - k.anchor_x(), src.width());
        const int v = border_index(plan.border, y + j - k.anchor_y(), src.height());
        sum += k.at(i, j) * (u < 0 || v < 0 ? plan.outside : src.get(u, v));
      }
    }
    responses.push_back(sum);
  }
  double v = combined(filter, responses, plan.sample.max());
  v += filter.bias * plan.sample.max();
  return filter.absolute ? std::abs(v) : v;
}

class Promise : public testing::TestWithParam<std::string> {};

TEST_P(Promise, WithinOneCodeOfTheTruth) {
  const Filter& filter = filter_named(GetParam());
  for (SampleType sample : all_sample_types) {
    if (sample.storage == Storage::f32) continue;
    const Plan plan = make_plan(filter, sample, {}, Role::colour);
    Picture src(sample, 160, 60, {}, 1);
    draw_natural(src);
    const Picture got = expected(plan, src, Picture(sample, 160, 60, {}, 2));
    int equal = 0, all = 0;
    double worst = 0;
    for (int y = 0; y < src.height(); ++y) {
      for (int x = 0; x < src.width(); ++x) {
        const double v = truth(filter, plan, src, x, y);
        const double max = sample.max();
        const double want = std::clamp(std::floor(v + 0.5), 0.0, max);
        ++all;
        const double difference = std::abs(got.get(x, y) - want);
        worst = std::max(worst, difference);
        // Where the truth is a tie, its own rounding decides.
        const bool tie =
            std::abs(v + 0.5 - std::round(v + 0.5)) < 1e-9 * std::max(1.0, std::abs(v));
        equal += difference == 0 || tie ? 1 : 0;
      }
    }
    const std::string where = std::to_string(sample.depth) + " bits";
    EXPECT_LE(worst, 1) << where;
    // A root of an integer is far enough from every tie at 8 bits.
    const bool all_equal = plan.exact && (filter.combine != Combine::l2 || sample.depth == 8);
    EXPECT_GE(equal, all_equal ? all : sample.depth == 8 ? all * 99 / 100 : 0) << where;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Promise, testing::ValuesIn(names_of_convolutions()),
                         [](const auto& test) { return test.param; });

TEST(Promise, ShortIntegerTapsAreExact) {
  for (const char* name : {"box", "sobel", "scharr", "prewitt", "roberts", "sharpen", "laplacian",
                           "emboss", "identity", "box_size_31", "signed_max", "unsharp_exact"})
    for (SampleType sample : all_sample_types)
      EXPECT_TRUE(sample.storage == Storage::f32 ||
                  make_plan(filter_named(name), sample, {}, Role::colour).exact)
          << name << " at " << sample.depth << " bits";
}

}  // namespace
}  // namespace vidconv::test
