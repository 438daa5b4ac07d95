// Random kernels of every structure on planes that are often smaller: every variant, SIMD level and
// number of threads against the reference, byte for byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/simd/simd.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  // Returns a number from `first` to `last`.
  int integer(int first, int last) {
    return first + static_cast<int>(engine_() % static_cast<unsigned>(last - first + 1));
  }
  double real() { return static_cast<double>(engine_()) * 0x1p-32 - 0.4; }

 private:
  std::mt19937 engine_;
};

enum class Structure { dense, rank_1, low_rank, equal_taps, but_for_one_tap, row, column };
constexpr Structure structures[] = {
    Structure::dense,           Structure::rank_1, Structure::low_rank, Structure::equal_taps,
    Structure::but_for_one_tap, Structure::row,    Structure::column};

// `exact`: whether taps are integers over 64.
std::vector<double> line(Random& random, int count, bool exact) {
  std::vector<double> taps;
  for (int i = 0; i < count; ++i)
    taps.push_back(exact ? random.integer(-3, 5) / 64.0 : random.real() / count);
  return taps;
}

Kernel kernel_of(Structure structure, int width, int height, bool exact, Random& random) {
  if (structure == Structure::row) height = 1;
  if (structure == Structure::column) width = 1;
  std::vector<double> taps(static_cast<std::size_t>(width * height));
  const auto add_product = [&] {
    const auto row = line(random, width, exact), column = line(random, height, exact);
    for (std::size_t i = 0; i < taps.size(); ++i)
      taps[i] += column[i / row.size()] * row[i % row.size()];
  };
  switch (structure) {
    case Structure::equal_taps:
    case Structure::but_for_one_tap:
      std::ranges::fill(taps,
                        exact ? random.integer(1, 2) / 1024.0 : 0.9 / (width * height) + 1e-9);
      if (structure == Structure::but_for_one_tap)
        taps[taps.size() / 2] += exact ? 1 : random.real();
      break;
    case Structure::rank_1:
      add_product();
      break;
    case Structure::low_rank:
      for (int k = random.integer(2, 4); k > 0; --k) add_product();
      break;
    default:
      taps = line(random, width * height, exact);
  }
  const Kernel kernel(width, height, std::move(taps));
  return kernel.with_anchor(random.integer(0, width - 1), random.integer(0, height - 1));
}

Filter filter_of(Random& random, Structure structure, int largest) {
  Filter filter;
  const bool exact = random.integer(0, 1) == 0;
  constexpr Combine combines[] = {Combine::l2, Combine::l1, Combine::max, Combine::signed_max};
  const int kernels = random.integer(0, 3) == 0 ? random.integer(2, 3) : 1;
  for (int k = 0; k < kernels; ++k) {
    const int width = random.integer(1, largest), height = random.integer(1, largest);
    filter.kernels.push_back(kernel_of(structure, width, height, exact, random));
  }
  if (kernels > 1 || random.integer(0, 7) == 0) filter.combine = combines[random.integer(0, 3)];
  filter.absolute = random.integer(0, 3) == 0;
  filter.bias = random.integer(-2, 2) / 8.0;
  return filter;
}

class RandomPlans : public testing::TestWithParam<Structure> {
 protected:
  void TearDown() override { force_simd(0); }
};

TEST_P(RandomPlans, SameBytesAtEveryLevelWithAnyNumberOfThreads) {
  const auto levels = simd_levels();
  for (int round = 0; round < 60; ++round) {
    Random random(static_cast<unsigned>(round) + 1000 * static_cast<unsigned>(GetParam()));
    // Every sixth kernel is larger than any of the planes.
    const Filter filter = filter_of(random, GetParam(), round % 6 == 0 ? 61 : 24);
    const SampleType sample = all_sample_types[static_cast<std::size_t>(random.integer(0, 99)) %
                                               std::size(all_sample_types)];
    const Border border{
        all_borders[static_cast<std::size_t>(random.integer(0, 99)) % std::size(all_borders)], 0.3};
    const Plan plan = make_plan(filter, sample, border, Role::colour);
    const int width = random.integer(1, 40), height = random.integer(1, 40);
    const auto seed = static_cast<unsigned>(round);
    Picture src(sample, width, height, {}, seed);
    src.draw(round % 3 == 0 ? Content::black_and_white : Content::noise, seed);
    const Picture blank(sample, width, height, {}, seed + 1);
    const Picture want = expected(plan, src, blank);
    for (const Plan& way : ways(plan)) {
      for (const Variant* variant : runnable_variants(width, height)) {
        if (variant->name == "reference") continue;
        for (int threads = 1; threads <= 8; ++threads) {
          const SimdLevel level = levels[static_cast<std::size_t>(round + threads) % levels.size()];
          force_simd(level);
          if (!supports(*variant, way)) continue;  // some take certain instructions
          Picture got = blank;
          Runner(*variant, way, threads).run(src, got);
          ASSERT_TRUE(got.bytes() == want.bytes())
              << variant->name << ", round " << round << ", " << threads << " threads, "
              << simd_name(level) << ", " << width << "x" << height << ", " << sample.depth
              << " bits";
          if (variant->device == Device::cuda) break;  // threads and levels are the CPU's
        }
      }
    }
  }
}

std::string name_of(const testing::TestParamInfo<Structure>& test) {
  constexpr const char* names[] = {"dense",           "rank_1", "low_rank", "equal_taps",
                                   "but_for_one_tap", "row",    "column"};
  static_assert(std::size(names) == std::size(structures));
  return names[static_cast<int>(test.param)];
}

INSTANTIATE_TEST_SUITE_P(Structures, RandomPlans, testing::ValuesIn(structures), name_of);

}  // namespace
}  // namespace vidconv::test
