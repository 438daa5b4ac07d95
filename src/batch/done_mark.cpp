#include "src/batch/done_mark.h"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "pipeline/av/container.h"
#include "pipeline/base/url.h"

namespace vidconv {
namespace {

constexpr const char* attribute = "user.vidconv.key";

constexpr const char* before_maker = " by ";

// The mark holds the size, so that an incomplete copy does not count as done.
std::string mark(const std::string& key, off_t size, bool damaged) {
  return key + " " + std::to_string(size) + (damaged ? " damaged" : "");
}

// Empty where there is none.
std::string mark_at(const std::string& path) {
  std::array<char, 256> text;
  const ssize_t size = getxattr(path.c_str(), attribute, text.data(), text.size());
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string();
}

std::optional<Done> done_at(const std::string& path, const std::string& key) {
  struct stat status;
  const std::string all = mark_at(path), found = all.substr(0, all.find(before_maker));
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  for (const bool damaged : {false, true})
    if (found == mark(key, status.st_size, damaged)) return Done{damaged};
  return std::nullopt;
}

bool made_at(const std::string& path, const std::string& maker) {
  struct stat status;
  const std::string all = mark_at(path), key = all.substr(0, all.find(' '));
  if (stat(path.c_str(), &status) != 0) return false;
  for (const bool damaged : {false, true})
    if (all == mark(key, status.st_size, damaged) + before_maker + maker) return true;
  return false;
}

}  // namespace

bool mark_done(int fd, const std::string& key, bool damaged, const std::string& maker) {
  struct stat status;
  if (fstat(fd, &status) != 0) return false;
  std::string text = mark(key, status.st_size, damaged);
  if (!maker.empty()) text += before_maker + maker;
  return fsetxattr(fd, attribute, text.data(), text.size(), 0) == 0;
}

std::optional<Done> done_before(const std::string& output, const std::string& key) {
  const std::string path = local_path(output);
  const auto done = done_at(path, key);
  return done || !is_numbered(path) ? done : done_at(numbered(path, 1), key);
}

bool made_by(const std::string& output, const std::string& maker) {
  const std::string path = local_path(output);
  return made_at(path, maker) || (is_numbered(path) && made_at(numbered(path, 1), maker));
}

bool has_done_mark(const std::string& path) { return !mark_at(path).empty(); }

bool can_have_marks(const std::string& path) {
  return getxattr(path.c_str(), attribute, nullptr, 0) >= 0 || errno == ENODATA;
}

}  // namespace vidconv
