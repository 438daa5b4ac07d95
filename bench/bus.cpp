// vidconv-bench bus: the bandwidth of the buses of this host's CUDA devices, by plain copies to a
// device and from it at once, on each device alone and on all of them together. There is no kernel
// and no pipeline.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/commands.h"

#ifdef VIDCONV_HAVE_CUDA
#include <array>
#include <barrier>
#include <chrono>
#include <exception>
#include <thread>

#include "bench/report.h"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device_buffer.h"
#include "pipeline/device/cuda.h"
#endif

namespace vidconv::bench {
namespace {

struct Settings {
  std::vector<int> devices;
  std::vector<std::size_t> bytes = {3110400, 12441600, 49766400};  // HD, 4K, 8K in yuv420p
  double seconds = 1;
  std::string json;
};

#ifdef VIDCONV_HAVE_CUDA

using cuda::check;
using Clock = std::chrono::steady_clock;

// Copies in both directions of one device, each in a stream of its own. Only the thread that made
// it may use it.
class Copies {
 public:
  Copies(int device, std::size_t bytes) : bytes_(bytes) {
    check(cudaSetDevice(device), "the device");
    const FrameMemory pinned = pinned_memory_near(node_of_device(device));
    for (Pair& pair : pairs_) {
      pair.there = cuda::DeviceBuffer(device, bytes);
      pair.here = {pinned.allocate(bytes, pinned.nodes), pinned.release};
      if (!pair.here) throw std::runtime_error("there is not enough pinned memory");
    }
    for (std::size_t way = 0; way < 2; ++way) {
      check(cudaStreamCreateWithFlags(&streams_[way], cudaStreamNonBlocking), "a stream");
      for (auto& round : ends_)
        check(cudaEventCreateWithFlags(&round[way], cudaEventDisableTiming), "an event");
    }
    round(0);
    wait(0);
  }
  ~Copies() {
    for (std::size_t way = 0; way < 2; ++way) {
      cudaStreamSynchronize(streams_[way]);
      cudaStreamDestroy(streams_[way]);
      for (auto& round : ends_) cudaEventDestroy(round[way]);
    }
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  // Returns bytes a second, each way. Blocks until all copies are done.
  double measure(double seconds) {
    const auto start = Clock::now();
    const auto taken = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    std::size_t rounds = 0;
    while (rounds < 4 || taken() < seconds) {
      wait(rounds % 2);
      round(rounds++ % 2);
    }
    wait(0);
    wait(1);
    const std::size_t pairs_each_way = pairs_.size() / 2;
    return static_cast<double>(rounds * bytes_ * pairs_each_way) / taken();
  }

 private:
  struct Pair {
    cuda::DeviceBuffer there;
    std::unique_ptr<std::byte, void (*)(std::byte*) noexcept> here{nullptr, nullptr};
  };

  // Half of the pairs are uploaded, the others are downloaded.
  void round(std::size_t number) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      if (i % 2 == 0)
        check(cudaMemcpyAsync(pair.there.data(), pair.here.get(), bytes_, cudaMemcpyHostToDevice,
                              streams_[0]),
              "upload");
      else
        check(cudaMemcpyAsync(pair.here.get(), pair.there.data(), bytes_, cudaMemcpyDeviceToHost,
                              streams_[1]),
              "download");
    }
    for (std::size_t way = 0; way < 2; ++way)
      check(cudaEventRecord(ends_[number][way], streams_[way]), "");
  }
  void wait(std::size_t number) {
    for (const cudaEvent_t end : ends_[number]) check(cudaEventSynchronize(end), "the copies");
  }

  const std::size_t bytes_;
  std::array<Pair, 16> pairs_;
  std::array<cudaStream_t, 2> streams_{};
  std::array<std::array<cudaEvent_t, 2>, 2> ends_{};
};

// Measures all of the devices at once; returns the rate of each in bytes a second.
std::vector<double> measure(const std::vector<int>& devices, std::size_t bytes, double seconds) {
  std::vector<double> rates(devices.size());
  std::vector<std::exception_ptr> failures(devices.size());
  std::barrier ready(std::ssize(devices));
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < devices.size(); ++i)
      threads.emplace_back([&, i] {
        try {
          Copies copies(devices[i], bytes);
          ready.arrive_and_wait();
          rates[i] = copies.measure(seconds);
        } catch (...) {
          failures[i] = std::current_exception();
          ready.arrive_and_drop();
        }
      });
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return rates;
}

int run(const Settings& settings) {
  const CudaDevices found = cuda_devices();
  if (found.devices.empty()) throw std::runtime_error(found.why_none);
  std::vector<int> devices = settings.devices;
  if (devices.empty())
    for (const CudaDevice& device : found.devices) devices.push_back(device.index);
  Table table{.id = "bus",
              .title = "GB/s each way, copies in both directions at once",
              .columns = {"bytes a copy"},
              .rows = {},
              .notes = {"together: the sum of all devices while all copy"}};
  for (const int device : devices) table.columns.push_back(fmt::format("cuda:{} alone", device));
  for (const int device : devices) table.columns.push_back(fmt::format("cuda:{} of all", device));
  table.columns.insert(table.columns.end(), {"together", "copies/s together"});
  for (const CudaDevice& device : found.devices)
    table.notes.push_back(fmt::format("cuda:{}: {}, NUMA node {}", device.index, device.name,
                                      device.node ? std::to_string(*device.node) : "unknown"));
  for (const std::size_t bytes : settings.bytes) {
    std::vector<Cell> row = {static_cast<double>(bytes)};
    for (const int device : devices)
      row.emplace_back(measure({device}, bytes, settings.seconds)[0] / 1e9);
    double together = 0;
    for (const double rate : measure(devices, bytes, settings.seconds)) {
      row.emplace_back(rate / 1e9);
      together += rate;
    }
    row.emplace_back(together / 1e9);
    row.emplace_back(together / static_cast<double>(bytes));
    table.add(std::move(row));
  }
  publish({.command = typed_command(), .machine = describe_machine(), .tables = {table}},
          settings.json);
  return 0;
}

#else

int run(const Settings&) { throw std::runtime_error("this build has no CUDA"); }

#endif

}  // namespace

Run bus_command(CLI::App& app) {
  auto settings = std::make_shared<Settings>();
  app.add_option("--device", settings->devices, "as in cuda:N; without any all of them")
      ->delimiter(',');
  app.add_option("--bytes", settings->bytes, "of one copy (default: an HD, a 4K and an 8K frame)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 30));
  app.add_option("--seconds", settings->seconds, "how long to measure each")
      ->check(CLI::Range(0.01, 600.0));
  app.add_option("--json", settings->json, "write JSON to this file; - for stdout");
  return [settings] { return run(*settings); };
}

}  // namespace vidconv::bench
