// Ctrl-C and its kin: the first asks for an early end, the second ends at once.
#pragma once

#include <atomic>

namespace vidconv {

// SIGINT, SIGTERM and SIGHUP, unless that was ignored before (nohup), set the flag that is
// returned; when it is set already they remove unfinished files and end the process. For the whole
// process.
const std::atomic<bool>& install_interrupt_handlers();

// The signal that came, 0 where none did.
int interrupting_signal();

}  // namespace vidconv
