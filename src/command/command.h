// One run over one input, from the options to the exit code.
#pragma once

#include <cstdint>

#include "pipeline/base/error.h"
#include "src/options/options.h"

namespace vidconv {

// Says what fails, and throws nothing. Returns the exit code.
int run_command(const Options& options);

// Returns the exit code of a run that failed after `frames` frames. A signal before the first frame
// gives 128 + its number; later that code would promise a finished output.
int exit_code(const Error& error, std::int64_t frames);

}  // namespace vidconv
