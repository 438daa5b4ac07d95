// Into how many bands threads cut a plane.
#include "kernels/convolver/bands.h"

#include <gtest/gtest.h>

namespace vidconv::test {
namespace {

// Else some threads wait while others compute one band more: 9 bands take 8 threads two rounds.
TEST(Bands, AreAsManyForEachThread) {
  for (int threads = 2; threads <= 40; ++threads)
    for (const int height : {1, 40, 256, 540, 1080, 1620, 2160, 4320})
      for (int overlap = 0; overlap <= 100; ++overlap) {
        const int bands = band_count(threads, height, overlap);
        ASSERT_EQ(bands % threads, 0) << threads << ' ' << height << ' ' << overlap;
        ASSERT_GE(bands, threads);
        ASSERT_LE(bands, 4 * threads);
      }
}

TEST(Bands, AreOneForOneThread) { EXPECT_EQ(band_count(1, 2160, 2), 1); }

}  // namespace
}  // namespace vidconv::test
