#include "src/resume/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "pipeline/base/printable.h"
#include "pipeline/io/byte_io.h"
#include "pipeline/io/partial_name.h"
#include "src/resume/resume_files.h"

namespace vidconv {
namespace {

std::string holder_of(int lock) {
  std::array<char, 256> text{};
  const ssize_t count = pread(lock, text.data(), text.size() - 1, 0);
  return count > 0 ? printable(text.data()) : "another process";
}

// The folder's own name has to last as well.
void make_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0777) == 0) {
    const int parent = open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent >= 0) sync_to_disk(parent);
    if (parent >= 0) close(parent);
    return;
  }
  struct stat status;
  if (errno != EEXIST) {
    const int error = errno;
    throw Error(Fault::output, "cannot make the folder", path, std::strerror(error),
                "name another one with --resume=DIR");
  }
  if (lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    refuse_folder(path, "it is no folder", "find out who has put it there, and remove it");
}

}  // namespace

FolderLock::FolderLock(const std::string& path)
    : name_(fmt::format("{}/{}", path, resume_lock_name)) {
  constexpr int tries = 3;  // the run before may just be removing it
  for (int i = 0; i < tries; ++i) {
    make_folder(path);
    const int fd = open(name_.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0 && errno == ENOENT) continue;
    if (fd < 0) refuse_folder(path, std::strerror(errno), "name another one with --resume=DIR");
    struct stat held, there;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const std::string holder = holder_of(fd);
      close(fd);
      if (error != EWOULDBLOCK)
        refuse_folder(path, fmt::format("files cannot be locked there: {}", std::strerror(error)),
                      "name a folder on another file system with --resume=DIR");
      refuse_folder(path, fmt::format("another run is at work on it: {}", holder),
                    "wait for it, or end it and start this again");
    }
    if (fstat(fd, &held) == 0 && lstat(name_.c_str(), &there) == 0 && held.st_ino == there.st_ino &&
        held.st_dev == there.st_dev) {
      file_ = fd;
      std::array<char, 256> host{};
      gethostname(host.data(), host.size() - 1);
      const std::string who = fmt::format("process {} on {}", getpid(), host.data());
      // Where the disk is full, it is "another process" for who comes next.
      [[maybe_unused]] const bool said =
          ftruncate(fd, 0) == 0 && pwrite(fd, who.data(), who.size(), 0) > 0;
      return;
    }
    close(fd);
  }
  refuse_folder(path, "another run comes and goes there", "start this again");
}

FolderLock::~FolderLock() { close(file_); }

void FolderLock::remove() const { unlink(name_.c_str()); }

bool FolderLock::is_held(const std::string& path) {
  const std::string name = fmt::format("{}/{}", path, resume_lock_name);
  const int file = open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return false;
  const bool held = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  return held;
}

}  // namespace vidconv
