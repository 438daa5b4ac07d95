// Runs one input into several outputs: it is read and decoded once, and each output is what a run
// of its own would have made.
#pragma once

#include <vector>

#include "src/options/options.h"

namespace vidconv {

// `options`: of each output, as parse_outputs() returns them. Returns the exit code.
int run_outputs(const std::vector<Options>& options);

}  // namespace vidconv
