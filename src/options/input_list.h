// The inputs of a run of several: those of the command line, of lists and of folders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/notice.h"
#include "src/options/options.h"

namespace vidconv {

struct ListedInput {
  std::string input;   // as one of the command line
  std::string folder;  // as NamedInput::folder
};

// In the order in which they were named, those of a folder by their names. `notify` hears what of a
// folder is left out. Throws Error(usage) for a folder without --recursive, Error(input) for a list
// or a folder that cannot be read, or where there is nothing.
std::vector<ListedInput> list_inputs(const Options& options, const Notify& notify);

// Whether a file of a folder is called as videos are.
bool has_video_ending(std::string_view name);

}  // namespace vidconv
