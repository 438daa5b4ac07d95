#include "pipeline/run/benchmark.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "pipeline/base/stopwatch.h"
#include "pipeline/filter/frame_stages.h"

namespace vidconv {
namespace {

// Returns frames per second through concurrent submit() and collect(). Counting starts with the
// first frame that comes out.
double measure_overlapped(Processor& processor, std::span<const Frame> samples, double seconds,
                          const FrameReach& reach) {
  std::vector<std::shared_ptr<const Frame>> around;
  if (samples[0].window())
    for (const Frame& sample : samples)
      around.push_back(std::make_shared<const Frame>(sample.share()));
  // Windows of a video that goes on: the samples' own do not follow one another.
  const auto frame_of = [&](std::size_t n) {
    Frame frame = samples[n % samples.size()].share();
    if (!around.empty())
      frame.set_window(sample_window(reach, static_cast<std::int64_t>(n), around));
    return frame;
  };
  std::exception_ptr failure;
  std::jthread feeder([&] {
    try {
      const auto start = Clock::now();
      for (std::size_t n = 0; n < 2 || seconds_since(start) < seconds; ++n)
        if (!processor.submit(frame_of(n))) return;
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

std::size_t sample_count(const FrameReach& reach) {
  constexpr std::int64_t fewest = 8;
  return static_cast<std::size_t>(fewest + reach.before + reach.after);
}

BenchmarkResult benchmark(Processor& processor, std::span<const Frame> samples, double seconds,
                          const FrameReach& reach) {
  BenchmarkResult result;
  result.samples = samples.size();
  std::vector<StageRate> buses = processor.measure_bus(samples[0], seconds);
  if (!buses.empty()) {
    result.bus = buses[0];
    result.buses.assign(buses.begin() + 1, buses.end());
  }
  result.alone = processor.measure_stages(samples[0], seconds);
  result.overlapped = measure_overlapped(processor, samples, seconds, reach);
  const auto slowest = std::ranges::min_element(result.alone, {}, &StageRate::frames_per_second);
  result.slowest = slowest->name;
  result.efficiency = result.overlapped / slowest->frames_per_second;
  if (result.bus) result.of_bus = result.overlapped / result.bus->frames_per_second;
  return result;
}

}  // namespace vidconv
