// Tests frames that say a time far ahead of all others, and frames before the first that says one.
#include "pipeline/demux/frame_lookahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace vidconv {
namespace {

constexpr std::int64_t nowhere = AV_NOPTS_VALUE;
using TimeList = std::vector<std::int64_t>;

class Ahead : public testing::Test {
 protected:
  // Returns the times that come of these, of frames of 40 each; sets `most_` to how many waited at
  // once.
  TimeList taken(const TimeList& times, FrameLookahead::Options options = {}) {
    options.notify = [this](MessageKind kind, const std::string& line) {
      EXPECT_EQ(kind, MessageKind::times_moved);
      said_.push_back(line);
    };
    FrameLookahead ahead(options);
    TimeList result;
    const auto take = [&] {
      while (const std::optional<TimedFrame> next = ahead.take()) result.push_back(next->shown.pts);
    };
    for (const std::int64_t time : times) {
      ahead.add(make_frame(), {time, 40});
      take();
      most_ = std::max(most_, ahead.waiting());
    }
    ahead.end();
    take();
    EXPECT_EQ(ahead.waiting(), 0U);
    return result;
  }

  std::vector<std::string> said_;
  std::size_t most_ = 0;
};

TEST_F(Ahead, TimesThatGrowStay) {
  for (const TimeList& times :
       {TimeList{0}, TimeList{0, 40, 80, 120}, TimeList{7, 40, 2000, 2040, 900'000, 900'040},
        TimeList{0, 40, 10'000'000}, TimeList{-80, 0, 10'000'000, 20'000'000, 20'000'040}})
    EXPECT_EQ(taken(times), times);
  EXPECT_TRUE(said_.empty());
  EXPECT_LE(most_, 5U);
}

TEST_F(Ahead, OneThatIsAheadComesBack) {
  EXPECT_EQ(taken({0, 40, 8'000'080, 120, 160, 200, 240, 280}),
            (TimeList{0, 40, 80, 120, 160, 200, 240, 280}));
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find("frame 2 "), std::string::npos) << said_[0];
}

TEST_F(Ahead, AsTheFirstAndTheLastButOne) {
  EXPECT_EQ(taken({8'000'000, 40, 80, 120, 160}), (TimeList{0, 40, 80, 120, 160}));
  EXPECT_EQ(taken({0, 40, 8'000'000, 120}), (TimeList{0, 40, 80, 120}));
}

TEST_F(Ahead, AlsoTwoOfThem) {
  EXPECT_EQ(taken({0, 40, 8'000'000, 8'000'040, 160, 200, 240, 280}),
            (TimeList{0, 40, 80, 120, 160, 200, 240, 280}));
  EXPECT_EQ(said_.size(), 1U);
}

TEST_F(Ahead, TwoOfAFewSecondsAndTheFirstTwo) {
  EXPECT_EQ(taken({0, 40, 3'080, 3'120, 160, 200, 240, 280}),
            (TimeList{0, 40, 80, 120, 160, 200, 240, 280}));
  EXPECT_EQ(taken({8'000'000, 8'000'040, 80, 120, 160, 200}), (TimeList{0, 40, 80, 120, 160, 200}));
}

// A clock that begins anew is no frame that is wrong.
TEST_F(Ahead, AClockThatGoesBackStays) {
  const TimeList times{1000, 1040, 0, 40, 80, 120, 160, 200};
  EXPECT_EQ(taken(times), times);
  EXPECT_TRUE(said_.empty());
}

TEST_F(Ahead, UnknownTimesAreCountedBack) {
  EXPECT_EQ(taken({nowhere, nowhere, 500, 540, nowhere, 620}),
            (TimeList{420, 460, 500, 540, 580, 620}));
  EXPECT_TRUE(said_.empty());
}

TEST_F(Ahead, WhatSaysNothingBeginsAtTheOrigin) {
  EXPECT_EQ(taken({nowhere, nowhere}, {.origin = 100}), (TimeList{100, 140}));
  const TimeList many(100, nowhere);
  EXPECT_EQ(taken(many).back(), 99 * 40);
  EXPECT_EQ(most_, 31U);
}

TEST_F(Ahead, NothingWaitsThatMayNot) {
  const TimeList times{0, 40, 8'000'080, 120, 160};
  EXPECT_EQ(taken(times, {.patient = false}), times);
  EXPECT_EQ(taken({nowhere, nowhere, nowhere}, {.has_times = false}), (TimeList{0, 40, 80}));
  EXPECT_EQ(most_, 0U);
}

}  // namespace
}  // namespace vidconv
