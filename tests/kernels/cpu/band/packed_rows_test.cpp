// Interleaved components: every layout of pixels, whichever components are computed, gives the
// bytes of the definition, and no byte changes but those of its samples.
#include "kernels/cpu/band/packed_rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/simd/simd.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/packed_pixels.h"

namespace vidconv::test {
namespace {

#ifdef VIDCONV_THIN_SWEEP
constexpr int turns = 2;
#else
constexpr int turns = 8;
#endif

class PackedRows : public testing::TestWithParam<SimdLevel> {
 protected:
  PackedRows() { force_simd(GetParam()); }
  ~PackedRows() override { force_simd(0); }
};

TEST_P(PackedRows, AreSplitAndJoined) {
  unsigned seed = 1;
  for (const int bytes : {1, 2, 4})
    for (const int step : {1, 2, 3, 4, 5, 7})
      for (int width = 1; width < 200; width += width < 70 ? 1 : 13) {
        const std::vector<int> places = some_places(step, ++seed);
        const auto size = static_cast<std::size_t>(bytes);
        const int least = std::ranges::min(places), most = std::ranges::max(places);
        std::vector<std::byte> from(
            size * static_cast<std::size_t>((width - 1) * step + most - least + 1));
        std::minstd_rand random(seed);
        for (std::byte& byte : from) byte = static_cast<std::byte>(random() >> 8);
        std::vector<std::byte> to(from.size(), std::byte{0x5A}), beside(from.size());
        for (std::byte& byte : beside) byte = static_cast<std::byte>(random() >> 8);
        PixelLayout layout{.bytes = bytes, .step = step};
        std::vector<std::vector<std::byte>> lines;
        std::byte* line[most_packed] = {};
        for (const int place : places) {
          // Sometimes one component is left out.
          lines.emplace_back(size * static_cast<std::size_t>(width));
          const auto k = static_cast<std::size_t>(layout.count++);
          layout.place[k] = place - least;
          line[k] = seed % 5 == k ? nullptr : lines.back().data();
        }
        split_row(layout, from.data(), width, line);
        const std::byte* const others = seed % 2 == 0 ? to.data() : beside.data();
        std::vector<std::byte> want = to;
        for (std::size_t k = 0; k < lines.size(); ++k)
          for (int x = 0; x < width; ++x)
            for (std::size_t i = 0; i < size; ++i) {
              const auto at = static_cast<std::size_t>(x * step + layout.place[k]) * size + i;
              want[at] = line[k] != nullptr ? from[at] : others[at];
              if (line[k] == nullptr) continue;
              ASSERT_EQ(lines[k][static_cast<std::size_t>(x) * size + i], from[at]);
            }
        // Bytes in between come from `others`; all but these bytes do, where the row is all there
        // is.
        join_row(layout, line, others, width, to.data());
        for (std::size_t k = 0; k < lines.size(); ++k)
          for (int x = 0; x < width; ++x)
            for (std::size_t i = 0; i < size; ++i) {
              const auto at = static_cast<std::size_t>(x * step + layout.place[k]) * size + i;
              ASSERT_EQ(to[at], want[at]) << step << " samples of " << bytes << ", " << width;
            }
        if (others == to.data()) {
          ASSERT_TRUE(to == want) << step << " samples of " << bytes << ", width " << width;
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Levels, PackedRows, testing::ValuesIn(all_simd_levels()),
                         [](const auto& test) { return std::string(simd_name(test.param)); });

// Expects the bytes of `want` on every level; `to` has the bytes from before.
void expect_at_all_levels(const Plan& plan, const std::vector<PlanePair>& pairs, int threads,
                          PackedPixels& to, const PackedPixels& want, const std::string& what) {
  const std::vector<std::byte> before = to.bytes();
  for (const SimdLevel level : simd_levels()) {
    force_simd(level);
    to.set_bytes(before);
    const Choice choice = pick(plan, Device::cpu);
    choice.convolver(threads)->run(pairs, nullptr);
    EXPECT_TRUE(to.bytes() == want.bytes()) << what << " by " << choice.variant->name << ", "
                                            << simd_name(level) << ", " << threads << " threads";
  }
  force_simd(0);
}

// They are the bytes of any variant that is picked, by any number of threads, with any border.
TEST(PackedPlanes, GiveTheBytesOfTheReference) {
  struct PackedCase {
    const char* spec;
    SampleType sample;
  };
  constexpr SampleType p010{Storage::u16, 10, 6};
  const PackedCase all_cases[] = {{"sobel", u8},
                                  {"random:1,3", u8},
                                  {"random:1,5", p010},
                                  {"sharpen", u8},
                                  {"gaussian:sigma=1", u8},
                                  {"gaussian:sigma=5", p010},
                                  {"gaussian:sigma=2", u16},
                                  {"box:size=21", u8},
                                  {"box:size=15", p010},
                                  {"box:size=31", u16},
                                  {"sobel", p010},
                                  {"sobel", u16},
                                  {"gaussian:sigma=1", f32},
                                  {"sobel", f32},
                                  {"box:size=7", u8},
                                  {"identity", u8},
                                  {"identity", p010},
                                  {"unsharp", u8}};
  unsigned seed = 0;
  for (const PackedCase& c : all_cases) {
    const Filter filter = FilterSpec::parse(c.spec).make();
    for (const int step : {2, 3, 4, 6})
      for (int turn = 0; turn < turns; ++turn) {
        ++seed;
        const int width = turn % 3 != 2 ? 1 + static_cast<int>(seed * 7 % 40)
                                        : static_cast<int>(100 + seed * 31 % 300);
        const int height = 1 + static_cast<int>(seed * 11 % 40);
        const std::vector<int> places = some_places(step, seed);
        // The result may lie in other pixels than the source.
        const bool elsewhere = seed % 4 == 0;
        std::vector<int> others = places;
        if (elsewhere) std::ranges::reverse(others);
        PackedPixels from(c.sample, step, places, width, height, seed);
        PackedPixels to(c.sample, elsewhere ? step + 1 : step, others, width, height, seed + 1);
        PackedPixels want = to;
        const Border border{all_borders[seed % std::size(all_borders)], 0.3};
        const Plan plan = make_plan(filter, c.sample, border, Role::colour);
        for (const PlanePair& pair : packed_pairs(from, want, places.size()))
          find_variant("reference")->prepare(plan, {})(1)->run({&pair, 1}, nullptr);
        const auto what =
            fmt::format("{}, {} bits, {} of {} samples, {}x{}, border {}", c.spec, c.sample.depth,
                        places.size(), step, width, height, name_of(border.mode));
        expect_at_all_levels(plan, packed_pairs(from, to, places.size()),
                             1 + static_cast<int>(seed % 3), to, want, what);
      }
  }
}

TEST(PackedPlanes, WhatLiesBesideIsCopiedInPassing) {
  unsigned seed = 0;
  for (const char* spec : {"sobel", "box:size=3", "gaussian:sigma=1", "box:size=31"})
    for (const int step : {2, 3, 4})
      for (int copied = 1; copied < step; ++copied)
        for (int width = 1; width < 150; width += 1 + width / 3) {
          ++seed;
          const std::vector<int> places = all_places(step, seed);
          PackedPixels from({}, step, places, width, 9, seed),
              to({}, step, places, width, 9, seed + 4);
          PackedPixels want = to;
          const Plan plan = make_plan(FilterSpec::parse(spec).make(), {}, {}, Role::colour);
          const Plan copy = make_plan(FilterSpec::parse("identity").make(), {}, {}, Role::colour);
          std::vector<PlanePair> pairs = packed_pairs(from, want, places.size());
          for (int k = 0; k < step; ++k)
            find_variant("reference")
                ->prepare(k < step - copied ? plan : copy, {})(1)
                ->run({&pairs[static_cast<std::size_t>(k)], 1}, nullptr);
          pairs = packed_pairs(from, to, places.size());
          for (int k = step - copied; k < step; ++k)
            pairs[static_cast<std::size_t>(k)].copied = true;
          ASSERT_TRUE(pick(plan, Device::cpu).convolver(1)->copies_in_passing());
          expect_at_all_levels(
              plan, pairs, 1 + static_cast<int>(seed % 3), to, want,
              fmt::format("{}, {} of {} samples copied, width {}", spec, copied, step, width));
        }
}

// Pieces may have any height and several pairs; a variant that cannot says so and does nothing.
TEST(PackedPlanes, RowsInPiecesAreAllRows) {
  unsigned seed = 0;
  for (const char* spec : {"sobel", "gaussian:sigma=2", "box:size=9", "random:1,5", "identity"})
    for (const SampleType& sample : {u8, u16, f32})
      for (const int step : {1, 3}) {
        const int width = 1 + static_cast<int>(++seed * 13 % 90), height = 45;
        const std::vector<int> places = step == 1 ? std::vector{0} : std::vector{2, 0};
        PackedPixels from(sample, step, places, width, height, seed);
        PackedPixels want(sample, step, places, width, height, seed + 1), to = want;
        const Plan plan =
            make_plan(FilterSpec::parse(spec).make(), sample, {BorderMode::wrap}, Role::colour);
        const auto convolver = pick(plan, Device::cpu).convolver(2);
        convolver->run(packed_pairs(from, want, places.size()), nullptr);
        const auto pairs = packed_pairs(from, to, places.size());
        for (int first = 0, next = 0; first < height; first = next) {
          next = first + 1 + static_cast<int>(seed + static_cast<unsigned>(first) % 17);
          ASSERT_TRUE(convolver->run_rows(pairs, {first, next}));
          for (const int y : {first - 1, next - 1}) {
            if (y < 0 || y >= height) continue;
            ASSERT_EQ(std::memcmp(to.plane(0).row(y), want.plane(0).row(y),
                                  static_cast<std::size_t>(sample.bytes())),
                      0);
          }
        }
        EXPECT_TRUE(to.bytes() == want.bytes()) << spec << ", " << sample.depth << " bits";
        const std::vector<std::byte> before = to.bytes();
        EXPECT_FALSE(find_variant("reference")->prepare(plan, {})(1)->run_rows(pairs, {0, 9}));
        EXPECT_TRUE(to.bytes() == before);
      }
}

TEST(PackedTogether, AreComponentsOfOnePixel) {
  std::byte memory[400];
  const auto pair = [&](int at, int step, int width = 5) {
    const BytePlane plane{
        .data = memory + at, .stride = 40, .width = width, .height = 4, .step = step};
    return PlanePair{plane.as<const std::byte>(), plane};
  };
  const auto together = [](const std::vector<PlanePair>& pairs, int bytes = 1) {
    return packed_together(pairs, bytes);
  };
  EXPECT_EQ(together({pair(2, 3), pair(1, 3), pair(0, 3)}), 3u);              // bgr24
  EXPECT_EQ(together({pair(1, 4), pair(2, 4), pair(3, 4), pair(0, 4)}), 4u);  // argb
  EXPECT_EQ(together({pair(1, 4), pair(3, 4)}), 2u);                          // chroma of yuyv422
  EXPECT_EQ(together({pair(0, 6), pair(2, 6), pair(4, 6)}, 2), 1u);  // no pixel is so large
  EXPECT_EQ(together({pair(0, 3), pair(2, 3), pair(4, 3)}, 2), 3u);  // rgb48
  EXPECT_EQ(together({pair(0, 1), pair(120, 1)}), 1u);               // planes
  EXPECT_EQ(together({pair(0, 3), pair(3, 3)}), 1u);                 // the next pixel
  EXPECT_EQ(together({pair(0, 3), pair(0, 3)}), 1u);                 // twice the same
  EXPECT_EQ(together({pair(0, 3), pair(1, 3), pair(2, 3, 4)}), 2u);  // another size
  EXPECT_EQ(together({pair(0, 3), pair(40, 3), pair(1, 3)}), 1u);    // another row
  EXPECT_EQ(together({pair(0, 2), pair(1, 2)}, 2), 1u);              // half a sample away
  EXPECT_EQ(together({pair(0, 2), pair(1, 2), pair(0, 2), pair(1, 2)}), 2u);
}

}  // namespace
}  // namespace vidconv::test
