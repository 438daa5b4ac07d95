#include "bench/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <vector>

#include "pipeline/av/pool.h"

#ifdef VIDCONV_HAVE_CUDA
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device_buffer.h"
#endif

namespace vidconv::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Allocates memory as the program does for frames: where planes begin in pages decides which loads
// wait for stores.
std::shared_ptr<std::byte> host_memory(std::size_t bytes) {
  std::byte* const memory = allocate_pages(bytes);
  if (!memory) throw std::bad_alloc();
  return {memory, plain_memory.release};
}

#ifdef VIDCONV_HAVE_CUDA
using cuda::check;

// Allocates memory of the first device, on which everything is measured.
std::shared_ptr<std::byte> device_memory(std::size_t bytes) {
  const auto owner = std::make_shared<cuda::DeviceBuffer>(0, bytes);
  return {owner, owner->data()};
}

cudaStream_t the_stream() {
  static const cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "a stream");
    return made;
  }();
  return stream;
}

double event_seconds(const Body& body, int first, int runs) {
  static const auto events = [] {
    std::array<cudaEvent_t, 2> made{};
    for (cudaEvent_t& event : made) check(cudaEventCreate(&event), "an event");
    return made;
  }();
  check(cudaEventRecord(events[0], the_stream()), "event");
  for (int i = 0; i < runs; ++i) body(first + i);
  check(cudaEventRecord(events[1], the_stream()), "event");
  check(cudaEventSynchronize(events[1]), "the measured work");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, events[0], events[1]), "event");
  return 1e-3 * static_cast<double>(milliseconds);
}
#endif

double clock_seconds(const Body& body, int first, int runs) {
  const auto start = Clock::now();
  for (int i = 0; i < runs; ++i) body(first + i);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

#ifdef VIDCONV_HAVE_CUDA

bool have_cuda() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

std::string describe_gpu() {
  if (!have_cuda()) return "no CUDA device";
  cudaDeviceProp properties;
  int driver = 0;
  check(cudaGetDeviceProperties(&properties, 0), "the device");
  check(cudaDriverGetVersion(&driver), "the driver");
  return fmt::format("{}, {} multiprocessors; driver for CUDA {}.{}, runtime {}.{}",
                     properties.name, properties.multiProcessorCount, driver / 1000,
                     driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}

Memory::Memory(Device device, std::size_t bytes)
    : device_(device),
      size_(bytes),
      data_(device == Device::cpu ? host_memory(bytes) : device_memory(bytes)) {}

void Memory::upload(std::span<const std::byte> from) const {
  if (device_ == Device::cpu) {
    std::memcpy(data(), from.data(), from.size());
    return;
  }
  check(cudaMemcpy(data(), from.data(), from.size(), cudaMemcpyHostToDevice), "upload");
  // From pageable memory, cudaMemcpy() returns when the driver has taken the bytes, not when they
  // have arrived; the stream of the measurements does not wait for the stream of the copy.
  check(cudaStreamSynchronize(nullptr), "upload");
}

void Memory::download(std::span<std::byte> to) const {
  if (device_ == Device::cpu)
    std::memcpy(to.data(), data(), to.size());
  else
    check(cudaMemcpy(to.data(), data(), to.size(), cudaMemcpyDeviceToHost), "download");
}

CudaStream stream_of(Device device) { return device == Device::cuda ? the_stream() : nullptr; }

void wait(Device device) {
  if (device == Device::cuda) check(cudaStreamSynchronize(the_stream()), "the measured work");
}

#else

bool have_cuda() { return false; }
std::string describe_gpu() { return "a build without CUDA"; }

Memory::Memory(Device, std::size_t bytes)
    : device_(Device::cpu), size_(bytes), data_(host_memory(bytes)) {}
void Memory::upload(std::span<const std::byte> from) const {
  std::memcpy(data(), from.data(), from.size());
}
void Memory::download(std::span<std::byte> to) const { std::memcpy(to.data(), data(), to.size()); }
CudaStream stream_of(Device) { return nullptr; }
void wait(Device) {}

#endif

double median_seconds(Device device, const Body& body, const Effort& effort) {
  int next = 0;
  const auto seconds = [&](int runs) {
    const int first = next;
    next += runs;
#ifdef VIDCONV_HAVE_CUDA
    if (device == Device::cuda) return event_seconds(body, first, runs);
#endif
    return clock_seconds(body, first, runs);
  };
  // One run to wake everything; then samples of at least a millisecond, or a share of the effort.
  const double woken = seconds(1);
  if (device == Device::cpu && woken > effort.seconds) return std::min(woken, seconds(1));
  const double sample = std::max(1e-3, effort.seconds / effort.samples);
  int runs = 1;
  double taken = seconds(runs);
  while (taken < sample / 2 && runs < 1 << 16) {
    runs *= 2;
    taken = seconds(runs);
  }
  std::vector<double> samples = {taken / runs};
  double total = taken;
  while (static_cast<int>(samples.size()) < effort.samples &&
         (samples.size() < 3 || total < effort.seconds)) {
    taken = seconds(runs);
    total += taken;
    samples.push_back(taken / runs);
  }
  if (effort.fastest) return std::ranges::min(samples);
  std::ranges::nth_element(samples, samples.begin() + std::ssize(samples) / 2);
  return samples[samples.size() / 2];
}

}  // namespace vidconv::bench
