// The CUDA device refuses, is short of memory, or dies: each gives an error of its own and never a
// hang, and frames that come out are right.
#include "pipeline/device/cuda.h"

#include <gtest/gtest.h>

#include "pipeline/device/cuda_objects.h"
#include "pipeline/filter/processor_fit.h"
#include "tests/doubles/trap.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

TEST(Cuda, ToldWhyThereIsNoDevice) {
  EXPECT_EQ(why_no_device(cudaErrorInsufficientDriver, 0), "no NVIDIA driver is installed");
  EXPECT_EQ(why_no_device(cudaSuccess, 13000), "no CUDA device");
  const std::string old = why_no_device(cudaErrorInsufficientDriver, 12040);
  EXPECT_NE(old.find("made for CUDA 12.4"), std::string::npos) << old;
  EXPECT_NE(old.find("needs CUDA " + std::to_string(CUDART_VERSION / 1000)), std::string::npos)
      << old;
}

class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::has(Device::cuda)) GTEST_SKIP() << "no CUDA device";
  }
  void TearDown() override { fail_cuda_after(0, cudaSuccess); }
};

constexpr const char* input = "pattern:64x48#12";

std::vector<std::string> filter(Device device, const Notify& told = {}) {
  const auto source = open_source(input, test::source_options_for(device));
  ProcessorOptions options{.device = device, .slots = 4, .variant = {}};
  const auto processor = make_fitting_processor(
      [&](const ProcessorOptions& with) { return test::processor_for(*source, {"sobel"}, with); },
      options, false, told);
  test::MemorySink sink;
  run(*source, *processor, sink);
  return sink.pictures;
}

cudaMemoryType type_of(const std::byte* memory) {
  cudaPointerAttributes attributes;
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, memory), cudaSuccess);
  return attributes.type;
}

TEST_F(OnDevice, PinnedMemoryIsKeptAsLongAsItShallBe) {
  constexpr std::size_t bytes = 12 << 20;
  wake_devices({0});
  keep_pinned_memory(true);
  std::byte* const first = pinned_memory.allocate(bytes, 0);
  const std::int64_t before = cuda_allocations();
  pinned_memory.release(first);
  std::byte* const second = pinned_memory.allocate(bytes, 0);
  EXPECT_EQ(second, first);
  EXPECT_EQ(type_of(second), cudaMemoryTypeHost);
  EXPECT_EQ(cuda_allocations(), before);
  std::byte* const other = pinned_memory.allocate(bytes, 0);  // the first is in use
  EXPECT_NE(other, second);
  pinned_memory.release(second);
  pinned_memory.release(other);
  const std::vector<std::string> expected = filter(Device::cpu);
  EXPECT_EQ(filter(Device::cuda), expected);
  EXPECT_EQ(filter(Device::cuda), expected);
  keep_pinned_memory(false);
  std::byte* const last = pinned_memory.allocate(bytes, 0);
  EXPECT_EQ(type_of(last), cudaMemoryTypeHost);
  EXPECT_GT(cuda_allocations(), before + 1);
  pinned_memory.release(last);
}

TEST_F(OnDevice, MemoryOfBeforeIsPinnedWhenItWakes) {
  wake_devices({0});
  pin_when_awake();
  for (const std::size_t bytes : {std::size_t{5000}, std::size_t{12} << 20}) {
    std::byte* early = pinned_memory.allocate(bytes, 0);
    EXPECT_EQ(type_of(early), cudaMemoryTypeUnregistered);
    wake_devices({0});
    EXPECT_EQ(type_of(early), cudaMemoryTypeHost);
    std::byte* late = pinned_memory.allocate(bytes, 0);
    EXPECT_EQ(type_of(late), cudaMemoryTypeHost);
    pin_when_awake();
    pinned_memory.release(early);
    pinned_memory.release(late);
  }
  wake_devices({0});
}

// Every call fails in turn.
TEST_F(OnDevice, AnyCallMayFail) {
  const std::vector<std::string> wanted = filter(Device::cpu);
  int failures = 0;
  for (int call = 0;; ++call) {
    SCOPED_TRACE(call);
    fail_cuda_after(call, cudaErrorLaunchFailure);
    std::vector<std::string> pictures;
    try {
      pictures = filter(Device::cuda);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::device) << error.message();
      EXPECT_NE(error.message().find("cudaErrorLaunchFailure"), std::string::npos)
          << error.message();
      ++failures;
      continue;
    }
    EXPECT_TRUE(pictures == wanted);
    break;
  }
  EXPECT_GT(failures, 50);
}

// One call finds no memory: fewer slots and the same bytes result, or an error that says so.
TEST_F(OnDevice, MemoryMayBeOut) {
  const std::vector<std::string> wanted = filter(Device::cpu);
  int errors = 0, fallbacks = 0;
  for (int call = 0; call < 200; ++call) {
    SCOPED_TRACE(call);
    fail_cuda_after(call, cudaErrorMemoryAllocation, 1);
    try {
      EXPECT_TRUE(filter(Device::cuda, [&](MessageKind, const std::string&) { ++fallbacks; }) ==
                  wanted);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), MessageKind::memory) << error.message();
      ++errors;
    }
  }
  EXPECT_GT(errors, 0);
  EXPECT_GT(fallbacks, 0);
}

// An error stays, as after a kernel that went wrong. Runs in a process of its own.
TEST_F(OnDevice, MayDieInMidStream) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto run_to_death = [] {
    const auto source =
        open_source("pattern:640x360#100000", test::source_options_for(Device::cuda));
    const auto processor = test::processor_for(*source, {"sobel"},
                                               {.device = Device::cuda, .slots = 4, .variant = {}});
    test::MemorySink sink;
    RunOptions options;
    options.observer = [](const Progress& progress) {
      if (progress.encoded == 20) test::spoil_device();
    };
    try {
      run(*source, *processor, sink, options);
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      std::exit(static_cast<int>(error.fault()));
    }
    std::exit(0);
  };
  EXPECT_EXIT(run_to_death(), testing::ExitedWithCode(5), "CUDA|device");
}

}  // namespace
}  // namespace vidconv
