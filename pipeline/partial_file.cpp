#include "pipeline/partial_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "pipeline/error.h"

namespace vidconv {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(Fault::output, "cannot write the output", path, why);
}

[[noreturn]] void refuse_to_overwrite(const std::string& path) {
  throw Error(Message::output_exists, "cannot write the output", path, "it exists already",
              "use -y to overwrite it");
}

}  // namespace

PartialFile::PartialFile(const std::string& path, bool overwrite, const std::string& input)
    : final_(path), partial_(path), overwrite_(overwrite) {
  struct stat old;
  const bool there = stat(path.c_str(), &old) == 0;
  if (there) {
    struct stat source;
    if (S_ISDIR(old.st_mode)) refuse(path, "it is a directory");
    if (stat(input.c_str(), &source) == 0 && source.st_dev == old.st_dev &&
        source.st_ino == old.st_ino)
      throw Error(Message::output_is_input, "cannot write the output", path, "it is the input",
                  "choose another name");
    if (S_ISREG(old.st_mode) && !overwrite) refuse_to_overwrite(path);
    char resolved[PATH_MAX];  // a link stays a link to the file that is replaced
    if (realpath(path.c_str(), resolved)) final_ = resolved;
  }
  int flags = O_WRONLY | O_CLOEXEC;
  if (!there || S_ISREG(old.st_mode)) {
    partial_ = final_ + "." + std::to_string(getpid()) + ".part";
    flags |= O_CREAT | O_TRUNC;
    pending_ = true;
  }
  fd_ = open(partial_.c_str(), flags, 0666);
  if (fd_ < 0) {
    pending_ = false;
    refuse(path, std::strerror(errno));
  }
}

PartialFile::~PartialFile() {
  if (fd_ >= 0) close(fd_);
  if (pending_) unlink(partial_.c_str());
}

void PartialFile::close_file() {
  const int fd = fd_;
  fd_ = -1;
  if (fd < 0) return;
  if (close(fd) != 0) refuse(final_, std::strerror(errno));  // some file systems are full only now
}

void PartialFile::commit() {
  close_file();
  if (!pending_) return;
  // Without leave to overwrite, not even a file that has come up since may be lost.
  int code = overwrite_ ? -1
                        : renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, final_.c_str(),
                                    RENAME_NOREPLACE);
  if (code != 0 && !overwrite_ && errno == EEXIST) refuse_to_overwrite(final_);
  if (code != 0) code = std::rename(partial_.c_str(), final_.c_str());
  if (code != 0) refuse(final_, std::strerror(errno));
  pending_ = false;
}

}  // namespace vidconv
