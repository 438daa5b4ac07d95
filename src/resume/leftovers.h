// Folders that runs with --resume have left, for --list-resumable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vidconv {

// A folder that a run has left.
struct Leftover {
  std::string path, output, input;
  std::vector<std::string> command;
  std::size_t shards = 0;
  std::int64_t bytes = 0;
  bool at_work = false;  // a run is
};
// All in this folder, by name. Throws Error(resume) where it cannot be read.
std::vector<Leftover> leftovers_in(const std::string& folder);

}  // namespace vidconv
