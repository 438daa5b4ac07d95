// Lists the inputs of a run of several: from the command line, from lists and from folders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/notice.h"
#include "src/options/options.h"

namespace vidconv {

struct ListedInput {
  std::string input;   // as on the command line
  std::string folder;  // as NamedInput::folder
};

// Returns the inputs in the order in which they were named, a folder's files sorted by name.
// `notify` hears which of a folder's files are left out. Throws Error(usage) for a folder without
// --recursive, Error(input) if a list or a folder cannot be read or there is no input.
std::vector<ListedInput> list_inputs(const Options& options, const Notify& notify);

// Returns whether a file's extension is one that videos have.
bool has_video_ending(std::string_view name);

}  // namespace vidconv
