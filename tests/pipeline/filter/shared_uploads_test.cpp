// Several outputs of one decode on a CUDA device: each frame is copied there once, and each output
// has the bytes of the CPU.
#include "pipeline/filter/shared_uploads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "pipeline/device/cuda_objects.h"
#include "pipeline/source/source_shared.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using Chain = std::vector<std::string>;

struct SharedJob {
  std::string input;
  std::vector<Chain> chains;  // one per output
};

struct Made {
  std::vector<std::string> pictures;  // empty where it failed
  std::optional<Error> error;
  std::int64_t uploads = 0;
  MemoryUse memory;
};

// Filters the input with each chain at the same time. `observer`: of the first.
std::vector<Made> filter_together(const SharedJob& job, const ProcessorOptions& options,
                                  const std::function<void(const Progress&)>& observer = {}) {
  const auto uploads = make_shared_uploads();
  SharedSource shared(open_source(job.input, test::source_options_for(Device::cuda)),
                      job.chains.size(), 2, [&] { return uploads->make(); });
  std::vector<Made> made(job.chains.size());
  const auto filter = [&](std::size_t i) {
    try {
      const auto source = test::windowed(shared.reader(i), job.chains[i]);
      ProcessorOptions with = options;
      with.uploads = uploads.get();
      const auto processor = test::processor_for(*source, job.chains[i], with);
      test::MemorySink sink;
      RunOptions run_options;
      if (i == 0) run_options.observer = observer;
      run(*source, *processor, sink, run_options);
      made[i].pictures = sink.pictures;
      made[i].memory = processor->memory();
      for (const DeviceUse& use : processor->devices()) made[i].uploads += use.uploads;
    } catch (const Error& error) {
      made[i].error = error;
      shared.leave(i);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < job.chains.size(); ++i) threads.emplace_back(filter, i);
  }
  return made;
}

std::vector<std::string> filter_alone(const std::string& input, const Chain& chain,
                                      Device device = Device::cpu, MemoryUse* memory = nullptr) {
  const auto source = test::windowed(open_source(input, test::source_options_for(device)), chain);
  const auto processor =
      test::processor_for(*source, chain, {.device = device, .slots = 4, .variant = {}});
  test::MemorySink sink;
  run(*source, *processor, sink);
  if (memory) *memory = processor->memory();
  return sink.pictures;
}

std::int64_t uploads_of(const std::vector<Made>& made) {
  return std::accumulate(made.begin(), made.end(), std::int64_t{0},
                         [](std::int64_t sum, const Made& one) { return sum + one.uploads; });
}

class OnDeviceShared : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::has(Device::cuda)) GTEST_SKIP() << "no CUDA device";
  }
  void TearDown() override { fail_cuda_after(0, cudaSuccess); }
};

const ProcessorOptions on_device{.device = Device::cuda, .slots = 4, .variant = {}};

TEST_F(OnDeviceShared, EachFrameIsCopiedOnceForAllOutputs) {
  const struct {
    SharedJob job;
    std::int64_t uploads;
  } jobs[] = {
      {{"pattern:64x48#40", {{"sobel"}, {"box"}}}, 40},
      {{"pattern:640x360:yuv420p10le#31", {{"gaussian:sigma=3", "sharpen"}, {"sobel"}, {"box"}}},
       31},
      {{"pattern:63x47:gbrpf32le#9", {{"box:size=5"}, {"gaussian:sigma=2"}}}, 9},
      {{"pattern:64x48:rgb24#1", {{"emboss"}, {"box"}}}, 1},
      // A region is changed in a copy of the frame, which the other output must not see.
      {{"pattern:320x240:nv12#50",
        {{"gaussian:sigma=4:region=10,20,50%,90:feather=7", "box:region=9,9,9,9"},
         {"mosaic:size=8:region=0,0,160,120"},
         {"identity"}}},
       50},
      // Frames that filters over time hold in windows, beside an output that needs one at a time.
      {{"pattern:64x48#60", {{"time-box:size=3", "sobel", "time:1 2 3 1:scale=auto"}, {"box"}}},
       60},
      {{"pattern:63x47:yuv422p10le#40",
        {{"time-gaussian:sigma=3:border=shrink"}, {"time-box:size=9:border=zero", "box:size=3"}}},
       40},
      // Frames that no filter acts on are not copied.
      {{"pattern:64x48#40", {{"box:between=f5-f9"}, {"sobel:between=f8-f11"}}}, 7},
      {{"pattern:64x48#40", {{"box:between=f5-f9"}, {"sobel"}}}, 40},
  };
  for (const auto& [job, uploads] : jobs)
    for (const std::vector<int>& devices : {std::vector<int>{}, {0, 0}}) {
      SCOPED_TRACE(job.input + " " + job.chains[0][0] + " " + std::to_string(devices.size()));
      ProcessorOptions options = on_device;
      options.devices = devices;
      const std::vector<Made> made = filter_together(job, options);
      for (std::size_t i = 0; i < made.size(); ++i) {
        ASSERT_FALSE(made[i].error) << made[i].error->message();
        EXPECT_TRUE(made[i].pictures == filter_alone(job.input, job.chains[i])) << i;
      }
      EXPECT_EQ(uploads_of(made), uploads);
    }
}

// A slow output holds the other, which may be ahead by a few frames alone.
TEST_F(OnDeviceShared, MemoryIsThatOfTheFramesInFlight) {
  const SharedJob job{"pattern:640x360#300", {{"sobel"}, {"box"}, {"gaussian:sigma=2"}}};
  std::vector<std::int64_t> allocations;
  const std::vector<Made> made = filter_together(job, on_device, [&](const Progress& progress) {
    if (progress.encoded % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (progress.encoded % 60 == 0) allocations.push_back(cuda_allocations());
  });
  MemoryUse alone;
  filter_alone(job.input, job.chains[0], Device::cuda, &alone);
  constexpr std::size_t frame = (640 + 128) * (360 + 64) * 3 / 2 + 4096;
  EXPECT_LE(made[0].memory.device, alone.device + 12 * frame);
  EXPECT_EQ(uploads_of(made), 300);
  // On a busy machine there may be one more frame in flight than ever before, but not for long.
  ASSERT_GE(allocations.size(), 5u);
  int steady = 0;
  for (std::size_t i = 1; i < allocations.size(); ++i)
    steady += allocations[i] == allocations[i - 1];
  EXPECT_GE(steady, 1);
}

// Each call of CUDA fails once in turn, in one of the outputs. It is an error before the first
// frame; later the CPU takes over. The other output must not get what the first has left half done.
TEST_F(OnDeviceShared, AnyCallMayFailOnce) {
  const SharedJob jobs[] = {{"pattern:64x48#20", {{"sobel"}, {"box"}}},
                            {"pattern:64x48#20", {{"time-box:size=3", "sobel"}, {"box"}}}};
  int failures = 0;
  std::atomic<int> taken_over = 0;
  for (int call = 0; call < 400; ++call) {
    SCOPED_TRACE(call);
    const SharedJob& job = jobs[call % 2];
    ProcessorOptions options = on_device;
    options.cpu_stands_in = true;
    options.notify = [&](MessageKind, const std::string&) { ++taken_over; };
    fail_cuda_after(call, cudaErrorLaunchFailure, 1);
    const std::vector<Made> made = filter_together(job, options);
    fail_cuda_after(0, cudaSuccess);
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (!made[i].error) {
        EXPECT_TRUE(made[i].pictures == filter_alone(job.input, job.chains[i])) << i;
        continue;
      }
      EXPECT_EQ(made[i].error->fault(), Fault::device) << made[i].error->message();
      ++failures;
    }
  }
  EXPECT_GT(failures, 0);
  EXPECT_GT(taken_over, 50);
}

}  // namespace
}  // namespace vidconv
