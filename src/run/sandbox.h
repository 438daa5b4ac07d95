// The command gives up what its run does not need, so that a file which takes it over through a
// fault in a decoder gets hold of little. SECURITY.md says what that is.
#pragma once

#include <string>
#include <vector>

#include "src/options/batch_plan.h"
#include "src/options/options.h"

namespace vidconv {

struct Sandbox {
  int abi = 0;                        // the kernel's version of Landlock; 0: none
  std::vector<std::string> in_force;  // of "files", "truncation", "network", "sockets", "signals",
                                      // "system_calls"
  std::string why_not;                // nothing of Landlock is in force
};

// To be called before there is a second thread: others go on as they are. Never fails: where
// something cannot be refused, the run goes on without.
// `folders`: that are written beside what the options name; empty ones are none. `files`: those of
// a run of several, instead of the input and outputs of the options.
Sandbox enter_sandbox(const Options& options, const std::vector<std::string>& folders = {},
                      const std::vector<BatchFile>& files = {});

}  // namespace vidconv
