// --benchmark: what the machine can do when no codec holds it up, as a table.
#pragma once

#include <string>

#include "pipeline/processor.h"
#include "pipeline/source.h"

namespace vidconv {

// Reads a few frames of `source`, measures, and returns the table.
std::string run_benchmark(Source& source, Processor& processor, double seconds);

}  // namespace vidconv
