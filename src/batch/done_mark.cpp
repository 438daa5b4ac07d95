#include "src/batch/done_mark.h"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>
#include <string_view>

#include "pipeline/av/container.h"
#include "pipeline/base/url.h"

namespace vidconv {
namespace {

constexpr const char* attribute = "user.vidconv.key";

// The mark holds the size, so that an incomplete copy does not count as done.
std::string mark(const std::string& key, off_t size, bool damaged) {
  return key + " " + std::to_string(size) + (damaged ? " damaged" : "");
}

std::optional<Done> done_at(const std::string& path, const std::string& key) {
  struct stat status;
  std::array<char, 256> text;
  const ssize_t size = getxattr(path.c_str(), attribute, text.data(), text.size());
  if (size <= 0 || stat(path.c_str(), &status) != 0) return std::nullopt;
  const std::string_view found(text.data(), static_cast<std::size_t>(size));
  for (const bool damaged : {false, true})
    if (found == mark(key, status.st_size, damaged)) return Done{damaged};
  return std::nullopt;
}

}  // namespace

bool mark_done(int fd, const std::string& key, bool damaged) {
  struct stat status;
  if (fstat(fd, &status) != 0) return false;
  const std::string text = mark(key, status.st_size, damaged);
  return fsetxattr(fd, attribute, text.data(), text.size(), 0) == 0;
}

std::optional<Done> done_before(const std::string& output, const std::string& key) {
  const std::string path = local_path(output);
  const auto done = done_at(path, key);
  return done || !is_numbered(path) ? done : done_at(numbered(path, 1), key);
}

}  // namespace vidconv
