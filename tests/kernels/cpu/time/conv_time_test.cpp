// cpu-conv-time on every instruction set, against the definition.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/simd/simd.h"
#include "kernels/spec/parse.h"
#include "tests/kernels/support/time_video.h"

namespace vidconv::test {
namespace {

class ConvTime : public testing::Test {
 protected:
  void TearDown() override { force_simd(0); }
};

const char* const specs[] = {"time:1 2 1:scale=auto",
                             "time:1 2 3 2 1:scale=auto:border=shrink",
                             "time:-1 0 1:abs=1",
                             "time:-1 0 1:bias=0.5",
                             "time:3 -5 7 2:anchor=0:scale=1/3:border=zero",
                             "time:1 2 1:scale=auto:threshold=0.2",
                             "time-box:size=5:threshold=0.1",
                             "time:-1 0 1:abs=1:threshold=0.3:border=zero",
                             "time-gaussian:sigma=1.7",
                             "time-exp:decay=0.7",
                             "time-box:size=2",
                             "time-box:size=8:border=zero",
                             "time-box:size=13:border=shrink",
                             "time:1 1 1 1 1 1 1 1 1:scale=1/7:abs=1:bias=-0.3",
                             "time:2000 1999 -3999:scale=1/37"};

TEST_F(ConvTime, GivesTheBytesOfTheDefinition) {
  std::mt19937 random(20260101);
  for (const char* spec : specs)
    for (const SampleType& sample : time_samples) {
      const Plan plan = make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::chroma);
      for (const SimdLevel level : engine_simd_levels()) {
        force_simd(level);
        if (!uses_simd(level)) continue;
        const int width = 1 + static_cast<int>(random() % 300);
        const int height = 1 + static_cast<int>(random() % 9);
        const int step = 1 + static_cast<int>(random() % 4);
        const Arrangement arrangement{.step = step,
                                      .component = static_cast<int>(random() % 8) % step,
                                      .bottom_up = random() % 2 == 0};
        const Video video(sample, width, height, arrangement, 20, static_cast<unsigned>(random()));
        const auto ours = convolver_of("cpu-conv-time", plan, 3);
        if (!ours) continue;  // a level that the variant has no code for
        const auto definition = convolver_of("reference", plan, 1);
        for (int here = 0; here < 20; ++here) {
          Picture made(sample, width, height, arrangement, 1), wanted(made);
          video.set(*ours, plan, here);
          video.set(*definition, plan, here);
          ours->run(std::vector<PlanePair>{{video.at(here).plane(), made.plane()}}, nullptr);
          definition->run(std::vector<PlanePair>{{video.at(here).plane(), wanted.plane()}},
                          nullptr);
          ASSERT_EQ(made.bytes(), wanted.bytes())
              << spec << ", depth " << sample.depth << ", " << width << "x" << height << ", step "
              << step << ", frame " << here << ", " << simd_name(level);
        }
      }
    }
}

TEST_F(ConvTime, PartsOfAPlaneAreFilteredInTheirPlace) {
  const SampleType sample;
  const Plan plan =
      make_plan(FilterSpec::parse("time-box:size=9").make(), sample, {}, Role::colour);
  const Video video(sample, 70, 20, {}, 16, 7);
  const auto ours = convolver_of("cpu-conv-time", plan, 2);
  for (int here = 0; here < 16; ++here) {
    Picture whole(sample, 70, 20, {}, 1), part(whole);
    video.set(*ours, plan, here);
    ours->run(std::vector<PlanePair>{{video.at(here).plane(), whole.plane()}}, nullptr);
    ConstBytePlane from = video.at(here).plane();
    BytePlane to = part.plane();
    from.data += 3 * from.stride + 11, to.data += 3 * to.stride + 11;
    from.width = to.width = 40, from.height = to.height = 9;
    ours->run(std::vector<PlanePair>{{from, to}}, nullptr);
    for (int y = 3; y < 12; ++y)
      for (int x = 11; x < 51; ++x) ASSERT_EQ(part.get(x, y), whole.get(x, y)) << here;
  }
}

TEST_F(ConvTime, WithoutFramesAVideoStandsStill) {
  const SampleType sample;
  const Plan plan =
      make_plan(FilterSpec::parse("time-box:size=9").make(), sample, {}, Role::colour);
  const Video video(sample, 33, 5, {}, 1, 7);
  Picture made(sample, 33, 5, {}, 1);
  const auto ours = convolver_of("cpu-conv-time", plan, 1);
  ours->run(std::vector<PlanePair>{{video.at(0).plane(), made.plane()}}, nullptr);
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 33; ++x) ASSERT_EQ(made.get(x, y), video.at(0).get(x, y));
}

}  // namespace
}  // namespace vidconv::test
