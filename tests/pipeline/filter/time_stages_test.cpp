// Scenes of filters over time, where frames stand for others behind the last one or before the
// first: those beyond a cut do not count either.
#include "pipeline/filter/time_stages.h"

#include <gtest/gtest.h>

#include <vector>

namespace vidconv {
namespace {

// Returns the frames under the taps on `first` to `last`, where a scene ends before frame `cut`.
std::vector<std::int64_t> frames_seen(std::int64_t here, std::int64_t first, std::int64_t last,
                                      TimeBorder border, std::int64_t count, std::int64_t cut) {
  const Scene scene = Scene::around(here, first, last, border, count,
                                    [&](std::int64_t number) { return number == cut; });
  std::vector<std::int64_t> frames;
  for (std::int64_t number = first; number <= last; ++number)
    frames.push_back(scene.standing_for(number, border, count));
  return frames;
}
using Seen = std::vector<std::int64_t>;

TEST(TimeScenes, ReflectedFramesAreNotFromBeyondACut) {
  // No tap lies on a frame before the cut, but frames behind the end are reflected there.
  EXPECT_EQ(frames_seen(9, 9, 12, TimeBorder::reflect101, 10, 8), (Seen{9, 8, 8, 8}));
  EXPECT_EQ(frames_seen(9, 9, 12, TimeBorder::reflect101, 10, 9), (Seen{9, 9, 9, 9}));
  EXPECT_EQ(frames_seen(9, 9, 12, TimeBorder::reflect, 10, 8), (Seen{9, 9, 8, 8}));
  EXPECT_EQ(frames_seen(0, -3, 0, TimeBorder::reflect101, 10, 2), (Seen{1, 1, 1, 0}));
  EXPECT_EQ(frames_seen(0, -3, 0, TimeBorder::reflect, 10, 2), (Seen{1, 1, 0, 0}));
}

TEST(TimeScenes, EndAtTheNearestCut) {
  EXPECT_EQ(frames_seen(5, 3, 7, TimeBorder::replicate, 10, 5), (Seen{5, 5, 5, 6, 7}));
  EXPECT_EQ(frames_seen(5, 3, 7, TimeBorder::replicate, 10, 7), (Seen{3, 4, 5, 6, 6}));
  EXPECT_EQ(frames_seen(5, 3, 7, TimeBorder::replicate, 10, 8), (Seen{3, 4, 5, 6, 7}));
  EXPECT_EQ(frames_seen(1, -1, 3, TimeBorder::zero, 3, 9), (Seen{-1, 0, 1, 2, -1}));
}

}  // namespace
}  // namespace vidconv
