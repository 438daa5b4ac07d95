#include "src/batch/file_version.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iterator>

namespace vidconv {
namespace {

// File systems to which others write whom this kernel does not see, by the numbers of statfs(2).
constexpr std::uint32_t of_several_machines[] = {
    0x6969,      // NFS
    0x517b,      // SMB
    0xff534d42,  // CIFS
    0xfe534d42,  // SMB 2 and 3
    0x65735546,  // FUSE, which may be anything: sshfs, GlusterFS, virtiofs
    0x01021997,  // 9P
    0x00c36400,  // Ceph
    0x5346414f,  // AFS
    0x6b414653,  // kAFS
    0x73757245,  // Coda
    0x0bd00bd0,  // Lustre
    0x47504653,  // GPFS
    0x19830326,  // BeeGFS
    0x7461636f,  // OCFS2
    0x01161970,  // GFS2
    0x786f4256,  // VirtualBox's shared folders
    0xbacbacbc,  // VMware's
    0x7c7c6673,  // Parallels'
};

}  // namespace

std::optional<FileVersion> version_of(const std::string& path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  constexpr std::int64_t second = 1'000'000'000;
  return FileVersion{status.st_ino, status.st_size,
                     status.st_mtim.tv_sec * second + status.st_mtim.tv_nsec,
                     access(path.c_str(), R_OK) == 0};
}

// A lease for readers is given where nobody has the file open for writing, and to its owner alone.
Writer writer_of(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return Writer::unknown;
  Writer writer = Writer::unknown;
  struct statfs system;
  const bool here =
      fstatfs(fd, &system) == 0 &&
      std::ranges::find(of_several_machines, static_cast<std::uint32_t>(system.f_type)) ==
          std::end(of_several_machines);
  // A writer who comes while it is held makes the kernel send a signal, which must be one that is
  // ignored.
  if (here && fcntl(fd, F_SETSIG, SIGURG) == 0) {
    if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0) {
      fcntl(fd, F_SETLEASE, F_UNLCK);
      writer = Writer::none;
    } else if (errno == EAGAIN) {
      writer = Writer::some;
    }
  }
  close(fd);
  return writer;
}

}  // namespace vidconv
