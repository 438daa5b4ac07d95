// Every variant x filter x border x sample type x size against the reference, byte for byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/variants/variants.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

// Every width and every height from 1 to 40, most of them smaller than some kernel, and widths
// around the blocks of the widest vectors.
std::vector<std::pair<int, int>> make_sizes() {
  std::vector<std::pair<int, int>> sizes;
  for (int n = 1; n <= 40; ++n)
    for (int other : {1, 2, 7, 16, 33}) {
      sizes.emplace_back(n, other);
      sizes.emplace_back(other, n);
    }
  for (int width : {63, 64, 65, 127, 128, 129, 130, 191, 257, 300}) sizes.emplace_back(width, 3);
  return sizes;
}

// Each combination of filter, border and sample type takes one size in thinning(), beginning at
// another one each time: a thinner sweep still meets every size and every combination. For tools
// that slow everything down, VIDCONV_TEST_THINNING sets it: 410 leaves one size of each
// combination, n times 410 only one combination in n.
std::size_t thinning() {
#ifdef VIDCONV_THIN_SWEEP
  constexpr std::size_t usual = 13;
#else
  constexpr std::size_t usual = 3;
#endif
  static const char* const asked = std::getenv("VIDCONV_TEST_THINNING");
  return asked ? std::max<std::size_t>(1, std::strtoul(asked, nullptr, 10)) : usual;
}
// Study variants are many, and serve no user: they meet one size in so many, and one of three large
// pictures, another one for the next sample type.
constexpr std::size_t study_thinning = 7;

constexpr Arrangement arrangements[] = {
    {},
    {.step = 2, .component = 1},    // V of NV12
    {.row_padding = 64},            //
    {.step = 3, .row_padding = 7},  // R of packed RGB
    {.bottom_up = true},            //
};
constexpr Content contents[] = {Content::noise, Content::black_and_white, Content::checkerboard,
                                Content::noise, Content::black_and_white, Content::full,
                                Content::zeros};

template <class T, std::size_t n>
const T& in_turn(const T (&values)[n], std::size_t turn) {
  return values[turn % n];
}

// Pictures of many tiles, and rows that begin at multiples of 16, 8, 4 and 2 samples as well as
// anywhere: what frames in memory are like, and what the tiles inside them are computed from.
constexpr int large_width = 391, large_height = 213;
constexpr Arrangement large_arrangements[] = {
    {.row_padding = 9, .guard = 64},                     // 16
    {.row_padding = 1, .guard = 64},                     // 8
    {.row_padding = 5, .guard = 64},                     // 4
    {.row_padding = 9, .bottom_up = true, .guard = 64},  // 16
    {.row_padding = 3, .guard = 66},                     // 2
    {.step = 2, .component = 1, .row_padding = 18, .guard = 64},
    {.row_padding = 0, .guard = 67},
};

// A plan that one variant has made ready.
struct Way {
  Way(const Variant& v, const Plan& plan, int thread_count)
      : variant(v),
        name(std::string(v.name) + ", " + std::to_string(thread_count) + " threads, " +
             (plan.terms[0].dense.empty() ? "two passes" : "one pass")),
        study(v.name.starts_with("study-")),
        runner(v, plan, thread_count) {}
  const Variant& variant;
  std::string name;
  bool study;
  Runner runner;
};

class Sweep : public testing::TestWithParam<std::string> {};

TEST_P(Sweep, EveryVariantGivesTheBytesOfTheReference) {
  static const auto sizes = make_sizes();
  const std::size_t step = thinning();
  const Filter& filter = filter_named(GetParam());
  std::size_t combination = 0, turn = 0;
  for (BorderMode border : all_borders) {
    for (SampleType sample : all_sample_types) {
      ++combination;
      SCOPED_TRACE("border " + std::to_string(static_cast<int>(border)) + ", " +
                   std::to_string(sample.depth) + " bits, shift " + std::to_string(sample.shift));
      const std::size_t kind = combination % 5;  // meets every border and every sample type
      const Role role = kind == 0 || kind == 3 ? Role::chroma : Role::colour;
      const Codes codes = kind == 2 || kind == 3 ? Codes::limited : Codes::all;
      const Plan plan = make_plan(filter, sample, {border, 0.3}, role, codes);
      Runner oracle(oracle_of(plan), plan);
      std::vector<std::unique_ptr<Way>> all;
      for (const Plan& way : ways(plan))
        for (const Variant* variant : runnable_variants())
          if (supports(*variant, way) && variant->name != "reference")
            // Threads cost more than such small pictures.
            all.push_back(std::make_unique<Way>(*variant, way, ++turn % 4 == 0 ? 3 : 1));
      if (all.empty()) continue;

      const std::size_t first = (combination * 1009 + GetParam().size() * 331) % step;
      for (std::size_t i = first; i < sizes.size(); i += step) {
        ++turn;
        const auto [width, height] = sizes[i];
        const auto seed = static_cast<unsigned>(turn);
        Picture src(sample, width, height, in_turn(arrangements, turn), seed);
        src.draw(in_turn(contents, turn), seed);
        const Picture blank(sample, width, height, in_turn(arrangements, turn / 5), seed + 1);
        Picture want = blank;
        oracle.run(src, want);
        for (const auto& way : all) {
          if (!way->variant.takes(width, height)) continue;
          if (way->study && turn % study_thinning != 0) continue;
          Picture got = blank;
          way->runner.run(src, got);
          // Guard bytes, row padding and other components too.
          ASSERT_TRUE(got.bytes() == want.bytes())
              << way->name << ", " << width << "x" << height << ", source arrangement "
              << turn % std::size(arrangements) << ", destination arrangement "
              << turn / 5 % std::size(arrangements) << ", content " << turn % std::size(contents);
        }
      }
    }
  }
}

TEST_P(Sweep, LargePicturesToo) {
  const Filter& filter = filter_named(GetParam());
  std::size_t turn = GetParam().size(), combination = turn;
  // Half of the sample types where the sweep is twice as thin as in a debugger's build, a quarter
  // at most.
  const std::size_t one_in = std::max<std::size_t>(std::clamp<std::size_t>(thinning() / 13, 1, 4),
                                                   thinning() / make_sizes().size());
  for (SampleType sample : all_sample_types) {
    if (combination++ % one_in != 0) continue;
    const BorderMode border = all_borders[turn % all_borders.size()];
    const Plan plan = make_plan(filter, sample, {border, 0.3}, Role::colour);
    std::vector<std::unique_ptr<Way>> all;
    for (const Plan& way : ways(plan))
      for (const Variant* variant : runnable_variants(large_width, large_height))
        if (supports(*variant, way) && variant->name != "reference")
          all.push_back(std::make_unique<Way>(*variant, way, 3));
    if (all.empty()) continue;
    Runner oracle(oracle_of(plan), plan);
    for (std::size_t i = 0; i < 3; ++i, turn += 5) {
      const auto seed = static_cast<unsigned>(turn);
      // The third time, all is aligned.
      const Arrangement& from =
          large_arrangements[i == 2 ? 0 : turn % std::size(large_arrangements)];
      const Arrangement& to =
          large_arrangements[i == 2 ? 0 : turn / 2 % std::size(large_arrangements)];
      Picture src(sample, large_width, large_height, from, seed);
      src.draw(i == 1 ? Content::black_and_white : Content::noise, seed);
      const Picture blank(sample, large_width, large_height, to, seed + 1);
      Picture want = blank;
      oracle.run(src, want);
      for (const auto& way : all) {
        if (way->study && i != combination % 3) continue;
        Picture got = blank;
        way->runner.run(src, got);
        ASSERT_TRUE(got.bytes() == want.bytes())
            << way->name << ", " << sample.depth << " bits, border " << static_cast<int>(border)
            << ", source " << &from - large_arrangements << ", destination "
            << &to - large_arrangements;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Sweep,
    [] {
      std::vector<std::string> names;
      for (const NamedFilter& filter : all_filters()) names.push_back(filter.name);
      return testing::ValuesIn(names);
    }(),
    [](const auto& test) { return test.param; });

}  // namespace
}  // namespace vidconv::test
