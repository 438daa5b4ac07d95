// Measures how fast the processor is when neither a decoder nor an encoder holds it up.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/filter/processor.h"

namespace vidconv {

struct BenchmarkResult {
  std::size_t samples = 0;  // the frames that were measured with
  // The rate of copies alone with frames of this size, to the device and back at once; none where
  // there is no device or frames are not copied to it.
  std::optional<StageRate> bus;
  std::vector<StageRate> buses;  // with several devices: each alone, while `bus` is for all at once
  std::vector<StageRate> alone;  // each stage by itself
  double overlapped = 0;         // all at once, frames per second
  // The slowest of `alone`, and overlapped / its rate: 1 is the best possible.
  std::string slowest;
  double efficiency = 0;
  // The share of the bus's rate that is used, overlapped / bus; 0 where there is no bus.
  double of_bus = 0;
};

// Measures `processor` with the frames in `samples`, which are used in turn and not changed, for
// about `seconds` each for the bus, for each stage and for all overlapped. `reach` is that of the
// processor's work. Closes the processor afterwards.
BenchmarkResult benchmark(Processor& processor, std::span<const Frame> samples, double seconds,
                          const FrameReach& reach = {});
// Returns how many frames to measure with: so many that no cache holds them all, and no window one
// of them twice.
std::size_t sample_count(const FrameReach& reach);

}  // namespace vidconv
