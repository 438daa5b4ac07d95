// Frames are dealt to several processors in turn, come out in order, and none is lost where one of
// them fails. Processors of the CPU are doubles of devices here.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "pipeline/base/channel.h"
#include "pipeline/filter/processors_dealt.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

enum class When { never, submit, collect };

// Notes which frames came to which double, and what was given back.
struct Log {
  std::mutex mutex;
  std::map<int, std::vector<std::int64_t>> submitted;
  int given_back = 0;
};

// Is the device cuda:`index`, and fails for good when it comes to the frame `at`.
class DeviceDouble final : public Processor {
 public:
  DeviceDouble(std::unique_ptr<Processor> inner, int index, Log& log, When when = When::never,
               std::int64_t at = 0)
      : inner_(std::move(inner)), index_(index), log_(log), when_(when), at_(at) {}

  bool submit(Frame frame) override {
    const std::int64_t number = frame.number();
    {
      const std::lock_guard lock(log_.mutex);
      log_.submitted[index_].push_back(number);
      inside_.push_back(frame.share());
    }
    if (when_ == When::submit && number >= at_) fail();
    return inner_->submit(std::move(frame));
  }
  void close() override { inner_->close(); }
  void cancel() override { inner_->cancel(); }
  std::optional<Frame> collect() override {
    std::optional<Frame> frame = inner_->collect();
    if (frame && when_ == When::collect && frame->number() >= at_) fail();
    const std::lock_guard lock(log_.mutex);
    if (frame) {
      inside_.pop_front();
      ++frames_;
    }
    return frame;
  }
  std::vector<Frame> give_back() override {
    const std::lock_guard lock(log_.mutex);
    std::vector<Frame> frames;
    for (Frame& frame : inside_) frames.push_back(std::move(frame));
    inside_.clear();
    log_.given_back += static_cast<int>(frames.size());
    return frames;
  }
  std::vector<StageTime> stages() const override { return {{"convolve", 1.0 + index_}}; }
  MemoryUse memory() const override { return {.host = 10, .device = 100}; }
  std::string device() const override { return "double (cuda:" + std::to_string(index_) + ")"; }
  std::vector<DeviceUse> devices() const override {
    return {{.index = index_, .name = "double", .node = index_, .frames = frames_}};
  }
  std::vector<std::string> variants() const override { return inner_->variants(); }
  std::vector<StageRate> measure_stages(const Frame&, double) override {
    return {{"upload", 10, 1000}, {"convolve", 20, 0}};
  }
  std::vector<StageRate> measure_bus(const Frame&, double) override { return {{"bus", 5, 500}}; }

 private:
  [[noreturn]] static void fail() {
    throw Error(Fault::device, "the double failed", "", "injected");
  }

  const std::unique_ptr<Processor> inner_;
  const int index_;
  Log& log_;
  const When when_;
  const std::int64_t at_;
  std::deque<Frame> inside_;
  std::int64_t frames_ = 0;
};

// A double may hold one frame more, which is being convolved, so its stand-in needs two more slots,
// where a device's needs one.
constexpr int slots = 3;

struct Job {
  std::string input = "pattern:64x48#11";
  std::vector<std::string> chain = {"sobel"};
};

std::unique_ptr<Processor> cpu_for(const Source& source, const Job& job, int in_flight = slots) {
  return test::processor_for(source, job.chain, {.slots = in_flight, .variant = {}});
}

std::vector<std::string> by_one(const Job& job) {
  const auto source = open_source(job.input, {});
  test::MemorySink sink;
  run(*source, *cpu_for(*source, job), sink);
  return sink.pictures;
}

using RunIt = RunResult (*)(Source&, Processor&, Sink&, const RunOptions&);
constexpr RunIt runs[] = {run, run_serial};

TEST(Dealt, FramesGoInTurnAndComeOutInOrder) {
  for (const Job& job :
       {Job{}, Job{"pattern:62x46:yuv420p10le#7", {"gaussian:sigma=2", "sharpen"}},
        Job{"pattern:33x21:gbrpf32le#1", {"box"}}, Job{"pattern:64x48:rgb24#12", {"emboss"}}}) {
    const std::vector<std::string> wanted = by_one(job);
    for (const std::size_t count : {1U, 2U, 3U, 5U})
      for (const RunIt run_it : runs) {
        SCOPED_TRACE(job.input + ", " + std::to_string(count));
        const auto source = open_source(job.input, {});
        Log log;
        std::vector<std::unique_ptr<Processor>> doubles;
        for (std::size_t i = 0; i < count; ++i)
          doubles.push_back(
              std::make_unique<DeviceDouble>(cpu_for(*source, job), static_cast<int>(i), log));
        const auto dealt = deal_to_processors(std::move(doubles), {});
        test::MemorySink sink;
        const RunResult result = run_it(*source, *dealt, sink, {});
        EXPECT_TRUE(sink.pictures == wanted);
        EXPECT_EQ(result.filtered, std::ssize(wanted));
        for (const auto& [index, frames] : log.submitted)
          for (std::size_t i = 0; i < frames.size(); ++i)
            EXPECT_EQ(frames[i], static_cast<std::int64_t>(i * count) + index);
        std::int64_t all = 0;
        for (const DeviceUse& use : dealt->devices()) {
          EXPECT_FALSE(use.failed);
          all += use.frames;
        }
        EXPECT_EQ(all, std::ssize(wanted));
      }
  }
}

TEST(Dealt, WhatTheySayIsOfAll) {
  const auto source = open_source("pattern:16x16#1", {});
  Log log;
  std::vector<std::unique_ptr<Processor>> doubles;
  for (const int index : {0, 2})
    doubles.push_back(std::make_unique<DeviceDouble>(cpu_for(*source, {}), index, log));
  const auto dealt = deal_to_processors(std::move(doubles), {});
  EXPECT_EQ(dealt->device(), "2 x double (cuda:0, cuda:2)");
  EXPECT_EQ(dealt->memory().host, 20u);
  EXPECT_EQ(dealt->memory().device, 200u);
  ASSERT_EQ(dealt->stages().size(), 1u);
  EXPECT_EQ(dealt->stages()[0].seconds, 3.0);  // the longest, since they work side by side
  ASSERT_EQ(dealt->devices().size(), 2u);
  EXPECT_EQ(dealt->devices()[1].index, 2);
  EXPECT_EQ(dealt->devices()[1].node, 2);

  const Frame sample = std::move(std::get<Frame>(*source->next()));
  const std::vector<StageRate> stages = dealt->measure_stages(sample, 0.01);
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0].name, "upload");
  EXPECT_EQ(stages[0].frames_per_second, 20);
  EXPECT_EQ(stages[0].bytes_per_second, 2000);
  EXPECT_EQ(stages[1].frames_per_second, 40);
  const std::vector<StageRate> buses = dealt->measure_bus(sample, 0.01);
  ASSERT_EQ(buses.size(), 3u);
  EXPECT_EQ(buses[0].name, "bus");
  EXPECT_EQ(buses[0].frames_per_second, 10);
  EXPECT_EQ(buses[1].name, "bus of cuda:0");
  EXPECT_EQ(buses[2].name, "bus of cuda:2");
  EXPECT_EQ(buses[2].bytes_per_second, 500);
}

// Each frame in turn makes one of two or three fail, in submit() or in collect().
TEST(Dealt, AnotherTakesOverAndNoFrameIsLost) {
  const Job job;
  const std::vector<std::string> wanted = by_one(job);
  for (const RunIt run_it : runs)
    for (const When when : {When::submit, When::collect})
      for (const int count : {1, 2, 3})
        for (std::int64_t at = 0; at < std::ssize(wanted); ++at) {
          const int broken = static_cast<int>(at) % count;
          SCOPED_TRACE(testing::Message()
                       << (run_it == runs[0] ? "run " : "run_serial ") << count << " frame " << at
                       << (when == When::submit ? " in" : ""));
          const auto source = open_source(job.input, {});
          Log log;
          std::vector<std::unique_ptr<Processor>> doubles;
          for (int i = 0; i < count; ++i)
            doubles.push_back(std::make_unique<DeviceDouble>(cpu_for(*source, job), i, log,
                                                             i == broken ? when : When::never, at));
          int replaced = 0;
          const auto replace = [&](std::size_t place, const Error& failure) {
            ++replaced;
            EXPECT_EQ(static_cast<int>(place), broken);
            EXPECT_EQ(failure.why(), "injected");
            return std::make_unique<DeviceDouble>(cpu_for(*source, job, slots + 2), 9, log);
          };
          const auto dealt = deal_to_processors(std::move(doubles), replace);
          test::MemorySink sink;
          run_it(*source, *dealt, sink, {});
          EXPECT_TRUE(sink.pictures == wanted);
          EXPECT_EQ(replaced, 1);
          EXPECT_GE(log.given_back, 1);
          ASSERT_EQ(std::ssize(dealt->devices()), count + 1);
          for (int i = 0; i < count; ++i)
            EXPECT_EQ(dealt->devices()[static_cast<std::size_t>(i)].failed, i == broken);
          EXPECT_EQ(dealt->devices().back().index, 9);
          EXPECT_FALSE(dealt->devices().back().failed);
          std::int64_t all = 0;
          for (const DeviceUse& use : dealt->devices()) all += use.frames;
          EXPECT_EQ(all, std::ssize(wanted));
        }
}

// The one that took over fails too, and so on.
TEST(Dealt, OneAfterTheOtherMayFail) {
  const Job job{.input = "pattern:64x48#40"};
  const std::vector<std::string> wanted = by_one(job);
  const auto source = open_source(job.input, {});
  Log log;
  std::vector<std::unique_ptr<Processor>> doubles;
  for (int i = 0; i < 2; ++i)
    doubles.push_back(
        std::make_unique<DeviceDouble>(cpu_for(*source, job), i, log, When::collect, 5 + i));
  int replaced = 0;
  const auto replace = [&](std::size_t, const Error&) {
    ++replaced;
    return std::make_unique<DeviceDouble>(cpu_for(*source, job, slots + 2 * replaced), 1 + replaced,
                                          log, replaced < 6 ? When::collect : When::never,
                                          5 + 4 * replaced);
  };
  const auto dealt = deal_to_processors(std::move(doubles), replace);
  test::MemorySink sink;
  run(*source, *dealt, sink);
  EXPECT_TRUE(sink.pictures == wanted);
  EXPECT_GE(replaced, 3);
}

TEST(Dealt, WithoutAStandInTheFailureIsThrown) {
  const Job job;
  for (const RunIt run_it : runs)
    for (const When when : {When::submit, When::collect})
      for (const bool refuses : {false, true}) {
        const auto source = open_source(job.input, {});
        Log log;
        std::vector<std::unique_ptr<Processor>> doubles;
        doubles.push_back(std::make_unique<DeviceDouble>(cpu_for(*source, job), 0, log));
        doubles.push_back(std::make_unique<DeviceDouble>(cpu_for(*source, job), 1, log, when, 4));
        ReplaceProcessor replace;
        if (refuses)
          replace = [](std::size_t, const Error& failure) -> std::unique_ptr<Processor> {
            throw failure;
          };
        const auto dealt = deal_to_processors(std::move(doubles), replace);
        test::MemorySink sink;
        test::expect_error(Fault::device, {"the double failed", "injected", "frame"},
                           [&] { run_it(*source, *dealt, sink, {}); });
        EXPECT_FALSE(sink.finished);
      }
}

// Nobody takes over what is not the device's fault.
TEST(Dealt, OtherErrorsAreThrown) {
  class Confused final : public Processor {
   public:
    bool submit(Frame) override { throw Error(Fault::internal, "confused", "", ""); }
    void close() override {}
    std::optional<Frame> collect() override { return frames_.pop(); }
    void cancel() override { frames_.cancel(); }
    std::vector<StageTime> stages() const override { return {}; }
    MemoryUse memory() const override { return {}; }
    std::string device() const override { return ""; }
    std::vector<std::string> variants() const override { return {}; }
    std::vector<StageRate> measure_stages(const Frame&, double) override { return {}; }

   private:
    Channel<Frame> frames_{1};  // none ever comes
  };
  const auto source = open_source("pattern:16x16#4", {});
  std::vector<std::unique_ptr<Processor>> processors;
  processors.push_back(std::make_unique<Confused>());
  const auto dealt = deal_to_processors(std::move(processors), [](std::size_t, const Error&) {
    ADD_FAILURE() << "replaced";
    return std::make_unique<Confused>();
  });
  test::MemorySink sink;
  test::expect_error(Fault::internal, {"confused"}, [&] { run(*source, *dealt, sink); });
}

// Everyone is woken, blocked or not.
TEST(Dealt, MayBeCancelled) {
  const Job job;
  const auto source = open_source(job.input, {});
  Log log;
  std::vector<std::unique_ptr<Processor>> doubles;
  for (int i = 0; i < 2; ++i)
    doubles.push_back(std::make_unique<DeviceDouble>(cpu_for(*source, job), i, log));
  const auto dealt = deal_to_processors(std::move(doubles), {});
  const Frame frame = std::move(std::get<Frame>(*source->next()));
  bool refused = false;
  {
    std::jthread submitter([&] {
      while (dealt->submit(frame.share())) {
      }
      refused = true;
    });
    while (true) {
      const std::lock_guard lock(log.mutex);
      if (log.submitted[0].size() + log.submitted[1].size() > 2 * slots) break;
    }
    dealt->cancel();
  }
  EXPECT_TRUE(refused);
  EXPECT_FALSE(dealt->collect());
  EXPECT_FALSE(dealt->submit(frame.share()));
}

}  // namespace
}  // namespace vidconv
