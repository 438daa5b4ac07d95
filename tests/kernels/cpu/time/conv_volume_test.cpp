// cpu-conv-volume on every instruction set, against the definition; the definition itself against a
// matrix of each frame.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/cpu/simd/simd.h"
#include "kernels/spec/parse.h"
#include "tests/kernels/support/time_video.h"

namespace vidconv::test {
namespace {

class ConvVolume : public testing::Test {
 protected:
  void TearDown() override { force_simd(0); }
};

const char* const volumes[] = {
    "volume:1 2 1;2 4 2;1 2 1|2 4 2;4 8 4;2 4 2|1 2 1;2 4 2;1 2 1:scale=auto",  // a product
    "volume:0 1 0;1 -6 1;0 1 0|0 0 0;0 2 0;0 0 0:bias=0.5",
    "volume:1 2 3 4;5 6 7 8|8 7 6 5;4 3 2 1|1 1 1 1;2 2 2 2:scale=auto:border=shrink",
    "volume:-1 0 1|-2 0 2|-1 0 1:abs=1:anchor=0,0,2",
    "volume:1|2|1:scale=auto:threshold=0.2",
    "volume:1 1;1 1|1 1;1 1:scale=auto:threshold=0.1:border=zero",
    "volume:0.123 0.2;0.3 0.1|0.0777 0.1;0.05 0.05",
    "volume:3000 -2999;1 1999|-2000 1;0 1:scale=1/37",
    "volume:1 2 1;2 4 2:scale=auto"};

TEST_F(ConvVolume, GivesTheBytesOfTheDefinition) {
  std::mt19937 random(20260102);
  constexpr int frames = 6;
  for (const char* spec : volumes)
    for (const SampleType& sample : time_samples)
      for (const BorderName& border : border_modes) {
        const Plan plan = make_plan(FilterSpec::parse(spec).make(), sample,
                                    {.mode = border.mode, .value = 0.3}, Role::colour);
        for (const SimdLevel level : engine_simd_levels()) {
          force_simd(level);
          if (!uses_simd(level)) continue;
          const int width = 1 + static_cast<int>(random() % 150);
          const int height = 1 + static_cast<int>(random() % 9);
          const int step = 1 + static_cast<int>(random() % 4);
          const Arrangement arrangement{.step = step,
                                        .component = static_cast<int>(random() % 8) % step,
                                        .bottom_up = random() % 2 == 0};
          const Video video(sample, width, height, arrangement, frames,
                            static_cast<unsigned>(random()));
          const auto ours = convolver_of("cpu-conv-volume", plan, 3);
          if (!ours) continue;  // a level that the variant has no code for
          const auto definition = convolver_of("reference", plan, 1);
          for (int here = 0; here < frames; ++here) {
            Picture made(sample, width, height, arrangement, 1), wanted(made);
            video.set(*ours, plan, here);
            video.set(*definition, plan, here);
            ours->run(std::vector<PlanePair>{{video.at(here).plane(), made.plane()}}, nullptr);
            definition->run(std::vector<PlanePair>{{video.at(here).plane(), wanted.plane()}},
                            nullptr);
            ASSERT_EQ(made.bytes(), wanted.bytes())
                << spec << ", depth " << sample.depth << ", " << width << "x" << height << ", step "
                << step << ", frame " << here << ", " << name_of(border.mode) << ", "
                << simd_name(level);
          }
        }
      }
}

// A plane of taps makes of its frame, without rounding, what a matrix does.
TEST_F(ConvVolume, IsTheSumOfAMatrixForEachFrame) {
  const SampleType sample;
  const Border border{.mode = BorderMode::reflect};
  const auto planned = [&](const char* spec) {
    return make_plan(FilterSpec::parse(spec).make(), sample, border, Role::colour);
  };
  const Plan volume = planned("volume:1 0 2;0 3 0|0 1 0;1 0 1:scale=1/64");
  const char* const matrices[] = {"matrix:1 0 2;0 3 0:scale=1/6", "matrix:0 1 0;1 0 1:scale=1/3"};
  const Video video(sample, 19, 7, {}, 2, 5);
  const auto definition = convolver_of("reference", volume, 1);
  Picture made(sample, 19, 7, {}, 1);
  video.set(*definition, volume, 1);
  definition->run(std::vector<PlanePair>{{video.at(1).plane(), made.plane()}}, nullptr);
  for (int y = 0; y < 7; ++y)
    for (int x = 0; x < 19; ++x) {
      double sum = 0;
      for (int k = 0; k < 2; ++k) {
        const Kernel kernel = FilterSpec::parse(matrices[k]).make().kernels[0];
        for (int j = 0; j < kernel.height(); ++j)
          for (int i = 0; i < kernel.width(); ++i)
            sum += kernel.at(i, j) * (k == 0 ? 6 : 3) *
                   video.at(k).get(border_index(border.mode, x + i - kernel.anchor_x(), 19),
                                   border_index(border.mode, y + j - kernel.anchor_y(), 7));
      }
      EXPECT_EQ(made.get(x, y), std::min(255.0, std::floor(sum / 64 + 0.5))) << x << " " << y;
    }
}

TEST_F(ConvVolume, PartsOfAPlaneHaveTheirOwnEdges) {
  const SampleType sample;
  const Plan plan = make_plan(FilterSpec::parse(volumes[1]).make(), sample,
                              {.mode = BorderMode::replicate}, Role::colour);
  const Video video(sample, 40, 12, {}, 3, 7), part(sample, 40, 12, {}, 3, 7);
  const auto ours = convolver_of("cpu-conv-volume", plan, 2);
  Picture whole(sample, 40, 12, {}, 1);
  video.set(*ours, plan, 1);
  ours->run(std::vector<PlanePair>{{video.at(1).plane(), whole.plane()}}, nullptr);
  Picture inside(whole);
  ConstBytePlane from = video.at(1).plane();
  BytePlane to = inside.plane();
  from.data += 3 * from.stride + 9, to.data += 3 * to.stride + 9;
  from.width = to.width = 20, from.height = to.height = 6;
  ours->run(std::vector<PlanePair>{{from, to}}, nullptr);
  for (int y = 4; y < 8; ++y)
    for (int x = 10; x < 28; ++x) EXPECT_EQ(inside.get(x, y), whole.get(x, y)) << x << " " << y;
}

}  // namespace
}  // namespace vidconv::test
