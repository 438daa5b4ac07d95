#include "kernels/spec/kernel_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace vidconv {
namespace {

std::runtime_error system_failure() {
  return std::runtime_error(std::generic_category().message(errno));
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_file(const std::string& path) {
  // Opens without blocking, so that a pipe that nobody writes to does not hang us.
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) throw system_failure();
  File file(fdopen(fd, "rb"), &std::fclose);
  struct stat status;
  if (!file || fstat(fd, &status) != 0) throw system_failure();
  if (S_ISDIR(status.st_mode)) throw std::runtime_error("it is a directory");
  if (!S_ISREG(status.st_mode)) throw std::runtime_error("it is no regular file");
  return file;
}

}  // namespace

std::string read_kernel_file(const std::string& path, std::size_t most) {
  const File file = open_file(path);
  std::string bytes;
  char block[65536];
  while (const std::size_t count = std::fread(block, 1, sizeof block, file.get())) {
    bytes.append(block, count);
    if (bytes.size() > most)
      throw std::runtime_error(fmt::format("it is larger than {} MiB", most >> 20));
  }
  if (std::ferror(file.get())) throw system_failure();
  return bytes;
}

std::string read_first_bytes(const std::string& path) {
  const File file = open_file(path);
  char block[64];
  const std::size_t count = std::fread(block, 1, sizeof block, file.get());
  if (std::ferror(file.get())) throw system_failure();
  return {block, count};
}

Kernel read_kernel_text(std::string_view bytes, const std::string& name,
                        const std::function<void(Cursor&)>& read_key) {
  MatrixRows rows;
  std::optional<std::pair<int, int>> size;
  read_lines(bytes, name, [&](Cursor& c) {
    if (c.accept("size="))
      size = c.size();
    else if (c.text().find('=') != std::string_view::npos)
      read_key(c);
    else
      rows.read_row(c);
  });
  const std::pair<int, int> found{rows.width(), rows.height()};
  if (found.second == 0) throw SpecError(name, 1, "the kernel file has no numbers");
  if (size && *size != found)
    throw SpecError(name, 1,
                    fmt::format("the kernel file says size={}x{}, but holds {}x{} numbers",
                                size->first, size->second, found.first, found.second));
  try {
    return {found.first, found.second, rows.take()};
  } catch (const std::invalid_argument& error) {
    throw SpecError(name, 1, error.what());
  }
}

}  // namespace vidconv
