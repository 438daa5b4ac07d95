#include "pipeline/run/benchmark.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "pipeline/base/stopwatch.h"

namespace vidconv {
namespace {

// Returns frames per second through concurrent submit() and collect(). Counting starts with the
// first frame that comes out.
double measure_overlapped(Processor& processor, std::span<const Frame> samples, double seconds) {
  std::exception_ptr failure;
  std::jthread feeder([&] {
    try {
      const auto start = Clock::now();
      for (std::size_t n = 0; n < 2 || seconds_since(start) < seconds; ++n)
        if (!processor.submit(samples[n % samples.size()].share())) return;
      processor.close();
    } catch (...) {
      failure = std::current_exception();
      processor.cancel();
    }
  });

  Clock::time_point first;
  double taken = 0;
  int frames = -1;
  try {
    while (processor.collect()) {
      if (++frames == 0) first = Clock::now();
      taken = seconds_since(first);
    }
  } catch (...) {
    processor.cancel();
    throw;
  }
  feeder.join();
  if (failure) std::rethrow_exception(failure);
  return taken > 0 ? frames / taken : 0;
}

}  // namespace

BenchmarkResult benchmark(Processor& processor, std::span<const Frame> samples, double seconds) {
  BenchmarkResult result;
  std::vector<StageRate> buses = processor.measure_bus(samples[0], seconds);
  if (!buses.empty()) {
    result.bus = buses[0];
    result.buses.assign(buses.begin() + 1, buses.end());
  }
  result.alone = processor.measure_stages(samples[0], seconds);
  result.overlapped = measure_overlapped(processor, samples, seconds);
  const auto slowest = std::ranges::min_element(result.alone, {}, &StageRate::frames_per_second);
  result.slowest = slowest->name;
  result.efficiency = result.overlapped / slowest->frames_per_second;
  if (result.bus) result.of_bus = result.overlapped / result.bus->frames_per_second;
  return result;
}

}  // namespace vidconv
