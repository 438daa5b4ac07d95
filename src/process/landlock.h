// Landlock, the kernel's own: a process gives up rights to files and sockets, for good.
#pragma once

#include <cstdint>
#include <string>

namespace vidconv {

// Its version in the running kernel; 0 where there is none that this process may use, and errno
// says why.
int landlock_abi();

// What is refused from enforce() on; without the parts that the kernel does not know.
struct Refusals {
  bool network = false;  // TCP, in and out
  bool sockets = false;  // those of other processes without a place in a file system
  bool signals = false;  // to other processes
};

// All access to files is refused but what allow_*() lets through. Paths that are not there, and
// pipes, which are never refused, are passed over.
class Landlock {
 public:
  explicit Landlock(const Refusals& refusals);
  ~Landlock();
  Landlock(const Landlock&) = delete;
  Landlock& operator=(const Landlock&) = delete;

  // A file, or all in a folder and below it.
  void allow_reading(const std::string& path) const;
  // Reading too; in a folder files and folders may be made, named and removed.
  void allow_writing(const std::string& path) const;

  // For this thread and those that it starts. False, with errno, where nothing is in force.
  bool enforce() const;

 private:
  void allow(const std::string& path, std::uint64_t rights) const;

  std::uint64_t handled_ = 0;  // rights to files
  int fd_ = -1;
};

}  // namespace vidconv
