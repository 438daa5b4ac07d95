// Filters several inputs in one process, which keeps its device awake, its threads and its memory.
#pragma once

#include "src/options/options.h"

namespace vidconv {

// Filters each input to the bytes that a run of its own would give, and reports each outcome.
// Returns the worst exit code (worse_exit_code.h). Throws Error before there is any output if names
// clash or the device is missing.
int run_batch(const Options& options);

}  // namespace vidconv
