// A failure anywhere ends every thread, is told once with its frame, and costs no file.
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::expect_error;
using test::processor_for;
using test::TempDir;

enum class Where { source, submit, collect, write, copy, finish };
constexpr std::int64_t at_frame = 7;

[[noreturn]] void fail() { throw Error(Fault::device, "injected", "", "on purpose"); }

class BrokenSource final : public Source {
 public:
  BrokenSource(std::unique_ptr<Source> inner, Where where)
      : inner_(std::move(inner)), where_(where) {}
  const VideoInfo& video() const override { return inner_->video(); }
  std::optional<Item> next() override {
    if (where_ == Where::source && frames_ == at_frame) fail();
    if (where_ == Where::copy && frames_ == at_frame)
      return std::optional<Item>(std::in_place, make_packet());
    ++frames_;
    return inner_->next();
  }
  void cancel() override { inner_->cancel(); }
  std::size_t memory() const override { return inner_->memory(); }

 private:
  std::unique_ptr<Source> inner_;
  const Where where_;
  std::int64_t frames_ = 0;
};

class BrokenProcessor final : public Processor {
 public:
  BrokenProcessor(std::unique_ptr<Processor> inner, Where where)
      : inner_(std::move(inner)), where_(where) {}
  bool submit(Frame frame) override {
    if (where_ == Where::submit && frame.number() == at_frame) fail();
    return inner_->submit(std::move(frame));
  }
  void close() override { inner_->close(); }
  std::optional<Frame> collect() override {
    auto frame = inner_->collect();
    if (where_ == Where::collect && frame && frame->number() == at_frame) fail();
    return frame;
  }
  void cancel() override { inner_->cancel(); }
  std::vector<StageTime> stages() const override { return inner_->stages(); }
  MemoryUse memory() const override { return inner_->memory(); }
  std::string device() const override { return inner_->device(); }
  std::vector<std::string> variants() const override { return inner_->variants(); }
  std::vector<StageRate> measure_stages(const Frame& sample, double seconds) override {
    return inner_->measure_stages(sample, seconds);
  }

 private:
  std::unique_ptr<Processor> inner_;
  const Where where_;
};

class BrokenSink final : public Sink {
 public:
  BrokenSink(std::unique_ptr<Sink> inner, Where where) : inner_(std::move(inner)), where_(where) {}
  void write(Frame frame) override {
    if (where_ == Where::write && frame.number() == at_frame) fail();
    inner_->write(std::move(frame));
  }
  void copy(PacketPtr) override {
    if (where_ == Where::copy) fail();
  }
  void finish() override {
    if (where_ == Where::finish) fail();
    inner_->finish();
  }
  std::int64_t frames() const override { return inner_->frames(); }
  std::string description() const override { return inner_->description(); }

 private:
  std::unique_ptr<Sink> inner_;
  const Where where_;
};

using Run = RunResult (*)(Source&, Processor&, Sink&, const RunOptions&);

class Failure : public testing::TestWithParam<std::tuple<Where, Run, std::string>> {
 protected:
  void fail_into(const std::string& output) {
    const auto& [where, run_it, ending] = GetParam();
    SinkOptions options;
    options.overwrite = true;
    BrokenSource source(open_source("pattern:48x32#100", {}), where);
    BrokenSink sink(open_sink(output, options, source.info()), where);
    BrokenProcessor processor(processor_for(source, {"sobel"}), where);
    run_it(source, processor, sink, {});
  }
};

TEST_P(Failure, LeavesNothingBehind) {
  const TempDir dir;
  const std::string output = dir / ("out" + std::get<2>(GetParam()));
  expect_error(Fault::device, {"injected"}, [&] { fail_into(output); });
  EXPECT_EQ(dir.files(), std::vector<std::string>{});
}

TEST_P(Failure, KeepsTheOlderOutput) {
  const TempDir dir;
  const std::string output = dir / ("out" + std::get<2>(GetParam()));
  test::write_file(output, "precious");
  expect_error(Fault::device, {"injected"}, [&] { fail_into(output); });
  EXPECT_EQ(dir.files().size(), 1u);
  EXPECT_EQ(test::read_file(output), "precious");
}

TEST_P(Failure, NamesTheFrame) {
  const Where where = std::get<0>(GetParam());
  if (where == Where::finish || where == Where::copy) return;  // belongs to no frame
  const TempDir dir;
  try {
    fail_into(dir / "out.mkv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.frame(), at_frame);
  }
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Failure,
                         testing::Combine(testing::Values(Where::source, Where::submit,
                                                          Where::collect, Where::write, Where::copy,
                                                          Where::finish),
                                          testing::Values(Run{run}, Run{run_serial}),
                                          testing::Values(".mkv", ".y4m", ".yuv")));

TEST(FailureOften, NoDeadlockWhoeverIsWaiting) {
  for (int round = 0; round < 60; ++round) {
    for (const Where where :
         {Where::source, Where::submit, Where::collect, Where::write, Where::copy}) {
      BrokenSource source(open_source("pattern:8x8#100", {}), where);
      BrokenSink sink(open_sink("null:", {}, source.info()), where);
      BrokenProcessor processor(processor_for(source, {"identity"}, {.slots = 1, .variant = {}}),
                                where);
      RunOptions options;
      options.channel_capacity = 1;
      EXPECT_THROW(run(source, processor, sink, options), Error);
    }
  }
}

TEST(Run, ForeignExceptionsBecomeInternalErrors) {
  const auto source = open_source("pattern:8x8#10", {});
  const auto processor = processor_for(*source, {"identity"});
  test::MemorySink sink;
  RunOptions options;
  options.observer = [](const Progress&) { throw std::runtime_error("surprise"); };
  expect_error(Fault::internal, {"surprise", "frame 0"},
               [&] { run(*source, *processor, sink, options); });
}

// A sink that does not count what it was given.
class ForgetfulSink final : public Sink {
 public:
  void write(Frame) override {}
  void finish() override {}
  std::int64_t frames() const override { return 3; }
  std::string description() const override { return "forgetful"; }
};

TEST(Run, LostFramesAreAnError) {
  const auto source = open_source("pattern:8x8#10", {});
  const auto processor = processor_for(*source, {"identity"});
  ForgetfulSink sink;
  expect_error(Fault::internal, {"lost", "10", "3"}, [&] { run(*source, *processor, sink); });
}

}  // namespace
}  // namespace vidconv
