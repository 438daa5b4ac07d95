// Several CUDA devices, or one of them twice, give the bytes of one and of the CPU. Also tests what
// happens when one of them fails midway.
#include <gtest/gtest.h>

#include "pipeline/device/cuda.h"
#include "pipeline/device/cuda_objects.h"
#include "tests/doubles/trap.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

class SeveralDevices : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::has(Device::cuda)) GTEST_SKIP() << "no CUDA device";
    for (const CudaDevice& device : cuda_devices().devices) all_.push_back(device.index);
  }
  void TearDown() override { fail_cuda_after(0, cudaSuccess); }

  // Returns lists of two and three, of one device and of all.
  std::vector<std::vector<int>> lists() const {
    std::vector<std::vector<int>> lists = {{0, 0}, {0, 0, 0}};
    if (all_.size() > 1) lists.insert(lists.end(), {all_, {1, 0, 1}, {1}});
    return lists;
  }

  std::vector<int> all_;
};

struct DealtJob {
  std::string input = "pattern:64x48#13";
  std::vector<std::string> chain = {"sobel"};
};

std::vector<std::string> filter(const DealtJob& job, const ProcessorOptions& options,
                                RunOptions run_options = {}) {
  const auto source =
      test::windowed(open_source(job.input, test::source_options_for(options.device)), job.chain);
  const auto processor = test::processor_for(*source, job.chain, options);
  test::MemorySink sink;
  run(*source, *processor, sink, run_options);
  return sink.pictures;
}

const DealtJob over_time{"pattern:64x48#29",
                         {"time-box:size=3", "sobel", "time:1 2 3 1:scale=auto"}};

ProcessorOptions on(const std::vector<int>& devices) {
  return {.device = Device::cuda,
          .device_index = devices[0],
          .devices = devices,
          .slots = 4,
          .variant = {}};
}

TEST_F(SeveralDevices, GiveTheBytesOfOne) {
  for (const DealtJob& job :
       {DealtJob{}, DealtJob{"pattern:640x360:yuv420p10le#31", {"gaussian:sigma=3", "sharpen"}},
        DealtJob{"pattern:63x47:gbrpf32le#5", {"box:size=5"}},
        DealtJob{"pattern:64x48:rgb24#1", {"emboss"}},
        DealtJob{"pattern:1920x1080#50", {"matrix:1 2 3;4 5 6;7 8 1:scale=auto"}},
        DealtJob{
            "pattern:320x240:nv12#21",
            {"gaussian:sigma=1..4@f3-f15:region=10,20,50%,90:feather=7", "box:region=9,9,9,9"}},
        DealtJob{"pattern:320x240:yuva444p16le#9", {"kirsch"}}, over_time,
        DealtJob{"pattern:63x47:yuv422p10le#40", {"time-gaussian:sigma=3:border=shrink"}},
        DealtJob{"pattern:63x47:gbrpf32le#3", {"time-box:size=9:border=zero", "box:size=3"}},
        DealtJob{"pattern:320x240:nv12#21",
                 {"time:1 1 1:scale=auto:cut=0.001:region=10,20,50%,90:feather=7",
                  "sharpen:between=f3-f9", "time:-1 0 1:every=3:phase=1:threshold=0.1"}}}) {
    const std::vector<std::string> wanted = filter(job, {.slots = 4, .variant = {}});
    ASSERT_TRUE(filter(job, on({0})) == wanted) << job.input;
    for (const std::vector<int>& list : lists())
      EXPECT_TRUE(filter(job, on(list)) == wanted) << job.input << " " << list.size();
  }
}

TEST_F(SeveralDevices, EachFiltersItsFrames) {
  for (const std::vector<int>& list : lists()) {
    const auto source = open_source("pattern:64x48#13", test::source_options_for(Device::cuda));
    const auto processor = test::processor_for(*source, {"box"}, on(list));
    test::MemorySink sink;
    run(*source, *processor, sink);
    const std::vector<DeviceUse> used = processor->devices();
    ASSERT_EQ(used.size(), list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      EXPECT_EQ(used[i].index, list[i]);
      EXPECT_EQ(used[i].frames,
                static_cast<std::int64_t>((13 + list.size() - 1 - i) / list.size()));
      EXPECT_FALSE(used[i].failed);
    }
  }
}

// All frames lie in the memory of the first device, as NVDEC leaves them, for which a chip is
// needed.
TEST_F(SeveralDevices, FramesOfOneDeviceAreFilteredByAll) {
  for (const std::vector<int>& list : lists()) {
    const auto source = open_source("pattern:640x48#26", test::source_options_for(Device::cuda));
    const auto processor = test::processor_for(*source, {"sobel"}, on(list));
    const auto wanted = filter({"pattern:640x48#26"}, {.slots = 4, .variant = {}});
    FramePool pool(packed_layout(*find_format(AV_PIX_FMT_YUV420P), 640, 48), device_memory);
    const Stream stream;
    std::vector<Frame> frames;
    while (auto item = source->next())
      if (Frame* frame = std::get_if<Frame>(&*item)) frames.push_back(std::move(*frame));
    std::vector<std::string> pictures;
    for (const Frame& frame : frames) {
      FramePtr copy = pool.get();
      copy_properties(frame.av(), *copy);
      Frame there(std::move(copy), frame.number(), Frame::Memory::device);
      ASSERT_EQ(there.extent().size(), frame.extent().size());
      stream.upload(there.extent().data(), frame.extent().data(), frame.extent().size());
      stream.synchronise();
      ASSERT_TRUE(processor->submit(std::move(there)));
      pictures.push_back(test::packed(*processor->collect()));
    }
    EXPECT_TRUE(pictures == wanted) << list.size();
    std::int64_t most = 0, least = 26;
    for (const DeviceUse& used : processor->devices()) {
      most = std::max(most, used.frames);
      least = std::min(least, used.frames);
    }
    EXPECT_LE(most - least, 1) << list.size();
  }
}

TEST_F(SeveralDevices, AreMeasuredAtOnce) {
  const auto source = open_source("pattern:64x48#2", test::source_options_for(Device::cuda));
  const auto processor = test::processor_for(*source, {"box"}, on({0, 0}));
  const Frame sample = std::move(std::get<Frame>(*source->next()));
  const std::vector<StageRate> buses = processor->measure_bus(sample, 0.02);
  ASSERT_EQ(buses.size(), 3u);
  for (const StageRate& bus : buses) EXPECT_GT(bus.frames_per_second, 0);
  EXPECT_EQ(processor->measure_stages(sample, 0.02).size(), 3u);
}

// Each call of CUDA fails once in turn. Before the first frame that is an error; later another
// device takes over, and the frames are the same.
TEST_F(SeveralDevices, AnyCallMayFailOnce) {
  int failures = 0, taken_over = 0;
  for (int call = 0; call < 400; ++call) {
    const DealtJob job = call % 2 == 0 ? DealtJob{} : over_time;
    const std::vector<std::string> wanted = filter(job, {.slots = 4, .variant = {}});
    SCOPED_TRACE(call);
    ProcessorOptions options = on({0, 0});
    options.cpu_stands_in = true;
    options.notify = [&](MessageKind kind, const std::string& line) {
      EXPECT_EQ(kind, MessageKind::device_failed);
      EXPECT_NE(line.find("the CPU filters the frames of cuda:0"), std::string::npos) << line;
      ++taken_over;
    };
    fail_cuda_after(call, cudaErrorLaunchFailure, 1);
    try {
      EXPECT_TRUE(filter(job, options) == wanted);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::device) << error.message();
      ++failures;
    }
    fail_cuda_after(0, cudaSuccess);
  }
  EXPECT_GT(failures, 0);
  EXPECT_GT(taken_over, 50);
}

// Without a stand-in any failure is an error, and never a hang.
TEST_F(SeveralDevices, AnyCallMayFail) {
  const DealtJob job;
  const std::vector<std::string> wanted = filter(job, {.slots = 4, .variant = {}});
  int failures = 0;
  for (int call = 0;; ++call) {
    SCOPED_TRACE(call);
    fail_cuda_after(call, cudaErrorLaunchFailure);
    std::vector<std::string> pictures;
    try {
      pictures = filter(job, on({0, 0}));
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::device) << error.message();
      ++failures;
      continue;
    }
    EXPECT_TRUE(pictures == wanted);
    break;
  }
  EXPECT_GT(failures, 50);
}

// Loses a device for good in mid-stream; in a process of its own.
void lose_a_device(ProcessorOptions options, const std::string& who) {
  const DealtJob job{.input = "pattern:640x360#300"};
  const std::vector<std::string> wanted = filter(job, {.slots = 4, .variant = {}});
  std::string said;
  options.notify = [&](MessageKind, const std::string& line) { said += line + "\n"; };
  RunOptions run_options;
  run_options.observer = [&](const Progress& progress) {
    if (progress.encoded != 50) return;
    const CurrentDevice current(options.device_index);
    test::spoil_device();
  };
  try {
    const bool same = filter(job, options, run_options) == wanted;
    std::fprintf(stderr, "%s%s\n", said.c_str(), same ? "the same frames" : "other frames");
    std::exit(same && said.find(who + " filters the frames") != std::string::npos ? 0 : 1);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::exit(static_cast<int>(error.fault()));
  }
}

TEST_F(SeveralDevices, TheCpuStandsInForOneThatIsLost) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  ProcessorOptions options = on({0});
  options.cpu_stands_in = true;
  EXPECT_EXIT(lose_a_device(options, "the CPU"), testing::ExitedWithCode(0), "the same frames");
}

// A kernel that was stopped has so far taken the other devices of the process with it, as seen with
// two H200. If it is only refused or out of memory, another device takes over (Dealt.*).
TEST_F(SeveralDevices, StoppedKernelEndsTheRun) {
  if (all_.size() < 2) GTEST_SKIP() << "one CUDA device";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  ProcessorOptions options = on({1, 0});
  options.stand_ins = {0, 1};
  EXPECT_EXIT(lose_a_device(options, "cuda:0"), testing::ExitedWithCode(5), "CUDA device failed");
}

TEST_F(SeveralDevices, OneThatIsLostEndsAListOfThem) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(lose_a_device(on({0, 0}), ""), testing::ExitedWithCode(5), "CUDA|device");
}

// Using cuda:1 alone leaves cuda:0 asleep.
TEST_F(SeveralDevices, OthersAreLeftAlone) {
  if (all_.size() < 2) GTEST_SKIP() << "one CUDA device";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto use_one = [] {
    wake_devices({1});
    filter({}, on({1}));
    const auto state = reinterpret_cast<int (*)(int, unsigned*, int*)>(
        driver_function("cuDevicePrimaryCtxGetState"));
    unsigned flags = 0;
    int active = 1;
    const bool asked = state && state(0, &flags, &active) == 0;
    std::exit(asked ? active : 2);
  };
  EXPECT_EXIT(use_one(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace vidconv
