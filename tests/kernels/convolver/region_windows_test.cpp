// Windows of many regions at once: whatever is joined and however they follow each other, each
// region has what it reads.
#include "kernels/convolver/region_windows.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "kernels/picture/rects.h"

namespace vidconv {
namespace {

constexpr Reach some_reach{.left = 2, .right = 3, .above = 0, .below = 4};

std::int64_t samples_of_windows(const RegionWindows& windows) {
  std::int64_t sum = 0;
  for (const Rect& window : windows.windows()) sum += area(window);
  return sum;
}

// Each region comes once, in a round of which one window holds all that it reads; no two windows of
// a round have a sample in common.
void expect_right(const RegionWindows& windows, const std::vector<Rect>& parts, BorderMode border,
                  int width, int height) {
  std::set<std::size_t> seen;
  RegionWindows::Round done{0, 0};
  for (const RegionWindows::Round& round : windows.rounds()) {
    ASSERT_LT(done.windows, round.windows);
    for (std::size_t w = done.windows; w < round.windows; ++w) {
      const Rect& window = windows.windows()[w];
      ASSERT_EQ(cut(window, width, height), window);
      for (std::size_t other = done.windows; other < w; ++other)
        ASSERT_FALSE(overlap(window, windows.windows()[other]));
    }
    for (std::size_t i = done.parts; i < round.parts; ++i) {
      const std::size_t part = windows.parts()[i];
      ASSERT_TRUE(seen.insert(part).second);
      const Rect needed = window_around(parts[part], some_reach, border, width, height);
      bool held = false;
      for (std::size_t w = done.windows; w < round.windows; ++w)
        held |= around(windows.windows()[w], needed) == windows.windows()[w];
      ASSERT_TRUE(held);
    }
    done = round;
  }
  EXPECT_EQ(done.windows, windows.windows().size());
  EXPECT_EQ(seen.size(), parts.size());
}

TEST(RegionWindows, HoldWhatEachPartReads) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  RegionWindows windows;  // used again and again
  for (int turn = 0; turn < 400; ++turn) {
    const int width = 1 + below(200), height = 1 + below(60);
    std::vector<Rect> rects;
    for (int n = below(7); n-- > 0;)
      rects.push_back(
          cut({below(width), below(height), 1 + below(60), 1 + below(20)}, width, height));
    const std::vector<Rect> parts = disjoint(rects);
    for (const BorderMode border : {BorderMode::reflect101, BorderMode::wrap})
      for (const int worth : {0, 300, 1 << 17})
        for (const bool whole : {false, true})
          for (const bool together : {false, true}) {
            windows.set(parts, some_reach, border, width, height,
                        {.whole = whole, .together = together, .worth = worth});
            expect_right(windows, parts, border, width, height);
            if (testing::Test::HasFatalFailure()) return;
            if (whole && !parts.empty()) {
              EXPECT_EQ(windows.rounds().size(), 1u);
            }
          }
  }
}

// Filtering a frame around the picture, or two of its corners, does not cost the whole picture.
TEST(RegionWindows, CostWhatTheirPartsCost) {
  const WindowRule rule{.whole = false, .together = true};
  const Rect hole[] = {{200, 200, 3440, 1760}};
  const std::vector<Rect> frame = outside(hole, 3840, 2160);
  RegionWindows windows;
  windows.set(frame, some_reach, BorderMode::reflect101, 3840, 2160, rule);
  expect_right(windows, frame, BorderMode::reflect101, 3840, 2160);
  EXPECT_EQ(windows.rounds().size(), 2u);
  EXPECT_LT(samples_of_windows(windows), 3840 * 2160 * 3 / 10);

  const std::vector<Rect> corners{{0, 0, 100, 100}, {90, 110, 100, 100}, {3700, 2000, 100, 100}};
  windows.set(corners, some_reach, BorderMode::reflect101, 3840, 2160, rule);
  expect_right(windows, corners, BorderMode::reflect101, 3840, 2160);
  EXPECT_EQ(windows.windows().size(), 2u);  // the two that are near are one
  EXPECT_EQ(windows.rounds().size(), 1u);
}

TEST(RegionWindows, BeginWhereDevicesReadVectors) {
  const std::vector<Rect> part{{77, 5, 40, 9}};
  RegionWindows windows;
  windows.set(part, some_reach, BorderMode::replicate, 1000, 100, {.together = true});
  EXPECT_EQ(windows.windows(), (std::vector<Rect>{{64, 1, 64, 17}}));
  windows.set(part, some_reach, BorderMode::replicate, 119, 100, {.together = true});
  EXPECT_EQ(windows.windows(), (std::vector<Rect>{{64, 1, 55, 17}}));
  windows.set(part, some_reach, BorderMode::replicate, 1000, 100, {});
  EXPECT_EQ(windows.windows(), (std::vector<Rect>{{74, 1, 46, 17}}));
}

}  // namespace
}  // namespace vidconv
