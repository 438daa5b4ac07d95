// interrupter CALL SIGNAL COMMAND... runs the command and sends it the signal when one of its
// threads begins system call CALL, counted over all threads from 0 at the start of the program. The
// exit code is the command's, or 128 plus the signal that killed it. Without such a call nothing is
// sent, and the last line of stderr is "interrupter: N calls". With INTERRUPTER_FROM=NUMBER
// counting begins at the first system call of that number. Each thread runs on untraced from its
// first stop after the signal, since a traced system call takes two stops, which take long on a
// busy machine.
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace {

constexpr int at_call = SIGTRAP | 0x80;
constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;

// Continues a stopped thread with the signal that it was to get.
int signal_of(int status) {
  const int signal = WSTOPSIG(status);
  const bool ours = signal == at_call || status >> 16 != 0 || signal == SIGSTOP;
  return ours || signal == SIGTRAP ? 0 : signal;
}

long number_of_call(pid_t thread) {
  __ptrace_syscall_info info{};
  const long size = ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info);
  return size > 0 ? static_cast<long>(info.entry.nr) : -1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const long wanted = std::atol(argv[1]);
  const int number = std::atoi(argv[2]);
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execvp(argv[3], argv + 3);
    _exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return 127;
  ptrace(PTRACE_SETOPTIONS, child, nullptr, options);
  ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  const char* const from = std::getenv("INTERRUPTER_FROM");
  bool counts = from == nullptr;
  std::set<pid_t> inside;  // threads that are inside a system call
  long calls = 0;
  bool sent = false;
  for (;;) {
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0 && errno == EINTR) continue;
    if (thread < 0) return 127;
    if (!WIFSTOPPED(status)) {
      if (thread != child) continue;
      break;
    }
    if (WSTOPSIG(status) == at_call) {
      if (inside.erase(thread) == 0) {
        inside.insert(thread);
        counts = counts || number_of_call(thread) == std::atol(from);
        if (counts && calls++ == wanted) sent = kill(child, number) == 0;
      }
    }
    ptrace(sent ? PTRACE_DETACH : PTRACE_SYSCALL, thread, nullptr, signal_of(status));
  }
  if (calls <= wanted) std::fprintf(stderr, "interrupter: %ld calls\n", calls);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
