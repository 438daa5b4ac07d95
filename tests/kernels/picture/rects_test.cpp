// Sets of rectangles against sets of samples.
#include "kernels/picture/rects.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

namespace vidconv {
namespace {

using Samples = std::multiset<std::pair<int, int>>;

Samples samples_of(std::span<const Rect> rects) {
  Samples samples;
  for (const Rect& r : rects)
    for (int y = r.y; y < r.bottom(); ++y)
      for (int x = r.x; x < r.right(); ++x) samples.emplace(x, y);
  return samples;
}

Samples once(const Samples& samples) {
  const std::set<std::pair<int, int>> unique(samples.begin(), samples.end());
  return {unique.begin(), unique.end()};
}

TEST(Rects, DisjointOnesHoldTheSameSamplesOnce) {
  std::mt19937 random(5);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    std::vector<Rect> rects;
    for (int n = below(6); n-- > 0;) rects.push_back({below(15), below(11), below(6), below(6)});
    EXPECT_EQ(samples_of(disjoint(rects)), once(samples_of(rects)));

    Samples rest;
    for (int y = 0; y < 13; ++y)
      for (int x = 0; x < 17; ++x)
        if (!samples_of(rects).contains({x, y})) rest.emplace(x, y);
    EXPECT_EQ(samples_of(outside(rects, 17, 13)), rest);
  }
}

TEST(Rects, AreNotCutMoreThanNeeded) {
  const Rect two[] = {{0, 0, 4, 2}, {0, 2, 4, 5}};
  EXPECT_EQ(disjoint(two), (std::vector<Rect>{{0, 0, 4, 7}}));
  const Rect hole[] = {{2, 3, 4, 5}};
  EXPECT_EQ(outside(hole, 10, 10),
            (std::vector<Rect>{{0, 0, 10, 3}, {0, 3, 2, 5}, {6, 3, 4, 5}, {0, 8, 10, 2}}));
}

TEST(Rects, AreJoinedWhereThatIsWorthIt) {
  std::mt19937 random(6);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    std::vector<Rect> rects;
    for (int n = below(9); n-- > 0;)
      rects.push_back({below(60), below(50), 1 + below(6), 1 + below(6)});
    for (const int worth : {0, 20, 100000}) {
      std::vector<Rect> joined = rects;
      join(joined, worth, true);
      const Samples held = samples_of(joined);
      EXPECT_EQ(held, once(held));  // apart
      for (const auto& sample : samples_of(rects)) ASSERT_TRUE(held.contains(sample));
      if (worth == 100000) {
        EXPECT_EQ(joined.size(), rects.empty() ? 0u : 1u);
      }
      EXPECT_LE(joined.size(), rects.size());
    }
  }
  std::vector<Rect> cross{{0, 10, 100, 1}, {50, 0, 1, 100}};
  join(cross, 0, false);
  EXPECT_EQ(cross.size(), 2u);
}

TEST(Rects, FieldsAndSubsampling) {
  for (int y = 0; y < 6; ++y)
    for (int height = 0; height < 6; ++height) {
      int rows[2] = {0, 0};
      for (int row = y; row < y + height; ++row) ++rows[row % 2];
      for (const int field : {0, 1}) {
        const Rect r = in_field({1, y, 3, height}, field);
        EXPECT_EQ(r.height, rows[field]);
        if (r.height > 0) {
          EXPECT_EQ(2 * r.y + field, y + (y % 2 == field ? 0 : 1));
        }
      }
    }
  EXPECT_EQ(touched({3, 5, 2, 1}, 2, 2), (Rect{1, 2, 2, 1}));
  EXPECT_EQ(touched({4, 4, 2, 2}, 2, 2), (Rect{2, 2, 1, 1}));
  EXPECT_TRUE(touched({4, 4, 0, 2}, 2, 2).empty());
}

}  // namespace
}  // namespace vidconv
