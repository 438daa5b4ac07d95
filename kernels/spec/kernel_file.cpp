#include "kernels/spec/kernel_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "kernels/filter/volume.h"

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

bool has_planes(std::string_view bytes) {
  bool found = false;
  for (std::size_t at = 0; at < bytes.size() && !found;) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    Cursor c(bytes.substr(at, end - at));
    c.skip_blanks();
    found = c.accept('|');
    at = end + 1;
  }
  return found;
}

KernelText read_kernel_text(std::string_view bytes, const std::string& name,
                            const std::function<void(Cursor&)>& read_key) {
  VolumeRows rows;
  std::optional<std::pair<int, int>> size;
  read_lines(bytes, name, [&](Cursor& c) {
    const std::size_t start = c.position();
    if (c.accept("size="))
      size = c.size();
    else if (c.text().find('=') != std::string_view::npos)
      read_key(c);
    else if (c.accept('|'))
      rows.end_plane(c, start);
    else
      rows.read_row(c);
  });
  if (rows.planes() > 0) rows.end_plane(Cursor("|", name), 0);
  const int plane_rows = rows.plane_rows();
  const std::pair<int, int> found{rows.width(), rows.height()},
      seen{found.first, plane_rows > 0 ? plane_rows : found.second};
  if (found.second == 0) throw SpecError(name, 1, "the kernel file has no numbers");
  if (size && *size != seen)
    throw SpecError(name, 1,
                    fmt::format("the kernel file says size={}x{}, but holds {}x{} numbers",
                                size->first, size->second, seen.first, seen.second));
  try {
    if (plane_rows > 0) return {volume_of(found.first, plane_rows, rows.take()), plane_rows};
    return {{found.first, found.second, rows.take()}, 0};
  } catch (const std::invalid_argument& error) {
    throw SpecError(name, 1, error.what());
  }
}

}  // namespace vidconv
