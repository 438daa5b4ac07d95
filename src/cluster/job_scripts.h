// Writes jobs for schedulers: `vidconv shard` for each shard, then `vidconv join`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/cluster/cluster_words.h"

namespace vidconv {

// The words on the workers' command lines, which a plan does not hold.
struct WorkersLines {
  std::string folder, output, audit;  // absolute; no audit: empty
  std::vector<std::string> machine;   // KeptWords::machine
};
std::string job_script(JobScript kind, const WorkersLines& told, std::size_t parts);

}  // namespace vidconv
