// benchmark(): how fast the processor is when neither a decoder nor an encoder holds it up.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/filter/processor.h"

namespace vidconv {

struct BenchmarkResult {
  // What copies alone reach with frames of this size, to the device and back at once; none where
  // there is no device or frames are not copied to it.
  std::optional<StageRate> bus;
  std::vector<StageRate> buses;  // of several devices, which `bus` is of all at once: each alone
  std::vector<StageRate> alone;  // each stage by itself
  double overlapped = 0;         // all at once, frames per second
  // The slowest of `alone`, and overlapped / its rate: 1 is as good as it gets.
  std::string slowest;
  double efficiency = 0;
  // overlapped / bus: how much of what the bus carries is used; 0 where there is no bus.
  double of_bus = 0;
};

// Measures `processor` with the frames in `samples`, which are used in turn and not changed, for
// about `seconds` for the bus, each stage and all overlapped. The processor is closed afterwards.
BenchmarkResult benchmark(Processor& processor, std::span<const Frame> samples, double seconds);

}  // namespace vidconv
