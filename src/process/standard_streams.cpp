#include "src/process/standard_streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <exception>
#include <string>

#include "pipeline/base/printable.h"
#include "pipeline/io/byte_io.h"
#include "pipeline/platform/process.h"

namespace vidconv {
namespace {

// A write of this size to a pipe is atomic (PIPE_BUF), whoever else writes to it.
constexpr std::size_t longest_line = 4000;
constexpr int patience_milliseconds = 1000;

std::atomic<bool> nobody_reads{false};  // later writes do not wait for a reader again

// Drops text that cannot be written.
void write_on_stderr(std::string_view text, Patience patience) {
  const bool waits = patience == Patience::a_moment && !nobody_reads;
  while (!text.empty()) {
    pollfd out{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    const int ready = poll(&out, 1, waits ? patience_milliseconds : 0);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && waits) nobody_reads = true;
    if (ready <= 0) return;
    const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return;
    nobody_reads = false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

void prepare_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0) open("/", O_PATH);  // gets the lowest number that is free
  catch_library_words();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void print(std::string_view text) {
  ByteWriter(STDOUT_FILENO, "standard output").write(printable(text, "\n"));
}

void print_for_programs(std::string_view text) {
  if (isatty(STDOUT_FILENO)) return print(text);
  ByteWriter(STDOUT_FILENO, "standard output").write(text);
}

void print_error_line(std::string_view line, Patience patience) noexcept {
  try {
    write_on_stderr(shortened(printable(line), longest_line) + "\n", patience);
  } catch (const std::exception&) {  // no memory for it
  }
}

void draw_on_stderr(std::string_view text) noexcept { write_on_stderr(text, Patience::none); }

}  // namespace vidconv
