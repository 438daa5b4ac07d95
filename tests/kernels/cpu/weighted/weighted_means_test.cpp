// cpu-weighted-means on every instruction set, against the definition.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/convolver/weighted_pairs.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/picture.h"

namespace vidconv::test {
namespace {

class WeightedMeans : public testing::Test {
 protected:
  void TearDown() override { force_simd(0); }
};

const SampleType weighted_samples[] = {{Storage::u8, 8, 0},   {Storage::u16, 10, 0},
                                       {Storage::u16, 10, 6}, {Storage::u16, 12, 0},
                                       {Storage::u16, 16, 0}, {Storage::f32, 32, 0}};
const char* const weighted_specs[] = {"gaussian:sigma=1.3",
                                      "gaussian:sigma=6",
                                      "box:size=5",
                                      "box:w=7:h=1",
                                      "disk:radius=3",
                                      "motion:length=9:angle=30",
                                      "column:1 2 3:scale=auto",
                                      "matrix:0 1 2;3 4 5:scale=auto:anchor=2,1"};

// Planes of one picture, and room for a result of each.
struct WeightedPictures {
  WeightedPictures(SampleType sample, int width, int height, Subsampling of,
                   Arrangement arrangement, unsigned seed)
      : weights(sample, width, height, arrangement, seed) {
    const int w = (width + of.x - 1) / of.x, h = (height + of.y - 1) / of.y;
    for (unsigned i = 0; i < 4; ++i) {
      from.emplace_back(sample, w, h, arrangement, seed + i);
      from.back().draw(i % 2 == 0 ? Content::noise : Content::black_and_white, seed + i);
      to.push_back(from.back());
    }
    std::mt19937 random(seed);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const unsigned kind = random() % 4;
        const double most = sample.max();
        weights.set(x, y, kind < 2 ? 0 : kind == 2 ? most : std::floor(most / 3));
      }
  }
  std::vector<PlanePair> pairs(std::size_t count) {
    std::vector<PlanePair> all;
    for (std::size_t i = 0; i < count; ++i)
      all.push_back({std::as_const(from[i]).plane(), to[i].plane()});
    all.push_back(as_weights(std::as_const(weights).plane()));
    return all;
  }

  Picture weights;
  std::vector<Picture> from, to;
};

std::vector<Picture> weighted_by(const char* variant, const Plan& plan, WeightedPictures pictures,
                                 std::size_t count, int threads) {
  find_variant(variant)->prepare(plan, {})(threads)->run(pictures.pairs(count), nullptr);
  return pictures.to;
}

TEST_F(WeightedMeans, GivesTheBytesOfTheDefinition) {
  std::mt19937 random(20260402);
  for (const SimdLevel level : all_simd_levels()) {
    force_simd(level);
    for (const SampleType& sample : weighted_samples)
      for (const char* const spec : weighted_specs) {
        const FilterSpec parsed = FilterSpec::parse(spec);
        const Subsampling of{1 + static_cast<int>(random() % 2),
                             1 + static_cast<int>(random() % 2)};
        const BorderName& border = border_modes[random() % std::size(border_modes)];
        const Plan plan = make_weighted_plan(parsed.make(of), sample, {border.mode, 0.3},
                                             random() % 2 == 0 ? Role::chroma : Role::colour,
                                             random() % 4 == 0 ? Codes::limited : Codes::all, of);
        EXPECT_EQ(plan.operation(), Operation::weighted);
        const Arrangement arrangement{.step = 1 + static_cast<int>(random() % 4),
                                      .bottom_up = random() % 3 == 0};
        const WeightedPictures pictures(sample, 1 + static_cast<int>(random() % 70),
                                        1 + static_cast<int>(random() % 50), of, arrangement,
                                        static_cast<unsigned>(random()));
        const std::size_t count = 1 + random() % 4;
        const auto wanted = weighted_by("reference", plan, pictures, count, 1);
        const auto got = weighted_by("cpu-weighted-means", plan, pictures, count,
                                     1 + static_cast<int>(random() % 3));
        for (std::size_t i = 0; i < wanted.size(); ++i)
          ASSERT_EQ(got[i].bytes(), wanted[i].bytes())
              << spec << ", " << sample.depth << " bits, border " << border.name << ", plane " << i
              << ", " << simd_name(level);
      }
  }
}

// Whatever alpha is, one colour stays that colour, and what has no visible neighbour stays as it
// was.
TEST_F(WeightedMeans, OneColourStays) {
  for (const SampleType& sample : weighted_samples)
    for (const char* const spec : {"gaussian:sigma=3", "box:size=5", "disk:radius=2"}) {
      SCOPED_TRACE(std::string(spec) + ", " + std::to_string(sample.depth) + " bits");
      const Plan plan = make_weighted_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour,
                                           Codes::all, {});
      WeightedPictures pictures(sample, 61, 37, {}, {}, 7);
      const double colour = sample.storage == Storage::f32 ? 0.25 : sample.max() / 3;
      for (int y = 0; y < 37; ++y)
        for (int x = 0; x < 61; ++x) {
          if (pictures.weights.get(x, y) > 0) pictures.from[0].set(x, y, colour);
          if (y > 18) pictures.weights.set(x, y, 0);
        }
      const Picture made = weighted_by("cpu-weighted-means", plan, pictures, 1, 2)[0];
      for (int x = 0; x < 61; ++x) {
        EXPECT_EQ(made.get(x, 36), pictures.from[0].get(x, 36));
        EXPECT_EQ(made.get(x, 5), colour);
      }
    }
}

// Sums of whole numbers are exact at every depth, so that a tie is one.
TEST(WeightedPlan, SaysWhatIsExact) {
  const auto plan = [](const char* spec, int depth) {
    return make_weighted_plan(FilterSpec::parse(spec).make(),
                              {depth == 8 ? Storage::u8 : Storage::u16, depth, 0}, {}, Role::colour,
                              Codes::all, {2, 2});
  };
  for (const int depth : {8, 10, 12, 16}) {
    EXPECT_TRUE(plan("box:size=31", depth).exact);
    EXPECT_TRUE(plan("binomial:size=5", depth).exact);
    EXPECT_FALSE(plan("gaussian:sigma=2", depth).exact);
    EXPECT_LT(plan("gaussian:sigma=80", depth).error_bound, 1e-6);
  }
  EXPECT_FALSE(plan("gaussian:sigma=2", 8).is_copy());
  EXPECT_THROW(plan("sobel", 8), std::invalid_argument);
}

}  // namespace
}  // namespace vidconv::test
