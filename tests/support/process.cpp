#include "tests/support/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

extern char** environ;

namespace vidconv::test {
namespace {

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "pipe2");
    read = ends[0];
    write = ends[1];
  }
  int read, write;
};

}  // namespace

bool all_threads_sleep(pid_t pid) {
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  std::error_code gone;
  for (const auto& task : std::filesystem::directory_iterator(tasks, gone)) {
    if (task.path().filename() == std::to_string(::gettid())) continue;
    std::ifstream file(task.path() / "stat");
    std::string stat;
    // A thread that has ended meanwhile has no line. The state follows the name in parentheses.
    if (!std::getline(file, stat)) continue;
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos || stat.substr(name_end + 2, 1) != "S") return false;
  }
  return !gone;
}

Process::Process(const std::vector<std::string>& argv, const std::string& stdin_path) {
  const Pipe out, err;
  out_ = out.read;
  err_ = err.read;

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, stdin_path.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out.write, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err.write, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  sigset_t ignored_in_the_background;  // a shell ignores these for tests in the background
  sigemptyset(&ignored_in_the_background);
  sigaddset(&ignored_in_the_background, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &ignored_in_the_background);

  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int error =
      posix_spawnp(&pid_, arguments[0], &files, &attributes, arguments.data(), environ);

  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  ::close(out.write);
  ::close(err.write);
  if (error != 0) {
    pid_ = -1;
    close_pipes();
    fail(error, "cannot start " + argv[0]);
  }
}

Process::~Process() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  close_pipes();
}

bool Process::wait_for_stderr(const std::string& text, std::chrono::seconds limit) {
  const Deadline deadline = std::chrono::steady_clock::now() + limit;
  while (result_.err.find(text) == std::string::npos)
    if (!read_some(deadline)) return false;
  return true;
}

bool Process::wait_until_it_waits(std::chrono::seconds limit) const {
  const Deadline deadline = std::chrono::steady_clock::now() + limit;
  for (int in_a_row = 0; in_a_row < 10;) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    in_a_row = all_threads_sleep(pid_) ? in_a_row + 1 : 0;
  }
  return true;
}

void Process::signal(int number) const { ::kill(pid_, number); }

Result Process::wait(std::chrono::seconds limit) {
  const Deadline deadline = std::chrono::steady_clock::now() + limit;
  while (read_some(deadline)) {
  }
  // Both pipes are closed, or the time is up. A program that closes its output ends soon.
  if (std::chrono::steady_clock::now() >= deadline) {
    result_.timed_out = true;
    ::kill(-pid_, SIGKILL);
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result_;
}

bool Process::read_some(Deadline deadline) {
  using std::chrono::milliseconds;
  std::array<pollfd, 2> pipes{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};  // poll skips negative ones
  if (out_ < 0 && err_ < 0) return false;
  const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
  if (left <= milliseconds(0)) return false;
  if (::poll(pipes.data(), pipes.size(), static_cast<int>(left.count())) < 0 && errno != EINTR)
    fail(errno, "poll");

  const auto take = [](const pollfd& ready, int& pipe, std::string& text) {
    if (ready.revents == 0) return;
    std::array<char, 65536> block;
    const ssize_t size = ::read(pipe, block.data(), block.size());
    if (size > 0) {
      text.append(block.data(), static_cast<std::size_t>(size));
    } else {
      ::close(pipe);
      pipe = -1;
    }
  };
  take(pipes[0], out_, result_.out);
  take(pipes[1], err_, result_.err);
  return true;
}

void Process::close_pipes() {
  for (int* pipe : {&out_, &err_}) {
    if (*pipe >= 0) ::close(*pipe);
    *pipe = -1;
  }
}

Result execute(const std::vector<std::string>& argv, const std::string& stdin_path) {
  return Process(argv, stdin_path).wait();
}

Result shell(const std::string& line) { return execute({"bash", "-o", "pipefail", "-c", line}); }

std::string output_of(const std::string& line) {
  const Result result = shell(line);
  EXPECT_EQ(result.exit_code, 0) << line << "\n" << result.err;
  return result.out;
}

}  // namespace vidconv::test
