// A command line of several outputs: each has the options behind its -o, and those before the first
// -o where it has none of its own.
#pragma once

#include <vector>

#include "src/options/options.h"

namespace vidconv {

// Returns the options of each output as if it were the only one; none where there are not several.
// Throws Error(usage) for what does not go with several, or does not belong behind an output.
std::vector<Options> parse_outputs(int argc, const char* const* argv);

}  // namespace vidconv
