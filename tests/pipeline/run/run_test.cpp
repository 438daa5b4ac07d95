#include "pipeline/run/run.h"

#include <gtest/gtest.h>

#include <atomic>

#include "kernels/variants/variants.h"
#include "pipeline/run/benchmark.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::MemorySink;
using test::processor_for;

struct Outcome {
  RunResult result;
  MemorySink sink;
};

Outcome filter(const std::string& input, const std::vector<std::string>& chain, bool serial,
               std::size_t capacity = 2, int slots = 4) {
  Outcome outcome;
  const auto source = open_source(input, {});
  const auto processor = processor_for(*source, chain, {.slots = slots, .variant = {}});
  RunOptions options;
  options.channel_capacity = capacity;
  outcome.result = (serial ? run_serial : run)(*source, *processor, outcome.sink, options);
  return outcome;
}

void expect_equal_runs(const std::string& input, const std::vector<std::string>& chain) {
  SCOPED_TRACE(input);
  const Outcome parallel = filter(input, chain, false), serial = filter(input, chain, true);
  EXPECT_TRUE(parallel.sink.finished);
  EXPECT_EQ(parallel.sink.pictures, serial.sink.pictures);
  EXPECT_EQ(parallel.sink.times, serial.sink.times);
  EXPECT_EQ(parallel.result.decoded, serial.result.decoded);
}

TEST(Run, EqualsRunSerialInEveryFormat) {
  for (const PixelFormat& format : formats())
    expect_equal_runs("pattern:35x18:" + format.name + "#3", {"gaussian:sigma=1.5", "sobel"});
}

TEST(Run, EqualsRunSerialAtManySizes) {
  for (const char* size : {"1x1", "2x2", "3x1", "1x7", "16x16", "65x33", "130x70"})
    expect_equal_runs(std::string("pattern:") + size + "#5", {"sharpen"});
}

TEST(Run, EqualsRunSerialForLongChains) {
  expect_equal_runs("pattern:64x48:yuva420p#4",
                    {"box:size=3", "sharpen", "gaussian:sigma=1", "sobel", "emboss"});
}

TEST(Run, AnyNumberOfFrames) {
  EXPECT_THROW(filter("pattern:16x16#0", {"gaussian:sigma=1"}, false), Error);
  for (const int frames : {1, 2, 3, 100}) {
    const Outcome outcome =
        filter("pattern:16x16#" + std::to_string(frames), {"gaussian:sigma=1"}, false);
    EXPECT_EQ(outcome.result.decoded, frames);
    EXPECT_EQ(outcome.result.filtered, frames);
    EXPECT_EQ(outcome.result.encoded, frames);
    EXPECT_EQ(outcome.sink.frames(), frames);
    EXPECT_TRUE(outcome.sink.finished);
  }
}

TEST(Run, NarrowestChannelsAndSlots) {
  const Outcome narrow = filter("pattern:16x16#50", {"sobel"}, false, 1, 1);
  EXPECT_EQ(narrow.sink.pictures, filter("pattern:16x16#50", {"sobel"}, true).sink.pictures);
}

TEST(Run, TakesWhatTheSourceHasGivenBefore) {
  const Outcome wanted = filter("pattern:16x16#5", {"sobel"}, false);
  for (const auto run_it : {run, run_serial}) {
    const auto source = open_source("pattern:16x16#5", {});
    const auto processor = processor_for(*source, {"sobel"});
    Begun begun{.item = std::async(std::launch::async, [&] { return source->next(); })};
    MemorySink sink;
    const RunResult result = run_it(*source, *processor, sink, {.begun = &begun});
    EXPECT_EQ(result.decoded, 5);
    EXPECT_EQ(sink.pictures, wanted.sink.pictures);
    EXPECT_EQ(sink.times, wanted.sink.times);
  }
}

TEST(Run, MemoryDoesNotGrowWithTheVideo) {
  const auto memory = [](int frames) {
    return filter("pattern:64x64#" + std::to_string(frames), {"sobel"}, false).result.memory.host;
  };
  // This is all there can be: two channels of 2, 4 slots, a frame in each stage's hands, scratch.
  constexpr std::size_t most = 16 * (64 * 64 * 3 / 2 + 4096);
  EXPECT_LT(memory(400), most);
}

TEST(Run, TellsHowFarItIs) {
  const auto source = open_source("pattern:16x16#10", {});
  const auto processor = processor_for(*source, {"sobel"});
  MemorySink sink;
  RunOptions options;
  std::vector<std::int64_t> seen;
  options.observer = [&](const Progress& progress) {
    seen.push_back(progress.encoded);
    EXPECT_GE(progress.decoded, progress.filtered);
    EXPECT_GE(progress.filtered, progress.encoded);
    EXPECT_EQ(progress.stages.size(), 3u);
  };
  const RunResult result = run(*source, *processor, sink, options);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(result.stages[0].name, "decode");
  EXPECT_EQ(result.stages[1].name, "convolve");
  EXPECT_EQ(result.stages[2].name, "encode");
}

TEST(Run, LimitingStageIsTheBusiest) {
  EXPECT_EQ(limiting_stage({{"decode", 1}, {"convolve", 3}, {"encode", 2}}), "convolve");
  EXPECT_EQ(limiting_stage({{"decode", 0}}), "");
  EXPECT_EQ(limiting_stage({}), "");
}

TEST(Run, InterruptionEndsTheInputAndFinishesTheOutput) {
  std::atomic<bool> interrupted = false;
  SourceOptions source_options;
  source_options.interrupted = &interrupted;
  const auto source = open_source("pattern:16x16#1000000", source_options);
  const auto processor = processor_for(*source, {"sobel"});
  MemorySink sink;
  RunOptions options;
  options.observer = [&](const Progress& progress) {
    if (progress.encoded == 5) interrupted = true;
  };
  const RunResult result = run(*source, *processor, sink, options);
  EXPECT_GE(result.encoded, 5);
  EXPECT_LT(result.encoded, 100);
  EXPECT_TRUE(sink.finished);
}

TEST(Verify, AgreesWithTheReference) {
  const auto source = open_source("pattern:40x30:yuv420p10le#20", {});
  const auto processor = processor_for(*source, {"gaussian:sigma=1"});
  Verifier verifier(
      processor_for(*source, {"gaussian:sigma=1"}, {.variant = find_variant("reference")}), 7);
  MemorySink sink;
  RunOptions options;
  options.verifier = &verifier;
  EXPECT_EQ(run(*source, *processor, sink, options).verified, 3);  // 0, 7, 14
}

TEST(Verify, NamesWhereTheyDiffer) {
  const auto source = open_source("pattern:40x30#20", {});
  const auto processor = processor_for(*source, {"gaussian:sigma=1"});
  Verifier verifier(processor_for(*source, {"gaussian:sigma=3"}), 5);
  MemorySink sink;
  RunOptions options;
  options.verifier = &verifier;
  test::expect_error(Fault::verification, {"Y at ", "frame 0", "here", "by cpu-"},
                     [&] { run(*source, *processor, sink, options); });
  EXPECT_FALSE(sink.finished);
}

TEST(Benchmark, MeasuresAloneAndOverlapped) {
  const auto source = open_source("pattern:64x64#3", {});
  const auto processor = processor_for(*source, {"sobel"});
  std::vector<Frame> samples;
  while (auto item = source->next()) samples.push_back(std::get<Frame>(std::move(*item)));
  const BenchmarkResult result = benchmark(*processor, samples, 0.05);
  ASSERT_EQ(result.alone.size(), 1u);
  EXPECT_GT(result.alone[0].frames_per_second, 0);
  EXPECT_GT(result.overlapped, 0);
  EXPECT_EQ(result.slowest, "convolve");
}

}  // namespace
}  // namespace vidconv
