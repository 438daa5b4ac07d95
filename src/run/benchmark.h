// --benchmark measures how fast the machine filters when no codec limits it.
#pragma once

#include <string>

#include "pipeline/run/benchmark.h"
#include "pipeline/source/source.h"
#include "src/run/sandbox.h"

namespace vidconv {

// Reads a few frames of `source` and filters them for `seconds`.
BenchmarkResult run_benchmark(Source& source, Processor& processor, double seconds,
                              const FrameReach& reach);

// Return the result as a table for people, and as JSON for --stats.
std::string benchmark_table(const BenchmarkResult& result, const Source& source,
                            const Processor& processor);
std::string benchmark_json(const BenchmarkResult& result, const Source& source,
                           const Processor& processor, const Sandbox* sandbox);

}  // namespace vidconv
