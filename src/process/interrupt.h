// Handles Ctrl-C and its kin: the first asks for an early end, the second ends at once.
#pragma once

#include <atomic>

namespace vidconv {

// Returns a flag that SIGINT, SIGTERM and SIGHUP set; a second signal removes unfinished files and
// ends the process. A signal that was ignored before (nohup) stays ignored. Affects the whole
// process.
const std::atomic<bool>& install_interrupt_handlers();

// Returns the signal that has arrived, or 0.
int interrupting_signal();

}  // namespace vidconv
