#include "pipeline/io/run_files.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <memory>

#include "pipeline/av/container.h"
#include "pipeline/base/error.h"
#include "pipeline/base/url.h"
#include "pipeline/io/partial_name.h"

namespace vidconv {
namespace {

// Inputs are opened early, so their descriptors are below this.
constexpr int most_descriptors = 1024;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Returns the existing files of a pattern such as "frame%04d.png".
std::vector<std::string> numbered_files(const std::string& pattern) {
  std::string text[2], wanted;  // before and after the number; both, for glob()
  int part = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%' && i + 1 < pattern.size() && pattern[++i] != '%') {
      while (i < pattern.size() && is_digit(pattern[i])) ++i;  // skip to the d
      wanted += "[0-9]*";
      part = 1;
      continue;
    }
    text[part] += pattern[i];
    wanted += std::string("\\") + pattern[i];
  }
  glob_t found{};
  const std::unique_ptr<glob_t, void (*)(glob_t*)> owner(&found, globfree);
  glob(wanted.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> files;
  for (std::size_t i = 0; i < found.gl_pathc; ++i) {
    const std::string name = found.gl_pathv[i];
    const auto end = name.end() - static_cast<std::ptrdiff_t>(text[1].size());
    if (std::all_of(name.begin() + static_cast<std::ptrdiff_t>(text[0].size()), end, is_digit))
      files.push_back(name);
  }
  return files;
}

}  // namespace

std::vector<RunFiles::Id> RunFiles::ids_of(const std::string& path) {
  std::vector<Id> ids;
  std::string place = path;
  struct stat status;
  if (stat(path.c_str(), &status) == 0) {
    if (S_ISBLK(status.st_mode)) return {{status.st_rdev, 0, "/"}};  // whichever node it has
    if (!S_ISREG(status.st_mode)) return {};
    ids.push_back({status.st_dev, status.st_ino, ""});
    char resolved[PATH_MAX];
    if (realpath(path.c_str(), resolved)) place = resolved;
  }
  if (stat(folder_of(place).c_str(), &status) == 0)
    ids.push_back({status.st_dev, status.st_ino, place.substr(place.rfind('/') + 1)});
  return ids;
}

std::vector<RunFiles::Id> RunFiles::ids_of(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0) return {};
  if (S_ISBLK(status.st_mode)) return {{status.st_rdev, 0, "/"}};
  if (!S_ISREG(status.st_mode)) return {};
  return {{status.st_dev, status.st_ino, ""}};
}

void RunFiles::add(const std::vector<Id>& ids, const Use& use) {
  const std::lock_guard lock(mutex_);
  for (const Id& id : ids) {
    Use& known = files_.try_emplace(id, use).first->second;
    if (use.read && !known.read) known = use;  // a conflict is reported by writes()
  }
}

void RunFiles::reads(const std::string& what, const std::string& name) {
  struct stat status;
  const std::string path = stat(name.c_str(), &status) == 0 ? name : local_path(name);
  if (stat(path.c_str(), &status) == 0)
    add(ids_of(path), {what, true});
  else if (is_numbered(path))
    for (const std::string& file : numbered_files(path)) add(ids_of(file), {what, true});
}

void RunFiles::reads(const std::string& what, int fd) { add(ids_of(fd), {what, true}); }

RunFiles::OpenFiles RunFiles::open_now() {
  OpenFiles open;
  for (int fd = 0; fd < most_descriptors; ++fd) {
    const int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY) continue;
    for (const Id& id : ids_of(fd)) open.emplace(id.device, id.inode);
  }
  return open;
}

void RunFiles::reads_what_was_opened(const std::string& what, const OpenFiles& before) {
  for (const auto& file : open_now())
    if (!before.contains(file))
      add({{file.first, file.second, file.second == 0 ? "/" : ""}}, {what, true});
}

void RunFiles::writes(const std::string& what, const std::string& path) {
  claim(ids_of(path), what, path);
}

void RunFiles::writes(const std::string& what, int fd) { claim(ids_of(fd), what, what); }

void RunFiles::claim(const std::vector<Id>& ids, const std::string& what, const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    for (const Id& id : ids) {
      const auto found = files_.find(id);
      if (found == files_.end() || found->second.what == what) continue;
      if (found->second.read)
        throw Error(MessageKind::output_is_input, "cannot write " + what, name,
                    "it is " + found->second.what, "choose another name");
      throw Error(Fault::usage, "cannot write " + what, name,
                  "it is " + found->second.what + " too", "choose another name");
    }
  }
  add(ids, {what, false});
}

}  // namespace vidconv
