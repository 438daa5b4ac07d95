#include "pipeline/run/live_line.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <thread>

namespace vidconv {
namespace {

// Shows the time that a test sets, in seconds.
class FakeClock {
 public:
  void set(double seconds) { *now_ = seconds; }
  double now() const { return *now_; }
  LiveLine<int>::Now reader() const {
    return [now = now_] {
      return Clock::time_point(
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*now)));
    };
  }

 private:
  std::shared_ptr<double> now_ = std::make_shared<double>(0);
};

constexpr LatencyLimits limits{.seconds = 0.1, .waiting = 4, .in_flight = 2};

TEST(LiveLine, WhatIsInTimePassesInOrder) {
  FakeClock clock;
  LiveLine<int> line(limits, clock.reader());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(line.push(i));
  clock.set(0.09);
  EXPECT_EQ(line.pop(), 0);
  EXPECT_EQ(line.pop(), 1);
  clock.set(0.1);
  line.finished();
  EXPECT_EQ(line.log().dropped, 0);
  EXPECT_EQ(line.log().late(), 0);
  EXPECT_EQ(line.log().most_waiting, 3);
  EXPECT_EQ(line.log().most_in_flight, 2);
}

TEST(LiveLine, FramesHaveWaitedForThoseAroundThem) {
  FakeClock clock;
  clock.set(1);
  LatencyLimits with_window = limits;
  with_window.window = 0.06;
  LiveLine<int> line(with_window, clock.reader());
  line.push(1);
  line.push(2);
  clock.set(1.05);
  EXPECT_EQ(line.pop(), 2);  // the other one came 110 ms ago
  line.finished();
  EXPECT_NEAR(line.log().worst(), 0.11, 1e-9);
}

TEST(LiveLine, WhatWouldBeLateIsDroppedButForTheNewest) {
  FakeClock clock;
  LiveLine<int> line(limits, clock.reader());
  for (int i = 0; i < 3; ++i) line.push(i);
  clock.set(1);
  EXPECT_EQ(line.pop(), 2);
  clock.set(1.01);
  line.finished();
  EXPECT_EQ(line.log().dropped, 2);
  EXPECT_EQ(line.log().frames(), 1);
  EXPECT_EQ(line.log().late(), 1);
  EXPECT_NEAR(line.log().worst(), 1.01, 1e-9);
}

// The time that a frame takes from here on counts too.
TEST(LiveLine, TheWayToTheOutputIsForeseen) {
  FakeClock clock;
  LiveLine<int> line(limits, clock.reader());
  line.push(0);
  line.pop();
  clock.set(0.08);
  line.push(1);
  line.finished();  // 80 ms
  clock.set(0.11);
  line.push(2);
  EXPECT_EQ(line.pop(), 2);  // the one before is 30 ms old
  EXPECT_EQ(line.log().dropped, 1);
}

TEST(LiveLine, WhoeverDecodesNeverWaits) {
  FakeClock clock;
  LiveLine<int> line(limits, clock.reader());
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(line.push(i));
  EXPECT_EQ(line.log().dropped, 996);
  EXPECT_EQ(line.log().most_waiting, 4);
  EXPECT_EQ(line.pop(), 996);
}

TEST(LiveLine, NoMoreAreInFlightThanAllowed) {
  LiveLine<int> line(limits);
  for (int i = 0; i < 3; ++i) line.push(i);
  line.pop();
  line.pop();
  std::jthread waits([&] { EXPECT_TRUE(line.pop().has_value()); });
  line.finished();
  waits.join();
  EXPECT_EQ(line.log().most_in_flight, 2);
}

TEST(LiveLine, EndsForBothSides) {
  LiveLine<int> closed(limits);
  closed.push(7);
  closed.close();
  EXPECT_FALSE(closed.push(8));
  EXPECT_EQ(closed.pop(), 7);
  EXPECT_EQ(closed.pop(), std::nullopt);
  LiveLine<int> cancelled(limits);
  std::jthread waits([&] { EXPECT_EQ(cancelled.pop(), std::nullopt); });
  cancelled.cancel();
  waits.join();
  EXPECT_FALSE(cancelled.push(1));
}

// Simulates a source and a filter that take their time by a clock.
struct Simulated {
  LatencyLog log;
  double mean_of_first = 0, mean_of_last = 0;  // latency of a tenth of the frames, seconds
};

// `between`: seconds from a frame to the next; `work`: seconds that each takes from the line to the
// output, one after the other.
Simulated simulate(const LatencyLimits& with, std::int64_t frames, double between, double work) {
  FakeClock clock;
  LiveLine<int> line(with, clock.reader());
  Simulated result;
  std::int64_t next = 0, done = 0;
  const auto come = [&](double until) {
    for (; next < frames && static_cast<double>(next) * between <= until; ++next) {
      clock.set(static_cast<double>(next) * between);
      line.push(static_cast<int>(next));
    }
    clock.set(until);
  };
  double free_at = 0;
  while (next < frames) {
    come(std::max(free_at, static_cast<double>(next) * between));
    while (true) {
      const std::int64_t before = line.log().frames() + line.log().dropped;
      if (before == next) break;
      const int number = *line.pop();
      come(free_at = clock.now() + work);
      line.finished();
      ++done;
      const double latency = clock.now() - number * between;
      if (number < frames / 10)
        result.mean_of_first += latency / (static_cast<double>(frames) / 10);
      if (number >= frames - frames / 10)
        result.mean_of_last += latency / (static_cast<double>(frames) / 10);
    }
  }
  result.log = line.log();
  EXPECT_EQ(result.log.frames(), done);
  EXPECT_EQ(result.log.frames() + result.log.dropped, frames);
  return result;
}

// An hour of 25 frames a second, by a source whose clock is exact, fast or slow.
TEST(LiveLine, AnHourWithoutDrift) {
  constexpr std::int64_t hour = 90'000;
  for (const double parts_per_million : {0., 200., -200.}) {
    SCOPED_TRACE(parts_per_million);
    const double between = 0.04 * (1 + 1e-6 * parts_per_million);
    const Simulated run = simulate(limits, hour, between, 0.015);
    EXPECT_EQ(run.log.frames(), hour);
    EXPECT_EQ(run.log.dropped, 0);
    EXPECT_EQ(run.log.late(), 0);
    EXPECT_EQ(run.log.most_waiting, 1);
    EXPECT_NEAR(run.mean_of_first, 0.015, 1e-6);
    EXPECT_NEAR(run.mean_of_last, run.mean_of_first, 1e-6);
    EXPECT_NEAR(run.log.worst(), 0.015, 1e-6);
    EXPECT_NEAR(run.log.median(), 0.015, 0.001);
  }
}

// An hour with too little time: every fifth frame is dropped, and the others are in time.
TEST(LiveLine, AnHourOfTooMuchWork) {
  const Simulated run = simulate(limits, 90'000, 0.04, 0.05);
  EXPECT_NEAR(static_cast<double>(run.log.frames()), 90'000 * 0.04 / 0.05, 5);
  EXPECT_LE(run.log.late(), 3);  // before the time for a frame is known
  EXPECT_LE(run.log.worst(), 0.15);
  EXPECT_LE(run.log.median(), 0.1 + 0.01);
  EXPECT_NEAR(run.mean_of_last, run.mean_of_first, 0.01);
  EXPECT_LE(run.log.most_waiting, 4);
}

// Work takes longer than the limit: each frame that comes out is late, is said to be, and is the
// newest.
TEST(LiveLine, WorkBeyondTheLimit) {
  const Simulated run = simulate(limits, 1000, 0.04, 0.5);
  EXPECT_EQ(run.log.late(), run.log.frames());
  EXPECT_LE(run.log.worst(), 0.5 + 0.04 + 1e-6);
}

TEST(LatencyLimits, AreWhatComesInThatTime) {
  VideoInfo video;
  video.width = 1920;
  video.height = 1080;
  video.frame_rate = {25, 1};
  EXPECT_EQ(latency_limits(0.1, video).in_flight, 2U);
  EXPECT_EQ(latency_limits(0.1, video).waiting, 3U);
  EXPECT_EQ(latency_limits(0.001, video).in_flight, 1U);
  EXPECT_EQ(latency_limits(0.001, video).waiting, 2U);
  EXPECT_EQ(latency_limits(60, video).in_flight, 8U);
  EXPECT_LE(latency_limits(60, video).waiting, 33U);  // half a GiB at most
  video.width = 16384;
  video.height = 16384;
  EXPECT_EQ(latency_limits(60, video).waiting, 2U);
}

TEST(LatencyLog, MedianIsWithinASixteenth) {
  LatencyLog log(0.5);
  EXPECT_EQ(log.median(), 0);
  for (int i = 1; i <= 999; ++i) log.add(1e-3 * i);
  EXPECT_NEAR(log.median(), 0.5, 0.5 / 16);
  EXPECT_EQ(log.late(), 499);
  EXPECT_DOUBLE_EQ(log.worst(), 0.999);
  log.add(1e12);  // beyond its steps
  log.add(0);
  EXPECT_EQ(log.frames(), 1001);
}

}  // namespace
}  // namespace vidconv
