#include "src/process/interrupt.h"

#include <unistd.h>

#include <csignal>

#include "pipeline/io/partial_name.h"

namespace vidconv {
namespace {

std::atomic<bool> interrupted{false};
std::atomic<int> signal_number{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler may only use lock-free atomics");

extern "C" void on_signal(int number) {
  if (interrupted.exchange(true) && remove_partial_files()) _exit(128 + number);
  signal_number = number;
}

}  // namespace

const std::atomic<bool>& install_interrupt_handlers() {
  struct sigaction action {};
  action.sa_handler = on_signal;  // without SA_RESTART, so that a blocked read returns
  sigemptyset(&action.sa_mask);
  // A signal that was ignored when the program started stays ignored: nohup, and scripts that start
  // it with '&'.
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr);
  }
  return interrupted;
}

int interrupting_signal() { return signal_number; }

}  // namespace vidconv
