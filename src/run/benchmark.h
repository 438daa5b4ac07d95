// --benchmark: what the machine can do when no codec holds it up, as a table.
#pragma once

#include <string>

#include "pipeline/run/benchmark.h"
#include "pipeline/source/source.h"
#include "src/run/sandbox.h"

namespace vidconv {

// Reads a few frames of `source` and measures.
BenchmarkResult run_benchmark(Source& source, Processor& processor, double seconds);

// For people, and for --stats.
std::string benchmark_table(const BenchmarkResult& result, const Source& source,
                            const Processor& processor);
std::string benchmark_json(const BenchmarkResult& result, const Source& source,
                           const Processor& processor, const Sandbox* sandbox);

}  // namespace vidconv
