// Properties that filters must have whatever their arithmetic; and the table of variants.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/spec/parse.h"
#include "kernels/study/study.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

Filter filter_of(Kernel kernel) {
  Filter filter;
  filter.kernels = {std::move(kernel)};
  return filter;
}

Picture noise(SampleType sample, int width, int height, unsigned seed) {
  Picture picture(sample, width, height, {}, seed);
  picture.draw(Content::noise, seed);
  return picture;
}

TEST(Properties, IdentityCopies) {
  for (SampleType sample : all_sample_types) {
    const Plan plan = make_plan(filter_of(Kernel(1, 1, {1})), sample, {}, Role::colour);
    EXPECT_TRUE(plan.is_copy());
    const Picture src = noise(sample, 37, 11, 1);
    const Picture dst = expected(plan, src, Picture(sample, 37, 11, {}, 2));
    for (int y = 0; y < 11; ++y)
      for (int x = 0; x < 37; ++x) ASSERT_EQ(dst.get(x, y), src.get(x, y));
  }
}

TEST(Properties, AKernelOfSumOneKeepsAFlatPicture) {
  for (const char* spec :
       {"box:size=3", "box:w=7:h=2", "box:size=31", "gaussian:sigma=0.4", "gaussian:sigma=1",
        "gaussian:sigma=3.3", "gaussian:sigma=20", "sharpen", "sharpen:amount=0.7", "emboss"}) {
    const Filter filter = FilterSpec::parse(spec).make();
    for (SampleType sample : all_sample_types) {
      if (sample.storage == Storage::f32) continue;
      const Plan plan = make_plan(filter, sample, {}, Role::colour);
      const int max = sample.max();
      for (int code : {0, 1, 2, max / 3, max / 2, max / 2 + 1, max - 1, max}) {
        Picture src(sample, 5, 4, {}, 1);
        for (int y = 0; y < 4; ++y)
          for (int x = 0; x < 5; ++x) src.set(x, y, code);
        const Picture dst = expected(plan, src, src);
        for (int y = 0; y < 4; ++y)
          for (int x = 0; x < 5; ++x)
            ASSERT_EQ(dst.get(x, y), code) << spec << " at " << sample.depth << " bits";
      }
    }
  }
}

// Limited codes are the others, clamped: nothing else changes.
TEST(Properties, LimitedCodesAreClamped) {
  for (const NamedFilter& named : all_filters())
    for (SampleType sample : all_sample_types) {
      if (sample.storage == Storage::f32) continue;
      for (Role role : {Role::colour, Role::chroma}) {
        const double unit = 1 << (sample.depth - 8);
        const double lowest = 16 * unit, highest = (role == Role::chroma ? 240 : 235) * unit;
        const Plan limited = make_plan(named.filter, sample, {}, role, Codes::limited);
        EXPECT_FALSE(limited.is_copy());
        const Plan all = make_plan(named.filter, sample, {}, role);
        // Where int32 does not reach `lowest`, the arithmetic may be another.
        const double slack = limited.arith == all.arith ? 0 : 1;
        const Picture src = noise(sample, 21, 9, 7);
        const Picture clamped = expected(limited, src, src), plain = expected(all, src, src);
        for (int y = 0; y < 9; ++y)
          for (int x = 0; x < 21; ++x)
            ASSERT_NEAR(clamped.get(x, y), std::clamp(plain.get(x, y), lowest, highest), slack)
                << named.name << ", " << sample.depth << " bits, at " << x << "," << y;
      }
    }
}

TEST(Properties, FloatSamplesAreNotClamped) {
  const SampleType sample{Storage::f32, 32, 0};
  const Filter filter = FilterSpec::parse("laplacian").make();
  const Picture src = noise(sample, 21, 9, 7);
  EXPECT_TRUE(
      expected(make_plan(filter, sample, {}, Role::colour, Codes::limited), src, src).bytes() ==
      expected(make_plan(filter, sample, {}, Role::colour), src, src).bytes());
}

TEST(Properties, AnOffCentreTapShifts) {
  for (SampleType sample : all_sample_types) {
    std::vector<double> taps(7 * 5);
    taps[1 * 7 + 5] = 1;  // column 5, row 1; the anchor is (3, 2)
    const Plan plan =
        make_plan(filter_of(Kernel(7, 5, taps)), sample, {BorderMode::wrap}, Role::colour);
    const Picture src = noise(sample, 23, 14, 3);
    const Picture dst = expected(plan, src, src);
    for (int y = 0; y < 14; ++y)
      for (int x = 0; x < 23; ++x) ASSERT_EQ(dst.get(x, y), src.get((x + 2) % 23, (y + 13) % 14));
  }
}

// Filtering the picture turned by 180 degrees with the kernel turned gives the result turned.
TEST(Properties, FlippingBothFlipsTheResult) {
  const Kernel kernel(4, 3, {3, -1, 4, 1, -5, 9, 2, -6, 5, 3, -5, 8}, 1, 0);
  for (SampleType sample : all_sample_types) {
    if (sample.storage == Storage::f32) continue;  // the order of additions turns too
    const Picture src = noise(sample, 19, 8, 4);
    Picture turned = src;
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 19; ++x) turned.set(x, y, src.get(18 - x, 7 - y));
    for (BorderMode border : all_borders) {
      const auto run = [&](const Kernel& k, const Picture& picture) {
        return expected(
            make_plan(filter_of(k.scaled(1.0 / 18)), sample, {border, 0.5}, Role::colour), picture,
            picture);
      };
      const Picture a = run(kernel, src), b = run(kernel.flipped(), turned);
      for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 19; ++x) ASSERT_EQ(a.get(x, y), b.get(18 - x, 7 - y));
    }
  }
}

// A kernel of rank 1 is one matrix, or two filters in a row without rounding between.
TEST(Properties, SeparableKernelsAreFound) {
  const Plan exact = make_plan(
      filter_of(outer_product(std::vector<double>{1, 2, 1}, std::vector<double>{1, 0, -1})), {}, {},
      Role::colour);
  EXPECT_TRUE(exact.terms[0].separable());
  EXPECT_FALSE(exact.terms[0].dense.empty());
  const Plan quantised =
      make_plan(FilterSpec::parse("gaussian:sigma=2").make(), {}, {}, Role::colour);
  EXPECT_TRUE(quantised.terms[0].separable());
  EXPECT_TRUE(quantised.terms[0].dense.empty());
}

TEST(Properties, ThreadsDoNotMatter) {
  const Filter filter = FilterSpec::parse("gaussian:sigma=1.5").make();
  for (SampleType sample : all_sample_types) {
    const Plan plan = make_plan(filter, sample, {}, Role::colour);
    const Picture src = noise(sample, 61, 45, 5);
    const Picture want = expected(plan, src, src);
    for (const Variant* variant : runnable_variants(61, 45)) {
      if (!supports(*variant, plan)) continue;
      for (int threads : {1, 2, 3, 4, 7, 64}) {
        Picture got = src;
        Runner(*variant, plan, threads).run(src, got);
        ASSERT_TRUE(got.bytes() == want.bytes()) << variant->name << ", " << threads << " threads";
      }
    }
  }
}

// One call takes several planes of different sizes, larger and smaller ones in turn.
TEST(Properties, OneConvolverServesManySizes) {
  for (const char* spec : {"identity", "sharpen", "gaussian:sigma=1", "sobel"}) {
    for (SampleType sample : all_sample_types) {
      const Plan plan = make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour);
      for (const Variant* variant : runnable_variants(150, 31)) {
        if (!supports(*variant, plan)) continue;
        Runner runner(*variant, plan, 2);
        for (int round = 0; round < 3; ++round) {
          std::vector<Picture> sources, want;
          for (auto [width, height] :
               {std::pair{8 + round * 70, 9}, {3, 2}, {90, 31 - round * 9}}) {
            sources.push_back(noise(sample, width, height, static_cast<unsigned>(width)));
            want.push_back(expected(plan, sources.back(), sources.back()));
          }
          std::vector<Picture> got = sources;
          runner.run(sources, got);
          for (std::size_t i = 0; i < got.size(); ++i)
            ASSERT_TRUE(got[i].bytes() == want[i].bytes()) << variant->name << ", " << spec;
        }
      }
    }
  }
}

// Bits below a P010 code are not part of the sample; a copy keeps them.
TEST(Properties, BitsBelowTheCodeDoNotMatter) {
  const SampleType p010{Storage::u16, 10, 6};
  for (const char* spec : {"identity", "box", "gaussian"}) {
    const Plan plan = make_plan(FilterSpec::parse(spec).make(), p010, {}, Role::colour);
    const Picture clean = noise(p010, 40, 6, 6);
    Picture dirty = clean;
    for (std::byte& b : dirty.bytes()) b |= std::byte{0x15};
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 40; ++x) {
        const auto code = static_cast<unsigned>(clean.get(x, y));
        std::byte* at = dirty.plane().data + y * dirty.plane().stride + 2 * x;
        at[0] = static_cast<std::byte>((code << 6 & 0xFF) | 0x2B);
        at[1] = static_cast<std::byte>(code >> 2);
      }
    const Picture blank(p010, 40, 6, {}, 7);
    const bool copies = plan.operation() == Operation::copy;
    const Picture want = expected(plan, copies ? dirty : clean, blank);
    for (const Variant* variant : runnable_variants(40, 6)) {
      if (!supports(*variant, plan)) continue;
      Picture got = blank;
      Runner(*variant, plan).run(dirty, got);
      EXPECT_TRUE(got.bytes() == want.bytes()) << variant->name << ", " << spec;
    }
  }
}

TEST(Properties, FillWritesItsCode) {
  for (SampleType sample : all_sample_types) {
    const double code = sample.neutral();
    const Plan plan = make_fill_plan(sample, code);
    const Picture src = noise(sample, 21, 5, 8);
    for (const Variant* variant : runnable_variants()) {
      if (!supports(*variant, plan)) continue;
      Picture dst = src;
      Runner(*variant, plan).run(src, dst);
      for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 21; ++x) ASSERT_EQ(dst.get(x, y), code) << variant->name;
    }
  }
}

// The reference is the judge of all others, so what it writes is checked on its own.
TEST(Reference, WritesTheSamplesOfItsComponentOnly) {
  const SampleType sample{Storage::u16, 12, 0};
  const Plan plan = make_fill_plan(sample, 5);
  const Picture src = noise(sample, 6, 4, 9);
  const Picture before(sample, 6, 4, {.step = 3, .component = 1, .row_padding = 3}, 10);
  const Picture after = expected(plan, src, before);
  const auto samples = sample_bytes(before);
  for (std::size_t i = 0; i < samples.size(); ++i)
    ASSERT_TRUE(samples[i] || after.bytes()[i] == before.bytes()[i]) << "byte " << i;
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 6; ++x) ASSERT_EQ(after.get(x, y), 5);
}

TEST(Variants, NamesAreUniqueAndFound) {
  for (const std::span<const Variant> table : {variants(), study_variants()})
    for (const Variant& variant : table) EXPECT_EQ(find_any_variant(variant.name), &variant);
  EXPECT_EQ(find_any_variant("nothing"), nullptr);
}

TEST(Variants, EveryPlanIsServedOnEveryDeviceOfTheBuild) {
  bool cuda = false;
  for (const Variant& variant : variants()) cuda = cuda || variant.device == Device::cuda;
  for (const NamedFilter& filter : all_filters())
    for (SampleType sample : all_sample_types) {
      const Plan planned = make_plan(filter.filter, sample, {}, Role::colour);
      if (cuda)
        EXPECT_EQ(pick(planned, Device::cuda).variant->device, Device::cuda);
      else
        EXPECT_THROW(pick(planned, Device::cuda), std::invalid_argument);
      for (const Plan& plan : ways(planned)) {
        EXPECT_EQ(pick(plan, Device::cpu).variant->device, Device::cpu);
        EXPECT_NE(pick(plan, Device::cpu).variant->name, "reference") << filter.name;
      }
    }
}

// The table can be asked without a device.
TEST(Variants, TensorCoresAreForDevicesThatHaveThem) {
  const Variant* const variant = find_variant("cuda-separable-imma");
  if (!variant) return;  // a build without CUDA
  const Plan plan = make_plan(FilterSpec::parse("gaussian").make(), {}, {}, Role::colour);
  EXPECT_FALSE(variant->prepare(plan, {.generation = 7}));
  EXPECT_TRUE(variant->prepare(plan, {.generation = 8}));
  EXPECT_NE(pick(plan, Device::cuda).variant, variant);
  EXPECT_EQ(pick(plan, Device::cuda, {.generation = 9}).variant, variant);
}

TEST(Variants, WhatIsPreparedNeedsThePlanNoMore) {
  for (const char* const spec : {"identity", "box:size=31", "gaussian", "sobel", "random:1,99"}) {
    std::optional<Plan> plan = make_plan(FilterSpec::parse(spec).make(), {}, {}, Role::colour);
    const Picture src = noise({}, 150, 110, 12);
    const Picture wanted = expected(*plan, src, src);
    const Prepared prepared = pick(*plan, Device::cpu).convolver;
    plan.reset();
    for (const int threads : {1, 2}) {
      Picture dst = src;
      const PlanePair pair{src.plane(), dst.plane()};
      prepared(threads)->run({&pair, 1}, nullptr);
      EXPECT_TRUE(dst.bytes() == wanted.bytes()) << spec;
    }
  }
}

TEST(Variants, PlanesThatAreTooLargeAreRefused) {
  for (const Variant* variant : runnable_variants()) {
    if (variant->largest == 0) continue;
    const SampleType sample;
    const Plan plan = make_plan(FilterSpec::parse("box").make(), sample, {}, Role::colour);
    ASSERT_TRUE(supports(*variant, plan)) << variant->name;
    for (auto [width, height] : {std::pair{variant->largest + 1, 1}, {1, variant->largest + 1}}) {
      EXPECT_FALSE(variant->takes(width, height));
      const Picture src = noise(sample, width, height, 11);
      Picture dst = src;
      EXPECT_THROW(Runner(*variant, plan).run(src, dst), std::invalid_argument) << variant->name;
    }
  }
}

TEST(Variants, CopiesAndFillsTakeTheShortWay) {
  EXPECT_EQ(pick(make_plan(filter_of(Kernel(1, 1, {1})), {}, {}, Role::colour), Device::cpu)
                .variant->name,
            "cpu-copy");
  EXPECT_EQ(pick(make_fill_plan({}, 128), Device::cpu).variant->name, "cpu-fill");
}

}  // namespace
}  // namespace vidconv::test
