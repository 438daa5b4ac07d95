// benchmark(): how fast the processor is when neither a decoder nor an encoder holds it up.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "pipeline/processor.h"

namespace vidconv {

struct BenchmarkResult {
  std::vector<StageRate> alone;  // each stage by itself
  double overlapped = 0;         // all at once, frames per second
  // The slowest of `alone`, and overlapped / its rate: 1 is as good as it gets.
  std::string slowest;
  double efficiency = 0;
};

// Measures `processor` with the frames in `samples`, which are used in turn and not changed, for
// about `seconds` per stage and as long overlapped. The processor is closed afterwards.
BenchmarkResult benchmark(Processor& processor, std::span<const Frame> samples, double seconds);

}  // namespace vidconv
