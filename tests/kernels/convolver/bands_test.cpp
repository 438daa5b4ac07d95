// The bands into which threads cut planes.
#include "kernels/convolver/bands.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace vidconv::test {
namespace {

template <class Check>
void for_cuts(const Check& check) {
  for (int threads = 1; threads <= 40; ++threads)
    for (const int unit : {1, 2, 4, 8, 128})
      for (const int least : {0, 2, 14, 28, 200}) {
        for (int height = 1; height <= 40; ++height) check(threads, height, least, unit);
        for (const int height : {256, 540, 1080, 1620, 2160, 4320, 1'000'003})
          check(threads, height, least, unit);
      }
}

TEST(Bands, CoverAllRowsOnceWhateverTheyWereCutFor) {
  for_cuts([](int threads, int height, int least, int unit) {
    const Cut cut = cut_for(threads, height, least, unit);
    // Some planes of a picture are lower than the one that the cut was made for, and regions begin
    // anywhere.
    for (const int rows : {height, (height + 1) / 2, 1, 0}) {
      ASSERT_EQ(cut.edge(rows, 0), 0);
      ASSERT_EQ(cut.edge(rows, cut.bands()), rows);
      for (int band = 0; band < cut.bands(); ++band)
        ASSERT_LE(cut.edge(rows, band), cut.edge(rows, band + 1))
            << threads << ' ' << rows << ' ' << least << ' ' << unit << ' ' << band;
    }
  });
}

// Otherwise some threads would wait while others compute one band more: 9 bands take 8 threads two
// rounds.
TEST(Bands, AreAsManyForEachThread) {
  for_cuts([](int threads, int height, int least, int unit) {
    const Cut cut = cut_for(threads, height, least, unit);
    ASSERT_EQ(cut.threads, threads);
    ASSERT_GE(cut.rounds, 1);
    ASSERT_LE(cut.rounds, threads == 1 ? 1 : 3);
  });
}

TEST(Bands, OfFurtherRoundsHaveTheRowsTheyNeed) {
  for_cuts([](int threads, int height, int least, int unit) {
    const Cut cut = cut_for(threads, height, least, unit);
    if (cut.rounds == 1) return;
    const int inexact = unit;  // edges go to the nearest multiple
    for (int band = 0; band < cut.bands(); ++band)
      ASSERT_GE(cut.edge(height, band + 1) - cut.edge(height, band),
                std::max(1, std::max(least, unit) - inexact));
  });
}

TEST(Bands, BecomeSmallerByHalves) {
  const Cut cut = cut_for(4, 1600, 2, 4);
  EXPECT_EQ(cut.bands(), 12);
  std::vector<int> rows;
  for (int band = 0; band < cut.bands(); ++band)
    rows.push_back(cut.edge(1600, band + 1) - cut.edge(1600, band));
  EXPECT_EQ(rows, std::vector({200, 200, 200, 200, 100, 100, 100, 100, 100, 100, 100, 100}));
}

TEST(Bands, BeginWhereRowsThatAreComputedTogetherDo) {
  const Cut cut = cut_for(16, 1080, 14, 4);
  EXPECT_EQ(cut.rounds, 3);
  for (int band = 0; band < cut.bands(); ++band) EXPECT_EQ(cut.edge(1080, band) % 4, 0) << band;
}

TEST(Bands, OfPartsAndLowerPlanesAreEachRowOnce) {
  ThreadPool pool(5);
  const auto plane = [](int height) {
    PlanePair pair;
    pair.dst.width = 1;
    pair.dst.height = height;
    return pair;
  };
  const std::vector<PlanePair> pairs{plane(1080), plane(540), plane(7)};
  const auto each = [](std::span<const PlanePair>) { return std::size_t{1}; };
  for (const RowRange range :
       {all_rows, RowRange{3, 901}, RowRange{600, 601}, RowRange{2000, 3000}}) {
    std::vector<std::vector<std::atomic<int>>> times;
    for (const PlanePair& pair : pairs)
      times.emplace_back(static_cast<std::size_t>(pair.dst.height));
    for_bands(pool, pairs, range, cut_for(5, 1080, 2, 4), each, [&](const Band& band, int) {
      EXPECT_LT(band.first, band.last);
      const auto index = static_cast<std::size_t>(band.pairs.data() - pairs.data());
      for (int y = band.first; y < band.last; ++y) ++times[index][static_cast<std::size_t>(y)];
    });
    for (const auto& plane_times : times)
      for (int y = 0; y < std::ssize(plane_times); ++y)
        ASSERT_EQ(plane_times[static_cast<std::size_t>(y)], y >= range.first && y < range.last)
            << y;
  }
}

}  // namespace
}  // namespace vidconv::test
