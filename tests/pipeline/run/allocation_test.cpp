// No frame costs an allocation once the first ones have passed. This is a program of its own: it
// counts every malloc of the process, those of libraries too. Allocations of NVIDIA's driver for
// itself are left out: nobody can do anything about them.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <thread>

#include "pipeline/filter/processors_dealt.h"
#include "pipeline/platform/process.h"
#include "pipeline/source/source_steady.h"
#include "tests/pipeline/support/support.h"
#include "tests/support/process.h"
#ifdef VIDCONV_HAVE_CUDA
#include "pipeline/device/cuda_objects.h"
#endif

namespace {

std::atomic<std::int64_t> host_allocations = 0;
thread_local bool no_memory = false;       // malloc() finds none on this thread
std::atomic<void*> last_caller = nullptr;  // a counted one's, for whoever looks for it
std::atomic<std::uintptr_t> driver_begin = 0, driver_end = 0;

void count_call(void* caller) {
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  if (at >= driver_begin && at < driver_end) return;
  ++host_allocations;
  last_caller = caller;
}

// Returns the file that has this code, and where in it.
std::string place_of(void* code) {
  Dl_info in{};
  if (dladdr(code, &in) == 0) return "an address in no file";
  const auto offset = static_cast<char*>(code) - static_cast<char*>(in.dli_fbase);
  return std::string(in.dli_fname) + " + " + std::to_string(offset) +
         (in.dli_sname ? std::string(", in ") + in.dli_sname : "");
}

// Finds the driver once it is loaded.
void find_driver() {
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void*) {
        if (!std::strstr(library->dlpi_name, "libcuda.so")) return 0;
        for (int i = 0; i < library->dlpi_phnum; ++i) {
          const auto& part = library->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
          driver_begin = library->dlpi_addr + part.p_vaddr;
          driver_end = driver_begin + part.p_memsz;
        }
        return 0;
      },
      nullptr);
}

}  // namespace

// glibc keeps its own functions under these names for programs that replace the others.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  if (no_memory) return nullptr;
  count_call(__builtin_return_address(0));
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  count_call(__builtin_return_address(0));
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) noexcept {
  count_call(__builtin_return_address(0));
  return __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  count_call(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  count_call(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  count_call(__builtin_return_address(0));
  *block = __libc_memalign(alignment, size);
  return *block ? 0 : 12;  // ENOMEM
}
}

namespace vidconv {
namespace {

// Frames are counted in windows, in one of which nothing may be allocated. On a busy machine there
// may be one more frame in flight than ever before, for which a pool grows, now and then across the
// border of two windows.
constexpr std::int64_t first = 16, window = 32, windows = 5, last = first + windows * window;

struct Counts {
  std::int64_t host = 0, device = 0;
  static Counts now() {
    Counts counts{.host = host_allocations, .device = 0};
#ifdef VIDCONV_HAVE_CUDA
    counts.device = cuda_allocations();
#endif
    return counts;
  }
};

// Passes frames on, and looks at the counters where windows begin and end.
class CountingSink final : public Sink {
 public:
  explicit CountingSink(std::unique_ptr<Sink> inner) : inner_(std::move(inner)) {}
  void write(Frame frame) override {
    const std::int64_t number = frame.number();
    if (number == first / 2) settle();
    inner_->write(std::move(frame));
    if (number >= first && number <= last && (number - first) % window == 0)
      counts[static_cast<std::size_t>((number - first) / window)] = Counts::now();
    if (after_write) after_write();
  }
  void finish() override { inner_->finish(); }
  std::int64_t frames() const override { return inner_->frames(); }
  std::string description() const override { return inner_->description(); }

  std::function<void()> after_write;
  std::array<Counts, windows + 1> counts;  // where each window begins, and where the last one ends

 private:
  // Waits until everything before the sink has filled up and waits: then as many frames are in
  // flight as ever. Looks several times in a row, because threads wait for each other too.
  static void settle() {
    for (int in_a_row = 0; in_a_row < 10;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      in_a_row = test::all_threads_sleep(::getpid()) ? in_a_row + 1 : 0;
    }
  }

  const std::unique_ptr<Sink> inner_;
};

// Gives frames that lie in memory: whatever their pool holds.
class MemorySource final : public SteadySource {
 public:
  MemorySource(const VideoInfo& info, const SourceOptions& options)
      : SteadySource(info, options, std::nullopt) {}

 private:
  bool read(Frame&, std::int64_t) override { return true; }
};

SourceOptions options_for(Device device) {
  SourceOptions options = test::source_options_for(device);
  options.frames = last + 20;
  return options;
}

// Hands out a frame when the one before is in the output: none is dropped, however slow it is.
class SteppingSource final : public SteadySource {
 public:
  SteppingSource(const VideoInfo& info, const SourceOptions& options)
      : SteadySource(info, options, std::nullopt) {}
  void step() { ++finished_, finished_.notify_all(); }

 private:
  bool read(Frame&, std::int64_t index) override {
    for (auto done = finished_.load(); done < index; done = finished_.load()) finished_.wait(done);
    return true;
  }
  std::atomic<std::int64_t> finished_ = 0;
};

// `places`: how many processors take frames in turn, all of them on the same device.
void expect_no_allocations(Source& source, const std::string& output, Device device,
                           const std::string& filter, const SinkOptions& sink_options = {},
                           std::size_t places = 1) {
  std::vector<std::unique_ptr<Processor>> processors;
  for (std::size_t i = 0; i < places; ++i)
    processors.push_back(
        test::processor_for(source, {filter}, {.device = device, .threads = 2, .variant = {}}));
  const auto processor =
      places == 1 ? std::move(processors[0]) : deal_to_processors(std::move(processors), {});
  CountingSink sink(open_sink(output, sink_options, source.info()));
  find_driver();
  run(source, *processor, sink);
  ASSERT_EQ(sink.frames(), last + 20);
  const auto& counts = sink.counts;
  EXPECT_GT(counts[0].host, 0);  // the counter counts
  if (device == Device::cuda) {
    EXPECT_GT(counts[0].device, 0);
  }
  bool none = false;
  std::string in_windows;
  for (std::size_t i = 0; i < windows; ++i) {
    const std::int64_t host = counts[i + 1].host - counts[i].host;
    const std::int64_t on_device = counts[i + 1].device - counts[i].device;
    none |= host == 0 && on_device == 0;
    in_windows += " " + std::to_string(host) + " and " + std::to_string(on_device);
  }
  EXPECT_TRUE(none) << "in windows, on the host and the device:" << in_windows
                    << "; the last one on the host at " << place_of(last_caller);
}

struct Case {
  const char* format;
  int width, height;
  const char* filter;
};
constexpr Case cases[] = {
    {"yuv420p", 192, 108, "sobel"},
    {"yuv420p", 192, 108, "gaussian:sigma=2"},
    {"yuv420p", 1920, 1080, "sobel"},
    {"yuv420p10le", 192, 108, "matrix:1 2 3;4 5 6;7 8 1:scale=auto"},
    {"yuv444p16le", 192, 108, "gaussian:sigma=2"},
    {"rgb24", 192, 108, "sobel"},
    {"yuyv422", 192, 108, "sharpen"},
    {"rgba", 192, 108, "gaussian:sigma=1..3@f10-f180"},
    {"gbrpf32le", 64, 48, "sharpen"},
    {"yuv420p", 192, 108, "sobel:between=f0-f20,f40-f60,f80-f100,f120-f140,f160-f170"},
    {"yuv420p", 192, 108, "gaussian:sigma=1..3@f10-f180"},
    {"yuv420p", 192, 108, "gaussian:sigma=2:region=20,20,50,40;120,60,40,30"},
    {"yuv420p", 192, 108, "tilt-shift:y=40%,height=20%,blur=4"},
    {"yuv420p", 192, 108, "gaussian:sigma=1..3@f10-f180:region=20,20,50,40:feather=4"},
};

class Allocations : public testing::TestWithParam<Device> {};

TEST_P(Allocations, NoneFromMemoryToMemory) {
  if (!test::has(GetParam())) GTEST_SKIP() << "no such device";
  for (const Case& c : cases)
    for (const auto& [output, places] : {std::pair("null:", 1), {"md5:", 1}, {"null:", 2}}) {
      SCOPED_TRACE(std::string(c.format) + " " + c.filter + " " + output + " in " +
                   std::to_string(places));
      const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
      MemorySource source({.format = find_format(av_get_pix_fmt(c.format)),
                           .width = c.width,
                           .height = c.height,
                           .frame_rate = {25, 1}},
                          options_for(GetParam()));
      expect_no_allocations(source, output, GetParam(), c.filter, {.stdout_fd = nowhere},
                            static_cast<std::size_t>(places));
      close(nowhere);
    }
}

// Each pipe has a thread at its far end, with memory of its own.
TEST_P(Allocations, NoneFromPipeToPipe) {
  if (!test::has(GetParam())) GTEST_SKIP() << "no such device";
  for (const char* kind : {"raw", "y4m"}) {
    SCOPED_TRACE(kind);
    const bool raw = kind == std::string("raw");
    std::array<int, 2> in{}, out{};
    ASSERT_EQ(pipe2(in.data(), O_CLOEXEC), 0);
    ASSERT_EQ(pipe2(out.data(), O_CLOEXEC), 0);
    const std::string header = raw ? "" : "YUV4MPEG2 W64 H48 F25:1 C420jpeg\n";
    const std::string frame = (raw ? "" : "FRAME\n") + std::string(64 * 48 * 3 / 2, 'x');
    std::jthread writer([&] {
      if (write(in[1], header.data(), header.size()) < 0) return;
      for (std::int64_t i = 0; i < last + 20; ++i)
        if (write(in[1], frame.data(), frame.size()) < 0) return;
      close(in[1]);
    });
    const auto drain = [](int fd) {
      std::array<char, 65536> bytes;
      while (read(fd, bytes.data(), bytes.size()) > 0) {
      }
    };
    std::jthread reader([&] { drain(out[0]); });
    try {
      SourceOptions options = options_for(GetParam());
      options.stdin_fd = in[0];
      if (raw) options.raw = "64x48:yuv420p@25";
      const auto source = open_source("-", options);
      expect_no_allocations(*source, "-", GetParam(), "sobel",
                            {.format = kind, .stdout_fd = out[1]});
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    drain(in[0]);  // bytes not read, for which the writer would wait
    writer.join();
    close(in[0]);
    close(out[1]);
    reader.join();
    close(out[0]);
  }
}

// Frames come in their own time, for as long as they like.
TEST_P(Allocations, NoneWhereFramesMayBeLate) {
  if (!test::has(GetParam())) GTEST_SKIP() << "no such device";
  SteppingSource source(
      {.format = find_format(AV_PIX_FMT_YUV420P), .width = 64, .height = 48, .frame_rate = {25, 1}},
      options_for(GetParam()));
  const auto processor =
      test::processor_for(source, {"box"}, {.device = GetParam(), .threads = 2, .variant = {}});
  CountingSink sink(open_sink("null:", {}, source.info()));
  find_driver();
  std::vector<std::size_t> memory;
  memory.reserve(last + 20);
  sink.after_write = [&] {
    memory.push_back(source.memory());
    source.step();
  };
  const RunResult result =
      run(source, *processor, sink, {.latency = latency_limits(60, source.video())});
  EXPECT_EQ(sink.frames(), last + 20);
  EXPECT_EQ(result.latency->dropped, 0);
  EXPECT_EQ(result.latency->frames(), last + 20);
  EXPECT_EQ(memory.back(), memory.at(first));
  EXPECT_EQ(sink.counts.back().host, sink.counts.front().host);
}

INSTANTIATE_TEST_SUITE_P(Devices, Allocations, testing::Values(Device::cpu, Device::cuda),
                         [](const auto& instance) {
                           return instance.param == Device::cpu ? "cpu" : "cuda";
                         });

// A line of libav*'s that cannot be kept is lost: no exception passes through its frames.
TEST(Allocations, LogLineWithoutMemory) {
  capture_av_log();
  take_av_line();
  const std::string line(500, 'x');
  no_memory = true;
  av_log(nullptr, AV_LOG_ERROR, "%s\n", line.c_str());
  no_memory = false;
  EXPECT_EQ(take_av_line(), "");
  av_log(nullptr, AV_LOG_ERROR, "%s\n", line.c_str());
  EXPECT_EQ(take_av_line(), line);
}

}  // namespace
}  // namespace vidconv
