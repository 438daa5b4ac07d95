// --list-resumable: what --resume has kept of runs that were ended.
#pragma once

#include <string>

namespace vidconv {

// Prints a line for each run that can go on of which a folder holds something. Throws Error(resume)
// where that cannot be read.
void list_resumable(const std::string& folder);

}  // namespace vidconv
