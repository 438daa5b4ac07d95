// Each job is done once, and by the threads that the pool says.
#include "kernels/convolver/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "kernels/convolver/worth.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/picture.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

TEST(ThreadPool, DoesEachJobOnceHoweverManyThreadsItIsWorth) {
  ThreadPool pool(4);
  for (const int pause : {0, 50}) {  // microseconds: threads are awake still, or asleep
    for (int round = 0; round < 200; ++round) {
      const int jobs = round % 9, threads = 1 + round % 5;
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(jobs));
      pool.run(
          jobs,
          [&](int index, int thread) {
            EXPECT_GE(thread, 0);
            EXPECT_LT(thread, 4);
            ++done[static_cast<std::size_t>(index)];
          },
          threads);
      for (const auto& times : done) EXPECT_EQ(times, 1);
      std::this_thread::sleep_for(std::chrono::microseconds(pause));
    }
  }
}

// Threads without a core of their own come late, into a later call or to none at all.
TEST(ThreadPool, DoesEachJobOnceByManyThreadsOnFewCores) {
  ThreadPool pool(40);
  std::vector<std::atomic<int>> done(120);
  for (int round = 0; round < 400; ++round) {
    const int jobs = round % 121;
    pool.run(
        jobs, [&](int index, int) { ++done[static_cast<std::size_t>(index)]; }, 1 + round % 45);
    for (int index = 0; index < std::ssize(done); ++index)
      ASSERT_EQ(done[static_cast<std::size_t>(index)].exchange(0), index < jobs ? 1 : 0) << round;
    if (round % 20 == 0) std::this_thread::sleep_for(std::chrono::microseconds(10 * round));
  }
}

TEST(ThreadPool, WakesAsManyAsJobsNeed) {
  constexpr int threads = 9;
  ThreadPool pool(threads);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // they fall asleep
    std::latch all(threads);  // no job ends before each thread has one
    pool.run(threads, [&](int, int) { all.arrive_and_wait(); });
  }
}

TEST(ThreadPool, CallersTakeTurns) {
  ThreadPool pool(4);
  std::atomic<int> callers{0};
  const auto call_often = [&] {
    for (int round = 0; round < 200; ++round) {
      const int jobs = 2 + round % 7;
      std::atomic<int> begun{0}, ended{0}, sum{0};
      pool.run(jobs, [&](int index, int) {
        if (begun++ == 0) {
          EXPECT_EQ(callers++, 0);
        }
        sum += index;
        if (++ended == jobs) --callers;
      });
      EXPECT_EQ(sum, jobs * (jobs - 1) / 2);
    }
  };
  std::vector<std::thread> others(3);
  for (std::thread& other : others) other = std::thread(call_often);
  call_often();
  for (std::thread& other : others) other.join();
}

TEST(ThreadPool, EndsWhateverItsThreadsAreAbout) {
  for (int round = 0; round < 300; ++round) {
    std::atomic<int> done{0};
    {
      ThreadPool pool(1 + round % 6);
      if (round % 3 != 0) pool.run(round % 8, [&](int, int) { ++done; });
      // They start, look about, fall asleep or sleep.
      std::this_thread::sleep_for(std::chrono::microseconds(round % 60));
    }
    EXPECT_EQ(done, round % 3 != 0 ? round % 8 : 0);
  }
}

TEST(ThreadPool, OneThreadsWorthIsDoneByTheCaller) {
  ThreadPool pool(3);
  const std::thread::id caller = std::this_thread::get_id();
  for (int round = 0; round < 100; ++round) {
    int jobs = 0;
    pool.run(
        7,
        [&](int, int thread) {
          EXPECT_EQ(thread, 0);
          EXPECT_EQ(std::this_thread::get_id(), caller);
          ++jobs;
        },
        1);
    EXPECT_EQ(jobs, 7);
  }
}

// One pool serves all callers that want as many threads; those that need no other thread do not
// wait for each other. Each job here waits for the other caller's.
TEST(ThreadPool, CallersWhoNeedNoOtherThreadWorkSideBySide) {
  const std::shared_ptr<ThreadPool> one = shared_thread_pool(1), three = shared_thread_pool(3);
  for (const auto& pool : {one, three}) {
    std::latch both(2);
    const auto work = [&] {
      pool->run(
          1, [&](int, int) { both.arrive_and_wait(); }, 1);
    };
    std::thread other(work);
    work();
    other.join();
  }
}

class Worth : public testing::Test {
 protected:
  Worth() { force_all_threads(false); }
  ~Worth() override { force_all_threads(true); }
};

TEST_F(Worth, ThreadsHaveEnoughToDoEach) {
  EXPECT_EQ(worth_threads(16, 0), 1);
  EXPECT_EQ(worth_threads(16, 39'999), 1);
  EXPECT_EQ(worth_threads(16, 40'000), 2);
  EXPECT_EQ(worth_threads(16, 1e12), 16);
  EXPECT_EQ(worth_threads(1, 1e12), 1);
  const auto threads = [](const char* spec, SampleType sample, int width, int height) {
    const Plan plan = make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour);
    return worth_threads(16, nanoseconds_a_sample(plan) * width * height);
  };
  const SampleType u8, f32{Storage::f32, 32, 0};
  EXPECT_EQ(threads("box:size=3", u8, 256, 256), 1);
  EXPECT_EQ(threads("sobel", u8, 256, 256), 1);
  EXPECT_GT(threads("random:1,15", f32, 256, 256), 8);
  EXPECT_EQ(threads("random:1,3", u8, 3840, 2160), 16);
}

TEST_F(Worth, SmallPicturesHaveTheSameBytesToo) {
  unsigned seed = 0;
  for (const char* spec : {"random:1,3", "gaussian", "identity", "box:size=21", "sobel"}) {
    for (const SampleType sample : {SampleType{}, SampleType{Storage::f32, 32, 0}}) {
      const Plan plan = make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour);
      // The first picture is worth one thread, the second some of them.
      for (const auto& [width, height] : {std::pair{20, 30}, std::pair{400, 300}}) {
        Picture src(sample, width, height, {}, ++seed);
        src.draw(Content::noise, seed);
        Picture got(sample, width, height, {}, seed + 1), want = got;
        const Choice choice = pick(plan, Device::cpu);
        Runner(*choice.variant, plan, 1).run(src, want);
        Runner(*choice.variant, plan, 7).run(src, got);
        EXPECT_TRUE(got.bytes() == want.bytes()) << spec << ", " << width << "x" << height;
      }
    }
  }
}

}  // namespace
}  // namespace vidconv::test
