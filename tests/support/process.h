// Runs a program and keeps its output; tests run vidconv and its judges with this.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace vidconv::test {

struct Result {
  int exit_code = -1;  // 128 + signal if a signal ended it, as in a shell
  bool timed_out = false;
  std::string out, err;
};

// Returns whether each thread of a process, except the calling one, is in an interruptible sleep:
// none runs, is about to run, or reads a disk.
bool all_threads_sleep(pid_t pid);

// A running program in a process group of its own. Not copyable; the destructor kills the group if
// the program still runs.
class Process {
 public:
  // Starts the program. argv[0] is looked up in PATH; stdin is the file `stdin_path`.
  explicit Process(const std::vector<std::string>& argv,
                   const std::string& stdin_path = "/dev/null");
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Waits until stderr contains `text`. Returns false if the program closes stderr or `limit`
  // passes first.
  bool wait_for_stderr(const std::string& text, std::chrono::seconds limit);

  // Waits until all threads of the program sleep, so that it waits for something outside. Checks
  // several times in a row, because threads wait for each other too. Returns false if `limit`
  // passes first.
  bool wait_until_it_waits(std::chrono::seconds limit) const;

  // Sends a signal to the program alone.
  void signal(int number) const;

  // Waits for the end; if `limit` passes first, kills the group and sets Result::timed_out.
  Result wait(std::chrono::seconds limit = std::chrono::seconds(120));

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  // Reads from both pipes, waiting for data until `deadline`. Returns false at the end of both or
  // at the deadline.
  bool read_some(Deadline deadline);
  void close_pipes();

  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;
  Result result_;
};

Result execute(const std::vector<std::string>& argv, const std::string& stdin_path = "/dev/null");

// Runs a line in bash; it fails if any program of a pipe fails.
Result shell(const std::string& line);
// Returns what the shell line writes to stdout; the test fails where the line does.
std::string output_of(const std::string& line);

}  // namespace vidconv::test
