// interrupter CALL SIGNAL COMMAND... runs the command and sends it the signal when one of its
// threads begins system call CALL, counted over all threads from 0 at the start of the program. The
// exit code is the command's, or 128 plus the signal that killed it. Without such a call nothing is
// sent, and the last line of stderr is "interrupter: N calls". interrupter CALL SIGNAL -p PID takes
// a process that has stopped itself (SIGSTOP), and counts from there.
//
// A thread runs on untraced from its first stop after the signal: on a busy machine, the two stops
// of each traced call take long.
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

constexpr int at_call = SIGTRAP | 0x80;
constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;

// Returns the signal that a stopped thread was to get, to continue it with.
int signal_of(int status) {
  const int signal = WSTOPSIG(status);
  const bool ours = signal == at_call || status >> 16 != 0 || signal == SIGSTOP;
  return ours || signal == SIGTRAP ? 0 : signal;
}

bool begins_call(pid_t thread) {
  __ptrace_syscall_info info{};
  return ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0 &&
         info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

// Starts the command, which stops where its program begins.
pid_t start(char** command) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execvp(command[0], command);
    _exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return -1;
  ptrace(PTRACE_SETOPTIONS, child, nullptr, options);
  return child;
}

pid_t take(const char* id) {
  const pid_t process = std::atoi(id);
  int status = 0;
  if (ptrace(PTRACE_SEIZE, process, nullptr, options) != 0 ||
      ptrace(PTRACE_INTERRUPT, process, nullptr, nullptr) != 0 ||
      waitpid(process, &status, __WALL) != process)
    return -1;
  kill(process, SIGCONT);
  return process;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const long wanted = std::atol(argv[1]);
  const int number = std::atoi(argv[2]);
  const bool runs = argc == 5 && std::string_view(argv[3]) == "-p";
  const pid_t process = runs ? take(argv[4]) : start(argv + 3);
  if (process < 0) return 127;
  ptrace(PTRACE_SYSCALL, process, nullptr, nullptr);
  int status = 0;
  long calls = 0;
  bool sent = false;
  for (;;) {
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0 && errno == EINTR) continue;
    if (thread < 0) return runs && sent ? 0 : 127;  // another's child is not waited for untraced
    if (!WIFSTOPPED(status)) {
      if (thread != process) continue;
      break;
    }
    if (WSTOPSIG(status) == at_call && begins_call(thread) && calls++ == wanted)
      sent = kill(process, number) == 0;
    ptrace(sent ? PTRACE_DETACH : PTRACE_SYSCALL, thread, nullptr, signal_of(status));
  }
  if (calls <= wanted) std::fprintf(stderr, "interrupter: %ld calls\n", calls);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
