// Where blocks lie, in planes and in the windows of planes.
#include "kernels/picture/blocks.h"

#include <gtest/gtest.h>

#include <vector>

namespace vidconv {
namespace {

// The block of each sample, by the definition: that of the first luma sample it stands for.
std::vector<int> numbers(const BlockAxis& axis, int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const int from_first = axis.from_end ? count - 1 - i : i;
    all[static_cast<std::size_t>(i)] = from_first * axis.per_sample / axis.size;
  }
  return all;
}

TEST(Blocks, HoldEachSampleOnce) {
  for (int size : {1, 2, 3, 5, 8, 16, 4096})
    for (int per_sample : {1, 2, 4})
      for (bool from_end : {false, true})
        for (int count : {1, 2, 3, 7, 16, 33}) {
          const BlockAxis axis{.size = size, .per_sample = per_sample, .from_end = from_end};
          const std::vector<int> wanted = numbers(axis, count);
          std::vector<int> found(static_cast<std::size_t>(count), -1);
          for (int block = 0; block < axis.blocks(count); ++block)
            for (int i = axis.begin(block, count); i < axis.end(block, count); ++i) {
              EXPECT_EQ(found[static_cast<std::size_t>(i)], -1);
              found[static_cast<std::size_t>(i)] = block;
            }
          EXPECT_EQ(found, wanted) << size << " by " << per_sample << " of " << count;
        }
}

TEST(Blocks, AreTheSameInTheirWindows) {
  for (int size : {2, 3, 5, 8})
    for (int per_sample : {1, 2, 4})
      for (bool from_end : {false, true})
        for (int count : {1, 7, 16, 33})
          for (int from = 0; from < count; ++from)
            for (int to = from + 1; to <= count; ++to) {
              const BlockAxis axis{.size = size, .per_sample = per_sample, .from_end = from_end};
              int left = from, right = to;
              axis.widen(left, right, count);
              ASSERT_TRUE(0 <= left && left <= from && to <= right && right <= count);
              // Blocks that have a sample in the part are whole there and of the same samples.
              const std::vector<int> all = numbers(axis, count);
              const std::vector<int> here = numbers(axis, right - left);
              for (int i = from; i < to; ++i)
                for (int j = 0; j < count; ++j) {
                  const bool together = all[std::size_t(i)] == all[std::size_t(j)];
                  const bool inside = j >= left && j < right;
                  ASSERT_TRUE(inside || !together);
                  if (!inside) continue;
                  ASSERT_EQ(here[std::size_t(i - left)] == here[std::size_t(j - left)], together);
                }
            }
}

TEST(Blocks, MeansAreRoundedToTheNearestTiesUpward) {
  EXPECT_EQ(mean_code(1, 2), 1);
  EXPECT_EQ(mean_code(1, 3), 0);
  EXPECT_EQ(mean_code(2, 3), 1);
  EXPECT_EQ(mean_code(std::uint64_t{65535} * 4096 * 4096, std::uint64_t{4096} * 4096), 65535);
  EXPECT_EQ(mean_float(0.75, 3), 0.25F);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(mean_float(-std::bit_cast<double>(~std::uint64_t{0}), 2)),
            0x7fc0'0000U);
}

}  // namespace
}  // namespace vidconv
