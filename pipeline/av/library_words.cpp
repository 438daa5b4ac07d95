#include "pipeline/av/library_words.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <sstream>

#include "pipeline/av/process.h"

namespace vidconv {
namespace {

std::mutex one_at_a_time;

}  // namespace

LibraryWords::LibraryWords() : alone_(one_at_a_time) {
  if (!library_words_are_caught()) return;
  heard_ = memfd_create("words", MFD_CLOEXEC);
  if (heard_ < 0) return;
  stderr_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (stderr_ >= 0) dup2(heard_, STDERR_FILENO);
}

LibraryWords::~LibraryWords() {
  if (stderr_ >= 0) {
    dup2(stderr_, STDERR_FILENO);
    close(stderr_);
  }
  if (heard_ >= 0) close(heard_);
}

std::string LibraryWords::errors() const {
  std::array<char, 4096> bytes;
  const ssize_t count = heard_ < 0 ? 0 : pread(heard_, bytes.data(), bytes.size(), 0);
  std::istringstream lines(
      std::string(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0));
  std::string errors;
  // "Svt[error]: Instance 1: ...", "x265 [error]: ..."
  constexpr std::string_view mark = "[error]: ";
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t at = line.find(mark); at != line.npos)
      errors += (errors.empty() ? "" : "; ") + line.substr(at + mark.size());
  return errors;
}

}  // namespace vidconv
