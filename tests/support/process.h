// Runs a program and keeps what it said: how these tests see vidconv and its judges.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace vidconv::test {

struct Result {
  int exit_code = -1;  // 128 + signal where a signal ended it, as a shell reports it
  bool timed_out = false;
  std::string out, err;
};

// Whether each thread of a process, but for the one that asks, is in an interruptible sleep: none
// runs, is about to, or reads a disk.
bool all_threads_sleep(pid_t pid);

// A running program in a process group of its own. Not copyable; killed with its group where it
// still runs when this object goes.
class Process {
 public:
  // argv[0] is looked up in PATH. stdin is the file `stdin_path`.
  explicit Process(const std::vector<std::string>& argv,
                   const std::string& stdin_path = "/dev/null");
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Reads on until stderr contains `text`. False where the program closes it or `limit` passes
  // first.
  bool wait_for_stderr(const std::string& text, std::chrono::seconds limit);

  // Waits until all threads of the program sleep, so that it waits for something outside of it:
  // seen several times in a row, because threads wait for each other too. False where `limit`
  // passes first.
  bool wait_until_it_waits(std::chrono::seconds limit) const;

  // Sends a signal to the program alone.
  void signal(int number) const;

  // Waits for the end; where `limit` passes first, kills the group and says so in the result.
  Result wait(std::chrono::seconds limit = std::chrono::seconds(120));

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  // Takes what has been written to either pipe, waiting for something until `deadline`. False at
  // the end of both or at the deadline.
  bool read_some(Deadline deadline);
  void close_pipes();

  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;
  Result result_;
};

Result execute(const std::vector<std::string>& argv, const std::string& stdin_path = "/dev/null");

// A line for bash, which fails where any program of a pipe fails.
Result shell(const std::string& line);
// Returns what the shell line writes to stdout; the test fails where the line does.
std::string output_of(const std::string& line);

}  // namespace vidconv::test
