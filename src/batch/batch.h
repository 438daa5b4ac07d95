// A run of several inputs in one process: the device stays awake, threads and memory are kept.
#pragma once

#include "src/options/options.h"

namespace vidconv {

// Filters all of them, with the bytes that a run of each would give, and says of each what became
// of it. The worst exit code (worse_exit_code.h) of all. Throws Error before there is any output:
// where names clash, and where the device is not there.
int run_batch(const Options& options);

}  // namespace vidconv
