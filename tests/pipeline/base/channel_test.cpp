#include "pipeline/base/channel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace vidconv {
namespace {

TEST(Channel, KeepsOrder) {
  Channel<int> channel(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(channel.push(i));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(channel.pop(), i);
}

TEST(Channel, ClosedGivesWhatWaitsAndThenNothing) {
  Channel<int> channel(2);
  channel.push(1);
  channel.close();
  EXPECT_FALSE(channel.push(2));
  EXPECT_EQ(channel.pop(), 1);
  EXPECT_EQ(channel.pop(), std::nullopt);
}

TEST(Channel, CancelledDropsWhatWaits) {
  Channel<std::shared_ptr<int>> channel(2);
  const auto item = std::make_shared<int>(1);
  channel.push(item);
  EXPECT_EQ(item.use_count(), 2);
  channel.cancel();
  EXPECT_EQ(item.use_count(), 1);
  EXPECT_EQ(channel.pop(), std::nullopt);
  EXPECT_FALSE(channel.push(item));
}

TEST(Channel, BlockedWriterGoesOnWhenThereIsRoom) {
  Channel<int> channel(1);
  channel.push(0);
  std::jthread writer([&] { EXPECT_TRUE(channel.push(1)); });
  EXPECT_EQ(channel.pop(), 0);
  EXPECT_EQ(channel.pop(), 1);
}

TEST(Channel, CancelWakesWritersAndReaders) {
  Channel<int> full(1), empty(1);
  full.push(0);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_FALSE(full.push(1)); });
    threads.emplace_back([&] { EXPECT_EQ(empty.pop(), std::nullopt); });
  }
  full.cancel();
  empty.cancel();
}

TEST(Channel, ManyWritersAndReadersLoseNothing) {
  constexpr int writers = 4, each = 5000;
  Channel<int> channel(3);
  std::atomic<std::int64_t> sum = 0, count = 0;
  std::vector<std::jthread> readers;
  for (int r = 0; r < 3; ++r)
    readers.emplace_back([&] {
      while (const auto item = channel.pop()) {
        sum += *item;
        ++count;
      }
    });
  {
    std::vector<std::jthread> threads;
    for (int w = 0; w < writers; ++w)
      threads.emplace_back([&] {
        for (int i = 0; i < each; ++i) EXPECT_TRUE(channel.push(i));
      });
  }
  channel.close();
  readers.clear();
  EXPECT_EQ(count, writers * each);
  EXPECT_EQ(sum, std::int64_t{writers} * each * (each - 1) / 2);
}

TEST(Channel, CancelInTheMiddleEndsEverybody) {
  for (int round = 0; round < 200; ++round) {
    Channel<int> channel(2);
    std::jthread writer([&] {
      while (channel.push(1)) {
      }
    });
    std::jthread reader([&] {
      while (channel.pop()) {
      }
    });
    for (int i = 0; i < round % 7; ++i) channel.pop();
    channel.cancel();
  }
}

}  // namespace
}  // namespace vidconv
