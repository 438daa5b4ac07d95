// Packed pictures on a CUDA device: components that are all filtered alike are computed as one
// plane of samples that lie side by side, and give the bytes that they give apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/packed_pixels.h"
#include "tests/kernels/support/runner.h"

#ifdef VIDCONV_HAVE_CUDA
#include "kernels/cuda/common/device_buffer.h"
#include "kernels/cuda/common/whole_pixels.h"

namespace vidconv::test {
namespace {

// The sources and results of one run, each in memory that ends where they do.
class PixelsOnDevice {
 public:
  void add(const PackedPixels& from, PackedPixels& to, std::size_t components) {
    const std::byte* const source = upload(from);
    std::byte* const result = upload(to);
    for (std::size_t k = 0; k < components; ++k)
      pairs_.push_back({from.plane_at(k, const_cast<std::byte*>(source)).as<const std::byte>(),
                        to.plane_at(k, result)});
    results_.emplace_back(&to, memory_.size() - 1);
  }
  std::vector<PlanePair>& pairs() { return pairs_; }
  void run(Convolver& convolver) {
    convolver.run(pairs_, nullptr);
    for (const auto& [to, i] : results_) memory_[i].download(to->bytes(), nullptr);
  }

 private:
  std::byte* upload(const PackedPixels& pixels) {
    memory_.emplace_back(0, pixels.bytes().size());
    memory_.back().upload(pixels.bytes(), nullptr);
    return memory_.back().data();
  }

  std::vector<cuda::DeviceBuffer> memory_;
  std::vector<PlanePair> pairs_;
  std::vector<std::pair<PackedPixels*, std::size_t>> results_;
};

std::size_t thinning_of_pixels() {
  static const char* const asked = std::getenv("VIDCONV_TEST_THINNING");
  return asked ? std::max<std::size_t>(1, std::strtoul(asked, nullptr, 10)) : 1;
}

struct PixelsCase {
  int components, width, height;
  unsigned seed;
  unsigned copied = 0;  // pairs that are only copied, a bit each
};

void make_wanted(const Plan& plan, const std::vector<PlanePair>& pairs, unsigned copied) {
  std::vector<PlanePair> filtered;
  for (std::size_t k = 0; k < pairs.size(); ++k)
    if ((copied >> k & 1) == 0) filtered.push_back(pairs[k]);
  oracle_of(plan).prepare(plan, {})(1)->run(filtered, nullptr);
  for (std::size_t k = 0; k < pairs.size(); ++k)
    if ((copied >> k & 1) != 0)
      find_variant("reference")
          ->prepare(make_plan(filter_named("identity"), plan.sample, {}, Role::colour), {})(1)
          ->run({&pairs[k], 1}, nullptr);
}

void expect_bytes(const Plan& plan, Convolver& convolver, const PixelsCase& c) {
  const std::vector<int> places = all_places(c.components, c.seed);
  // Every other time all rows begin at multiples of 16 bytes.
  const unsigned gap = c.seed % 2 == 0 ? 3 : c.seed / 2;
  PackedPixels from(plan.sample, c.components, places, c.width, c.height, 4 * c.seed + gap % 4);
  PackedPixels got(plan.sample, c.components, places, c.width, c.height,
                   4 * (c.seed + 1) + gap % 4);
  PackedPixels want = got;
  make_wanted(plan, packed_pairs(from, want, places.size()), c.copied);
  PixelsOnDevice device;
  device.add(from, got, places.size());
  for (std::size_t k = 0; k < places.size(); ++k)
    device.pairs()[k].copied = (c.copied >> k & 1) != 0;
  device.run(convolver);
  ASSERT_TRUE(got.bytes() == want.bytes())
      << c.components << " components, " << c.width << "x" << c.height << ", seed " << c.seed
      << ", border " << name_of(plan.border) << ", " << plan.sample.depth << " bits, shift "
      << plan.sample.shift << ", copied " << c.copied;
}

// Every other time one of the components is alpha.
unsigned some_copied(const Convolver& convolver, int components, std::size_t turn) {
  if (turn % 2 == 0 || !convolver.copies_in_passing()) return 0;
  return 1U << turn / 2 % static_cast<std::size_t>(components);
}

class PixelsOfFilter : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!cuda_works()) GTEST_SKIP() << "no CUDA device";
  }
};

// Takes every size from 1 to 40 in turn, most of them smaller than some kernel.
TEST_P(PixelsOfFilter, GiveTheBytesOfTheReference) {
  const CudaAbilities abilities = cuda_abilities(0);
  std::size_t combination = GetParam().size() * 31, taken = 0;
  for (const BorderMode border : all_borders)
    for (const SampleType& sample : all_sample_types) {
      const Plan plan = make_plan(filter_named(GetParam()), sample, {border, 0.3},
                                  combination % 3 == 0 ? Role::chroma : Role::colour,
                                  combination % 4 == 0 ? Codes::limited : Codes::all);
      std::unique_ptr<Convolver> convolver;
      for (const int components : {2, 3, 4})
        for (int turn = 0; turn < 3; ++turn) {
          if (combination++ % thinning_of_pixels() != 0) continue;
          if (!convolver) convolver = pick(plan, Device::cuda, abilities).convolver(1);
          const auto seed = static_cast<unsigned>(++taken);
          const int width = 1 + static_cast<int>(combination * 7 % 40);
          const int height = 1 + static_cast<int>(combination * 11 % 40);
          ASSERT_NO_FATAL_FAILURE(expect_bytes(
              plan, *convolver,
              {components, width, height, seed, some_copied(*convolver, components, combination)}));
        }
    }
}

// Pictures have many tiles, some of them inside; aligned and not.
TEST_P(PixelsOfFilter, LargePicturesToo) {
  const CudaAbilities abilities = cuda_abilities(0);
  std::size_t combination = GetParam().size();
  for (const SampleType& sample : all_sample_types) {
    const BorderMode border = all_borders[combination % all_borders.size()];
    const Plan plan =
        make_plan(filter_named(GetParam()), sample, {border, 0.3}, Role::colour, Codes::all);
    std::unique_ptr<Convolver> convolver;
    for (const int components : {2, 3, 4}) {
      // The divisor has no factor in common with the number of cases.
      if (combination++ % (1 + thinning_of_pixels() / 30) != 0) continue;
      if (!convolver) convolver = pick(plan, Device::cuda, abilities).convolver(1);
      const auto seed = static_cast<unsigned>(combination / 3 + static_cast<unsigned>(components));
      ASSERT_NO_FATAL_FAILURE(expect_bytes(plan, *convolver,
                                           {components, seed % 2 == 0 ? 208 : 197, 139, seed,
                                            some_copied(*convolver, components, combination / 2)}));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PixelsOfFilter, testing::ValuesIn(names_of_convolutions()),
                         [](const auto& test) { return test.param; });

// One call takes pixels of several kinds, planes, pixels with padding and pixels in another order.
TEST(PixelsOnCuda, LieBesideOthers) {
  if (!cuda_works()) GTEST_SKIP() << "no CUDA device";
  const Variant& reference = *find_variant("reference");
  for (const char* name : {"sobel", "box:size=5", "identity"}) {
    const Plan plan = make_plan(FilterSpec::parse(name).make(), u8, {}, Role::colour);
    const auto convolver = pick(plan, Device::cuda, cuda_abilities(0)).convolver(1);
    const std::pair<int, std::vector<int>> kinds[] = {
        {1, {0}}, {2, {0, 1}}, {3, {2, 0, 1}}, {4, {0, 1, 2}}, {4, {3, 2, 1, 0}}, {2, {1, 0}}};
    std::vector<PackedPixels> from, got, want;
    unsigned seed = 1;
    for (const auto& [step, places] : kinds) {
      from.emplace_back(u8, step, places, 37, 20, ++seed);
      got.emplace_back(u8, step, places, 37, 20, ++seed);
    }
    // In another order in the result.
    from.emplace_back(u8, 3, std::vector{0, 1, 2}, 37, 20, ++seed);
    got.emplace_back(u8, 3, std::vector{2, 1, 0}, 37, 20, ++seed);
    want = got;
    PixelsOnDevice device;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t count = i < std::size(kinds) ? kinds[i].second.size() : 3;
      reference.prepare(plan, {})(1)->run(packed_pairs(from[i], want[i], count), nullptr);
      device.add(from[i], got[i], count);
    }
    device.run(*convolver);
    for (std::size_t i = 0; i < from.size(); ++i)
      EXPECT_TRUE(got[i].bytes() == want[i].bytes()) << name << ", kind " << i;
  }
}

// Common filters have a variant for whole pixels.
TEST(PixelsOnCuda, AreComputedTogether) {
  if (!cuda_works()) GTEST_SKIP() << "no CUDA device";
  const CudaAbilities abilities = cuda_abilities(0);
  for (const char* name : {"sobel", "box:size=5", "gaussian:sigma=2", "identity", "sharpen"})
    for (const int components : {2, 3, 4}) {
      const Plan plan = make_plan(FilterSpec::parse(name).make(), u8, {}, Role::colour);
      EXPECT_TRUE(cuda::make_whole_pixels(plan, abilities, components)) << name;
      // So it is with alpha; a plan that only copies needs no variant of its own then.
      if (components != 3 && !plan.is_copy()) {
        EXPECT_TRUE(cuda::make_whole_pixels(plan, abilities, components, 1)) << name;
      }
    }
}

}  // namespace
}  // namespace vidconv::test
#endif
