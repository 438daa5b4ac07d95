#include "tests/kernels/support/places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/variants/variants.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

#ifdef VIDCONV_THIN_SWEEP
constexpr bool thinned = true;
#else
constexpr bool thinned = false;
#endif

constexpr int threads = 3;

// Returns the thinning for tools that slow everything down: one size in so many, for every variant.
std::size_t thinning_asked() {
  static const char* const asked = std::getenv("VIDCONV_TEST_THINNING");
  return asked ? std::strtoul(asked, nullptr, 10) : 0;
}

bool is_the_same(Runner& runner, Runner& oracle, const Places& p, const SampleType& sample,
                 std::size_t turn, int width, int height) {
  const auto seed = static_cast<unsigned>(turn);
  Picture src(sample, width, height, p.arrangements[turn % 3], seed);
  src.draw(Content::noise, seed);
  Picture want(sample, width, height, p.arrangements[turn / 2 % 3], seed + 1);
  Picture got = want;
  oracle.run(src, want);
  runner.run(src, got);
  return got.bytes() == want.bytes();
}

}  // namespace

void expect_the_same_at(const Places& p, const SampleType& sample,
                        const std::function<Filter(bool absolute)>& filter, std::size_t first) {
  const int widest = *std::ranges::max_element(p.widths);
  const int highest = *std::ranges::max_element(p.heights);
  const Thinning& thinning = thinned ? p.thin : p.whole;
  std::size_t turn = first;
  for (const BorderMode border : all_borders)
    for (const bool absolute : {false, true}) {
      const Plan plan = make_plan(filter(absolute), sample, {border, 0.3}, Role::colour);
      Runner oracle(oracle_of(plan), plan);
      for (const Variant* variant : runnable_variants(widest, highest)) {
        if (!supports(*variant, plan) || variant->name == "reference" ||
            variant->name.starts_with("study-"))
          continue;
        const std::size_t step = std::max(
            thinning_asked(), variant->device == Device::cuda ? thinning.cuda : thinning.cpu);
        Runner runner(*variant, plan, threads);
        for (std::size_t i = turn++ % step; i < p.widths.size() * p.heights.size(); i += step) {
          const int width = p.widths[i % p.widths.size()];
          const int height = p.heights[i / p.widths.size()];
          ASSERT_TRUE(is_the_same(runner, oracle, p, sample, i, width, height))
              << variant->name << ", " << width << "x" << height << ", border " << name_of(border)
              << (absolute ? ", absolute" : "");
        }
      }
    }
}

}  // namespace vidconv::test
