#include "pipeline/io/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "pipeline/base/error.h"
#include "pipeline/io/byte_io.h"

namespace vidconv {
namespace {

bool same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

std::string by_descriptor(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

}  // namespace

void PartialFile::refuse(const std::string& why, const std::string& remedy) const {
  throw Error(Fault::output, "cannot write " + options_.what, path_, why, remedy);
}

void PartialFile::refuse_to_overwrite(const std::string& why) const {
  throw Error(MessageKind::output_exists, "cannot write " + options_.what, path_, why,
              "use `overwrite` to overwrite it");
}

PartialFile::PartialFile(const std::string& path, Options options, PartialFile* first)
    : path_(path),
      final_(path),
      options_(std::move(options)),
      first_(first),
      mark_(first ? first->mark_ : random_mark()) {
  if (options_.files) options_.files->writes(options_.what, path);
  struct stat old;
  if (options_.files_only && lstat(path.c_str(), &old) == 0 && !S_ISREG(old.st_mode))
    refuse("it is no file", "find out who has put it there, and remove it");
  if (stat(path.c_str(), &old) == 0) {
    if (S_ISDIR(old.st_mode)) refuse("it is a directory");
    if (!S_ISREG(old.st_mode)) {
      open_directly(old);
      return;
    }
    if (!options_.overwrite) refuse_to_overwrite("it exists already");
    // A link stays a link to the file that is replaced.
    char resolved[PATH_MAX];
    struct stat there;
    if (!realpath(path.c_str(), resolved)) refuse(std::strerror(errno));
    if (stat(resolved, &there) != 0 || !same(there, old)) refuse("its name leads elsewhere");
    final_ = resolved;
    replaces_ = old;
  } else if (errno != ENOENT) {
    refuse(std::strerror(errno));
  } else if (lstat(path.c_str(), &old) == 0 && !options_.overwrite) {
    refuse_to_overwrite("it is a link that leads nowhere");
  }
  create();
}

PartialFile::~PartialFile() {
  if (fd_ >= 0) close(fd_);
}

// Waits until somebody reads a FIFO. A blocking open() would notice no interruption except on the
// main thread.
int PartialFile::open_for_reader() const {
  constexpr auto between_looks = std::chrono::milliseconds(10);
  for (;;) {
    const int fd = open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    if (fd >= 0 || errno != ENXIO) return fd;
    if (options_.interrupted && *options_.interrupted)
      throw Error(MessageKind::interrupted, "cannot write " + options_.what, path_,
                  "it was interrupted before anybody read it");
    std::this_thread::sleep_for(between_looks);
  }
}

void PartialFile::open_directly(const struct stat& seen) {
  direct_ = true;
  fd_ = S_ISFIFO(seen.st_mode) ? open_for_reader()
                               : open(path_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  struct stat opened;
  if (fd_ < 0 || fstat(fd_, &opened) != 0) refuse(std::strerror(errno));
  if (same(opened, seen)) return;
  close(std::exchange(fd_, -1));
  refuse("its name leads elsewhere");
}

void PartialFile::create() {
  // Nobody may read the new file before take_over() has copied the old one's permissions.
  const mode_t mode = replaces_ ? 0600 : 0666;
  if (!create_without_name(mode)) create_with_name(mode);
  if (replaces_) take_over(*replaces_);
  if (!first_ && options_.look_for_leftovers) remove_leftovers(final_);
}

bool PartialFile::create_without_name(mode_t mode) {
  fd_ = open(folder_of(final_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (fd_ < 0) return false;
  // /proc is needed to give it a name.
  struct stat file, linked;
  if (fstat(fd_, &file) == 0 && stat(by_descriptor(fd_).c_str(), &linked) == 0 &&
      same(file, linked)) {
    flock(fd_, LOCK_EX | LOCK_NB);  // in advance, for when it has a name
    return true;
  }
  close(std::exchange(fd_, -1));
  return false;
}

void PartialFile::create_with_name(mode_t mode) {
  for (int tries = 0; tries < 3; ++tries) {
    name_.emplace(partial_name(final_, mark_));
    fd_ = open(name_->path().c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, mode);
    if (fd_ < 0) {
      const int error = errno;
      name_->forget();
      refuse(std::strerror(error));
    }
    // Another run may have taken it for a leftover before it was locked.
    const bool lost = flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    struct stat status;
    if (!lost && fstat(fd_, &status) == 0 && status.st_nlink > 0) return;
    close(std::exchange(fd_, -1));
    mark_ = random_mark();
  }
  refuse("its folder loses files");
}

void PartialFile::take_over(const struct stat& old) const {
  mode_t mode = old.st_mode & 0777;
  // A different group gets no more than everybody: the old file's permissions were not for it.
  if (fchown(fd_, old.st_uid, old.st_gid) != 0 &&
      fchown(fd_, static_cast<uid_t>(-1), old.st_gid) != 0)
    mode &= ~mode_t{070} | (mode & 07) << 3;
  fchmod(fd_, mode);
}

bool PartialFile::link_to(const std::string& name) const {
  if (linkat(AT_FDCWD, by_descriptor(fd_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
    return true;
  return errno == ENOENT && linkat(fd_, "", AT_FDCWD, name.c_str(), AT_EMPTY_PATH) == 0;
}

void PartialFile::give_partial_name() {
  if (name_ || direct_) return;
  name_.emplace(partial_name(final_, mark_));
  if (link_to(name_->path())) return;
  const int error = errno;
  name_->forget();
  name_.reset();
  refuse(std::strerror(error));
}

void PartialFile::set_aside() {
  if (direct_) return;
  if (first_) first_->give_partial_name();  // it is the locked one
  give_partial_name();
  // Some file systems report a full disk only now.
  if (close(std::exchange(fd_, -1)) != 0) refuse(std::strerror(errno));
}

void PartialFile::sync() const {
  int fd = fd_;
  if (fd < 0) fd = open(name_->path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) refuse(std::strerror(errno));
  const bool synced = sync_to_disk(fd);
  const int error = errno;
  // Some file systems report errors only at close().
  const int again = fd == fd_ ? dup(fd) : fd;
  if (again >= 0 && close(again) != 0) refuse(std::strerror(errno));
  if (!synced) refuse(std::strerror(error));
}

void PartialFile::commit() {
  if (options_.before_name && !direct_) options_.before_name(fd_);
  sync();
  place(false);
  sync_folder();
}

void PartialFile::commit(Set files) {
  if (files.size() == 1) return files[0]->commit();
  if (const auto& call = files[0]->options_.before_name) call(files[0]->fd_);
  for (const auto& file : files) file->sync();
  place_all(files);
  std::string folder;
  for (const auto& file : files)
    if (std::exchange(folder, folder_of(file->final_)) != folder) file->sync_folder();
}

void PartialFile::place_all(Set files) {
  const Placing placing;
  try {
    // The first file is placed last: until then it is locked, and leads to all others if the
    // process is killed.
    if (files[0]->options_.overwrite) files[0]->give_partial_name();
    for (std::size_t i = 1; i <= files.size(); ++i) files[i % files.size()]->place(true);
  } catch (const Error& error) {
    std::string lost;
    for (std::size_t i = files.size(); i-- > 0;) {
      PartialFile& file = *files[i];
      if (file.put_back()) continue;
      lost += "; '" + verbatim(file.path_) + "' could not be put back";
      if (!file.old_.empty()) lost += ", its older one is '" + verbatim(file.old_) + "'";
    }
    throw Error(error.kind(), error.act(), error.value(), error.why() + lost, error.remedy());
  }
  for (std::size_t i = 1; i <= files.size(); ++i)
    if (const std::string& old = files[i % files.size()]->old_; !old.empty()) unlink(old.c_str());
}

void PartialFile::place(bool keep_old) {
  if (direct_) return;
  if (options_.files) options_.files->writes(options_.what, final_);  // looks again
  if (!options_.overwrite) {
    place_anew();
  } else {
    give_partial_name();
    struct stat old;
    if (keep_old && lstat(final_.c_str(), &old) == 0) {
      const std::string aside = partial_name(final_, mark_, ".old");
      if (link(final_.c_str(), aside.c_str()) != 0 &&
          std::rename(final_.c_str(), aside.c_str()) != 0)
        refuse(std::strerror(errno));
      old_ = aside;
    }
    if (std::rename(name_->path().c_str(), final_.c_str()) != 0) refuse(std::strerror(errno));
    name_->forget();
  }
  placed_ = true;
}

// Without `overwrite`, not even a file that has appeared since may be lost: no step here can
// replace one.
void PartialFile::place_anew() {
  const char* const name = name_ ? name_->path().c_str() : nullptr;
  if (name && renameat2(AT_FDCWD, name, AT_FDCWD, final_.c_str(), RENAME_NOREPLACE) == 0)
    return name_->forget();
  if (name && errno == EEXIST) refuse_to_overwrite("it exists already");
  if (name ? link(name, final_.c_str()) == 0 : link_to(final_)) return;
  if (errno == EEXIST) refuse_to_overwrite("it exists already");
  refuse(std::strerror(errno),
         name ? "where the file system can do no better, use `overwrite`" : "");
}

bool PartialFile::put_back() {
  if (!old_.empty() && std::rename(old_.c_str(), final_.c_str()) != 0) return false;
  if (!old_.empty()) unlink(old_.c_str());  // rename() leaves it where both names are one file
  if (old_.empty() && placed_ && unlink(final_.c_str()) != 0) return false;
  old_.clear();
  placed_ = false;
  return true;
}

void PartialFile::sync_folder() const {
  if (direct_) return;
  const int folder = open(folder_of(final_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // A folder that may not be read is synced with its whole file system.
  const bool synced = folder >= 0 ? sync_to_disk(folder) : fd_ < 0 || syncfs(fd_) == 0;
  const int error = errno;
  if (folder >= 0) close(folder);
  if (!synced)
    refuse(std::string("it is there, but its folder is not on the disk: ") + std::strerror(error));
}

}  // namespace vidconv
