// Matrices that are the same from all four sides: the bytes of the definition, and which they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kernels/cpu/folded_plan.h"
#include "kernels/spec/parse.h"
#include "tests/kernels/support/on_avx2.h"

namespace vidconv::test {
namespace {

constexpr SampleType samples[] = {
    {Storage::u8, 8, 0}, {Storage::u16, 10, 0}, {Storage::u16, 10, 6}, {Storage::u16, 13, 0}};

// No product of a row and a column, of taps beyond 8 bits: from
// `least` at the corners on, a quarter of which is 0.
std::string folded_matrix(int width, int height, int least, const std::string& more = "") {
  std::string spec = "matrix:";
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int i = std::min(x, width - 1 - x), j = std::min(y, height - 1 - y);
      const int tap = (i + 2 * j) % 4 == 3 ? 0 : least + 37 * (i + j) + 211 * i * j * (i + j) % 977;
      spec += (x > 0 ? " " : y > 0 ? ";" : "") + std::to_string(tap);
    }
  return spec + ":scale=1/32768" + more;
}

Plan folded_from(const std::string& spec, SampleType sample, Codes codes = Codes::all) {
  return make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour, codes);
}

using Folded = OnAvx2;

TEST_F(Folded, AreTheBytesOfTheDefinition) {
  for (const SampleType sample : samples)
    for (const auto& [width, height] : {std::pair{4, 4}, {5, 5}, {4, 7}, {9, 6}, {31, 5}, {5, 31}})
      for (const int least : {40, -700}) {
        const std::string spec = folded_matrix(width, height, least);
        SCOPED_TRACE(spec);
        const Plan plan = folded_from(spec, sample);
        expect_bytes_at_all_sizes("cpu-folded", plan, 1);
        if (width == 5) expect_bytes_at_all_sizes("cpu-folded", plan, 3);
      }
}

TEST_F(Folded, EndAsTheFinishSays) {
  for (const SampleType sample : samples) {
    const std::string spec = folded_matrix(5, 5, -700, ":bias=0.3:anchor=0,4");
    expect_bytes_at_all_sizes("cpu-folded", folded_from(spec, sample), 1);
    expect_bytes_at_all_sizes("cpu-folded", folded_from(spec, sample, Codes::limited), 1);
  }
}

// Rows of several strips, read where they lie.
TEST_F(Folded, WideRows) {
  for (const SampleType sample : samples) {
    const Plan plan = folded_from(folded_matrix(7, 5, 40), sample);
    Runner runner(*find_variant("cpu-folded"), plan);
    for (const int width : {255, 256, 257, 320, 2600, 4500}) {
      Picture src(sample, width, 3, {}, 1), result(sample, width, 3, {}, 2);
      src.draw(Content::noise, static_cast<unsigned>(width));
      const Picture truth = expected(plan, src, result);
      runner.run(src, result);
      ASSERT_EQ(result.bytes(), truth.bytes()) << width;
    }
  }
}

TEST(FoldedPlan, TakesWhatIsTheSameFromAllSides) {
  const SampleType bytes = samples[0];
  const Plan plan = folded_from(folded_matrix(5, 5, 40), bytes);
  ASSERT_TRUE(make_folded_plan(plan));
  EXPECT_EQ(make_folded_plan(plan)->lines(), 3);
  EXPECT_TRUE(make_folded_plan(folded_from("disk:radius=2.5", bytes)));
  EXPECT_TRUE(make_folded_plan(folded_from("unsharp:sigma=0.6", bytes)));
  EXPECT_FALSE(make_folded_plan(folded_from("unsharp:sigma=0.6", {Storage::u16, 14, 0})))
      << "four samples are beyond 16 bits";
  EXPECT_FALSE(make_folded_plan(folded_from(folded_matrix(3, 5, 40), bytes))) << "small";
  EXPECT_FALSE(make_folded_plan(folded_from(folded_matrix(5, 5, 40, ":abs=1"), bytes)));

  // Another tap at one of its places, and at the one that is mirrored.
  for (const auto& [one, other] : {std::pair{1, 3}, {5, 15}}) {
    Plan changed = plan;
    changed.terms[0].dense[static_cast<std::size_t>(one)] += 1;
    EXPECT_FALSE(make_folded_plan(changed)) << one;
    changed.terms[0].dense[static_cast<std::size_t>(other)] += 1;
    EXPECT_FALSE(make_folded_plan(changed)) << "only from two sides: " << one << ", " << other;
  }
  Plan changed = plan;
  changed.terms[0].dense[12] = 32768;
  EXPECT_FALSE(make_folded_plan(changed)) << "no tap of 16 bits";
}

}  // namespace
}  // namespace vidconv::test
