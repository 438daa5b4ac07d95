// The command gives up rights that its run does not need, so that a file which takes it over
// through a decoder's fault gains little. SECURITY.md lists them.
#pragma once

#include <string>
#include <vector>

#include "src/options/batch_plan.h"
#include "src/options/options.h"

namespace vidconv {

struct Sandbox {
  int abi = 0;                        // the kernel's version of Landlock; 0: none
  std::vector<std::string> in_force;  // some of "files", "truncation", "network", "sockets",
                                      // "signals", "system_calls"
  std::string why_not;                // why nothing of Landlock is in force; empty if something is
};

// Returns whether the output is encoded by a chip.
bool encodes_on_chip(const Options& options);

// To be called before there is a second thread: existing threads would keep their rights. Never
// fails: what the kernel cannot refuse stays permitted.
// `folders` are written in addition to what the options name; empty names are ignored. `files` are
// those of a run of several, in place of the options' input and outputs.
Sandbox enter_sandbox(const Options& options, const std::vector<std::string>& folders = {},
                      const std::vector<BatchFile>& files = {});

}  // namespace vidconv
