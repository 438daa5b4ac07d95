// Ctrl-C and its kin: the first asks for an early end, the second ends at once.
#pragma once

#include <atomic>

namespace vidconv {

// SIGINT and SIGTERM set the flag that is returned; when it is set already they end the process.
// For the whole process.
const std::atomic<bool>& install_interrupt_handlers();

// The signal that came, 0 where none did.
int interrupting_signal();

}  // namespace vidconv
