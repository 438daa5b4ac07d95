// Pixels as planes of samples that lie side by side: by the definition they are what their
// components are apart.
#include "kernels/plan/interleave.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/convolver/whole_pixels.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/packed_pixels.h"

namespace vidconv::test {
namespace {

TEST(BorderIndex, OfPixelsIsThatOfEachComponent) {
  for (const BorderMode mode : all_borders)
    for (int components = 1; components <= 4; ++components)
      for (int pixels = 1; pixels <= 9; ++pixels)
        for (int pixel = -40; pixel <= 49; ++pixel)
          for (int component = 0; component < components; ++component) {
            const int want = border_index(mode, pixel, pixels);
            ASSERT_EQ(
                border_index(mode, pixel * components + component, pixels * components, components),
                want < 0 ? -1 : want * components + component)
                << name_of(mode) << ", " << pixel << " of " << pixels << " times " << components;
          }
}

TEST(Interleaved, TapsLieAPixelApart) {
  Filter filter;
  filter.kernels = {Kernel(3, 2, {1, 2, 3, 5, 7, 11}).with_anchor(2, 1)};
  const Plan plan = make_plan(filter, u8, {}, Role::colour);
  const Plan wide = interleaved(plan, 3).value();
  const std::vector<double> spread = {1, 0, 0, 2, 0, 0, 3, 5, 0, 0, 7, 0, 0, 11};
  EXPECT_EQ(wide.terms[0].dense, spread);
  EXPECT_EQ(wide.terms[0].width, 7);
  EXPECT_EQ(wide.terms[0].anchor_x, 6);
  EXPECT_EQ(wide.terms[0].height, 2);
  EXPECT_EQ(wide.terms[0].anchor_y, 1);
  EXPECT_EQ(wide.components, 3);
  EXPECT_FALSE(interleaved(wide, 2));
  // Infinity times zero is no number.
  EXPECT_FALSE(interleaved(make_plan(filter, f32, {}, Role::colour), 3));
}

class InterleavedFilters : public testing::TestWithParam<std::string> {};

TEST_P(InterleavedFilters, GiveTheBytesOfEachComponent) {
  const Variant& reference = *find_variant("reference");
  auto seed = static_cast<unsigned>(GetParam().size());
  for (const BorderMode border : all_borders)
    for (const SampleType& sample : all_sample_types)
      for (const int components : {2, 3, 4}) {
        ++seed;
        // Most of them narrower than some kernels.
        const int width = 1 + static_cast<int>(seed * 7 % 23);
        const int height = 1 + static_cast<int>(seed * 5 % 9);
        const Plan plan = make_plan(filter_named(GetParam()), sample, {border, 0.3}, Role::colour);
        const std::optional<Plan> wide = interleaved(plan, components);
        ASSERT_EQ(wide.has_value(), sample.storage != Storage::f32);
        if (!wide) continue;
        const std::vector<int> places = all_places(components, seed);
        PackedPixels from(sample, components, places, width, height, seed);
        PackedPixels got(sample, components, places, width, height, seed + 1), want = got;
        reference.prepare(plan, {})(1)->run(packed_pairs(from, want, places.size()), nullptr);
        const PlanePair all =
            as_one_plane(packed_pairs(from, got, places.size()), sample.bytes()).value().plane;
        ASSERT_EQ(all.src.width, width * components);
        reference.prepare(*wide, {})(1)->run({&all, 1}, nullptr);
        ASSERT_TRUE(got.bytes() == want.bytes())
            << name_of(border) << ", " << sample.depth << " bits, " << components << " components, "
            << width << "x" << height;
      }
}

INSTANTIATE_TEST_SUITE_P(All, InterleavedFilters, testing::ValuesIn(names_of_convolutions()),
                         [](const auto& test) { return test.param; });

// Alpha, say, which only passes by: before, behind or between others.
TEST(Interleaved, ComponentsMayBeCopied) {
  const Variant& reference = *find_variant("reference");
  const Plan plan = make_plan(filter_named("sobel"), u8, {}, Role::colour);
  for (const int components : {2, 3, 4})
    for (unsigned kept = 0; kept < (1U << components) - 1; ++kept) {
      std::vector<int> places;
      for (int place = 0; place < components; ++place) places.push_back(place);
      PackedPixels from(u8, components, places, 9, 6, kept);
      PackedPixels got(u8, components, places, 9, 6, kept + 1), want = got;
      std::vector<PlanePair> pairs = packed_pairs(from, want, places.size());
      for (std::size_t k = 0; k < pairs.size(); ++k)
        reference
            .prepare((kept >> k & 1) != 0
                         ? make_plan(filter_named("identity"), u8, {}, Role::colour)
                         : plan,
                     {})(1)
            ->run({&pairs[k], 1}, nullptr);
      pairs = packed_pairs(from, got, places.size());
      for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k].copied = (kept >> k & 1) != 0;
      const WholePixels all = as_one_plane(pairs, 1).value();
      ASSERT_EQ(all.kept, kept);
      reference.prepare(interleaved(plan, components, kept).value(), {})(1)->run({&all.plane, 1},
                                                                                 nullptr);
      ASSERT_TRUE(got.bytes() == want.bytes()) << components << " components, kept " << kept;
    }
}

TEST(AsOnePlane, IsWhatFillsItsPixels) {
  std::byte from[400], to[400];
  const auto plane = [](std::byte* data, int step, int width) {
    return BytePlane{.data = data, .stride = 40, .width = width, .height = 4, .step = step};
  };
  const auto pair = [&](int at, int step, int result_at, int result_step, int width = 5) {
    return PlanePair{plane(from + at, step, width).as<const std::byte>(),
                     plane(to + result_at, result_step, width)};
  };
  const auto alike = [&](int at, int step) { return pair(at, step, at, step); };
  const auto all = as_one_plane(std::vector{alike(12, 3), alike(10, 3), alike(11, 3)}, 1);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->components, 3);
  EXPECT_EQ(all->kept, 0u);
  EXPECT_EQ(all->plane.src.data, from + 10);
  EXPECT_EQ(all->plane.dst.data, to + 10);
  EXPECT_EQ(all->plane.src.width, 15);
  EXPECT_EQ(all->plane.dst.width, 15);
  EXPECT_EQ(all->plane.src.step, 1);
  EXPECT_EQ(all->plane.dst.step, 1);
  EXPECT_EQ(all->plane.src.stride, 40);
  EXPECT_EQ(all->plane.dst.height, 4);
  EXPECT_TRUE(as_one_plane(std::vector{alike(2, 2), alike(0, 2)}, 2));
  const auto not_one = [](const std::vector<PlanePair>& pairs, int bytes = 1) {
    return !as_one_plane(pairs, bytes).has_value();
  };
  EXPECT_TRUE(not_one({alike(0, 1)}));
  EXPECT_TRUE(not_one({alike(0, 3), alike(1, 3)}));               // not all of a pixel
  EXPECT_TRUE(not_one({alike(0, 4), alike(1, 4), alike(2, 4)}));  // with padding
  EXPECT_TRUE(not_one({pair(0, 2, 1, 2), pair(1, 2, 0, 2)}));     // in another order
  EXPECT_TRUE(not_one({pair(0, 2, 0, 3), pair(1, 2, 1, 3)}));     // in other pixels
  EXPECT_TRUE(not_one({alike(0, 2), alike(0, 2)}));               // twice the same
  EXPECT_TRUE(not_one({alike(0, 2), alike(41, 2)}));              // in other rows
  EXPECT_TRUE(not_one({alike(0, 2), pair(1, 2, 1, 2, 4)}));       // with other sizes
  const auto copied = [](PlanePair of) {
    of.copied = true;
    return of;
  };
  const auto with_alpha =
      as_one_plane(std::vector{alike(2, 8), alike(4, 8), alike(6, 8), copied(alike(0, 8))}, 2);
  EXPECT_FALSE(with_alpha);  // pixels of 8 samples
  const auto argb =
      as_one_plane(std::vector{alike(2, 4), alike(4, 4), alike(6, 4), copied(alike(0, 4))}, 2);
  ASSERT_TRUE(argb);
  EXPECT_EQ(argb->kept, 1u);
  EXPECT_FALSE(argb->plane.copied);
  EXPECT_TRUE(not_one({copied(alike(0, 2)), copied(alike(1, 2))}));
}

}  // namespace
}  // namespace vidconv::test
