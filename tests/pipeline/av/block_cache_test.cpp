#include "pipeline/av/block_cache.h"

#include <gtest/gtest.h>

#include <array>

namespace vidconv::test {
namespace {

TEST(BlockCache, AreGivenToWhoeverWantsTheSame) {
  std::array<std::byte, 3> memory{};
  BlockCache kept;
  kept.put({.memory = &memory[0], .bytes = 10, .nodes = 0});
  kept.put({.memory = &memory[1], .bytes = 20, .nodes = 2});
  kept.put({.memory = &memory[2], .bytes = 10, .nodes = 0});
  EXPECT_EQ(kept.take(10, 2), nullptr);
  EXPECT_EQ(kept.take(30, 0), nullptr);
  EXPECT_EQ(kept.take(20, 2), &memory[1]);
  EXPECT_EQ(kept.take(20, 2), nullptr);
  EXPECT_EQ(kept.take(10, 0), &memory[0]);
  EXPECT_EQ(kept.take(10, 0), &memory[2]);
  EXPECT_EQ(kept.take(10, 0), nullptr);
}

TEST(BlockCache, OldOnesMakeRoom) {
  std::array<std::byte, 4> memory{};
  BlockCache kept;
  for (std::byte& block : memory) kept.put({.memory = &block, .bytes = 10, .nodes = 0});
  const auto oldest = kept.take_oldest(11);
  ASSERT_EQ(oldest.size(), 2U);
  EXPECT_EQ(oldest.front().memory, &memory[0]);
  EXPECT_EQ(oldest.back().memory, &memory[1]);
  EXPECT_TRUE(kept.take_oldest(0).empty());
  EXPECT_EQ(kept.take_oldest(100).size(), 2U);
  EXPECT_TRUE(kept.take_oldest(100).empty());
}

}  // namespace
}  // namespace vidconv::test
