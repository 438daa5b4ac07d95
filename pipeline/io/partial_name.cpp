#include "pipeline/io/partial_name.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "pipeline/base/error.h"

namespace vidconv {
namespace {

constexpr std::size_t mark_digits = 16;
constexpr std::string_view part = ".part", old_part = ".old";

// Entries are never freed: a signal handler may be looking at them.
std::atomic<TemporaryName::Entry*> all_names = nullptr;
std::atomic<int> placing = 0;
static_assert(decltype(all_names)::is_always_lock_free && decltype(placing)::is_always_lock_free);

TemporaryName::Entry& registered(std::string path) {
  auto* entry = new TemporaryName::Entry{std::move(path), true, all_names};
  while (!all_names.compare_exchange_weak(entry->next, entry)) {
  }
  return *entry;
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Returns as much of a final name as leaves room for a mark and an ending.
std::string beginning(const std::string& path) {
  const long most = pathconf(folder_of(path).c_str(), _PC_NAME_MAX);
  std::size_t room = most > 0 ? static_cast<std::size_t>(most) : NAME_MAX;
  room -= std::min(room, 1 + mark_digits + part.size());
  const std::string name = name_of(path);
  if (name.size() <= room) return name + ".";
  while (room > 0 && (name[room] & 0xC0) == 0x80) --room;  // not inside a UTF-8 character
  return name.substr(0, room) + ".";
}

// Holds the parts from which partial_name() made the name of an unfinished or a replaced file;
// empty for other names.
struct NameParts {
  std::string beginning, mark;
};
NameParts parts_of(const std::string& name) {
  const std::string_view ending = name.ends_with(part) ? part : old_part;
  if (!name.ends_with(ending) || name.size() <= mark_digits + ending.size()) return {};
  const std::size_t at = name.size() - ending.size() - mark_digits;
  const std::string mark = name.substr(at, mark_digits);
  if (name[at - 1] != '.' || mark.find_first_not_of("0123456789abcdef") != mark.npos) return {};
  return {name.substr(0, at), mark};
}

class Folder {
 public:
  explicit Folder(const std::string& path) : folder_(opendir(path.c_str()), &closedir) {}

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    if (!folder_) return names;
    rewinddir(folder_.get());
    while (const dirent* entry = readdir(folder_.get())) names.emplace_back(entry->d_name);
    return names;
  }
  int fd() const { return dirfd(folder_.get()); }

  // Locks a regular file of this user that nobody has locked, and returns its descriptor; else -1.
  int lock(const std::string& name) const {
    constexpr int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int file = openat(fd(), name.c_str(), O_RDWR | flags);  // some networks lock only these
    if (file < 0) file = openat(fd(), name.c_str(), O_RDONLY | flags);
    if (file < 0) return -1;
    struct stat status;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        flock(file, LOCK_EX | LOCK_NB) == 0)
      return file;
    close(file);
    return -1;
  }

  // Removes all files of the mark, of which `first` is locked, if none of them is in use.
  void remove_all(const std::string& mark, const std::string& first) const {
    const auto others = [&](std::string_view ending) {
      std::vector<std::string> found = names();
      std::erase_if(found, [&](const std::string& name) {
        return name == first || !name.ends_with("." + mark + std::string(ending));
      });
      return found;
    };
    const std::vector<std::string> parts = others(part);
    for (const std::string& name : parts) {
      const int file = lock(name);
      if (file < 0) return;
      close(file);
    }
    for (const std::string& name : parts) unlinkat(fd(), name.c_str(), 0);
    for (const std::string& name : others(old_part)) settle(name, mark);
    settle(first, mark);  // last, as it leads to the others if this is killed too
  }

 private:
  // Removes an unfinished file or a replaced one; a replaced one without a successor gets its name
  // back.
  void settle(const std::string& name, const std::string& mark) const {
    struct stat status;
    const std::string path = name.substr(0, name.size() - old_part.size() - 1 - mark.size());
    const bool only_one =
        name.ends_with(old_part) && fstatat(fd(), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0;
    if (only_one && renameat2(fd(), name.c_str(), fd(), path.c_str(), RENAME_NOREPLACE) == 0)
      return;
    if (!only_one) unlinkat(fd(), name.c_str(), 0);
  }

  const std::unique_ptr<DIR, int (*)(DIR*)> folder_;
};

// Caches a folder's leftovers by the beginnings of names. A folder of n files is listed again only
// after n / at_once questions, so that the cost per output does not grow with the folder. Leftovers
// that another process makes meanwhile wait until then.
class Leftovers {
 public:
  std::vector<std::string> of(const Folder& folder, const std::string& beginning) {
    if (asked_++ >= entries_ / at_once) list(folder);
    const auto [first, last] = names_.equal_range(beginning);
    std::vector<std::string> found;
    for (auto name = first; name != last; ++name) found.push_back(name->second);
    return found;
  }

 private:
  static constexpr std::size_t at_once = 64;

  void list(const Folder& folder) {
    names_.clear();
    const std::vector<std::string> all = folder.names();
    for (const std::string& name : all)
      if (const NameParts parts = parts_of(name); !parts.mark.empty())
        names_.emplace(parts.beginning, name);
    entries_ = all.size();
    asked_ = 1;
  }

  std::multimap<std::string, std::string> names_;
  std::size_t entries_ = 0, asked_ = 0;
};

std::vector<std::string> leftovers_of(const Folder& folder, const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, Leftovers> folders;
  const std::lock_guard lock(mutex);
  return folders[folder_of(path)].of(folder, beginning(path));
}

}  // namespace

std::string random_mark() {
  std::uint8_t bytes[mark_digits / 2];
  for (std::size_t got = 0; got < sizeof bytes;) {
    const ssize_t more = getrandom(bytes + got, sizeof bytes - got, 0);
    if (more < 0 && errno != EINTR)
      throw Error(Fault::internal, "there are no random numbers", "", std::strerror(errno));
    if (more > 0) got += static_cast<std::size_t>(more);
  }
  std::string mark;
  for (const std::uint8_t byte : bytes) {
    mark += "0123456789abcdef"[byte >> 4];
    mark += "0123456789abcdef"[byte & 15];
  }
  return mark;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash + 1);
}

std::string partial_name(const std::string& path, const std::string& mark,
                         std::string_view ending) {
  const std::string folder = path.find('/') == path.npos ? "" : folder_of(path);
  return folder + beginning(path) + mark + std::string(ending);
}

void remove_leftovers(const std::string& path) {
  const Folder folder(folder_of(path));
  for (const std::string& name : leftovers_of(folder, path)) {
    const int file = folder.lock(name);
    if (file < 0) continue;
    folder.remove_all(parts_of(name).mark, name);
    close(file);
  }
}

TemporaryName::TemporaryName(std::string path) : entry_(registered(std::move(path))) {}

TemporaryName::~TemporaryName() {
  if (entry_.there) unlink(entry_.path.c_str());
  entry_.there = false;
}

Placing::Placing() { ++placing; }
Placing::~Placing() { --placing; }

bool remove_partial_files() noexcept {
  if (placing > 0) return false;
  for (const auto* entry = all_names.load(); entry; entry = entry->next)
    if (entry->there) unlink(entry->path.c_str());
  return true;
}

}  // namespace vidconv
