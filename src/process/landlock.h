// With Landlock, part of the Linux kernel, a process gives up rights to files and sockets for good.
#pragma once

#include <cstdint>
#include <string>

namespace vidconv {

// Returns Landlock's version in the running kernel; 0, with errno, if this process cannot use it.
int landlock_abi();

// Rights to refuse from enforce() on, as far as the kernel knows them.
struct Refusals {
  bool network = false;  // TCP, in and out
  bool sockets = false;  // abstract sockets of other processes
  bool signals = false;  // to other processes
};

// Refuses all access to files except what allow_*() permits. Missing paths, and pipes, which are
// never refused, are ignored.
class Landlock {
 public:
  explicit Landlock(const Refusals& refusals);
  ~Landlock();
  Landlock(const Landlock&) = delete;
  Landlock& operator=(const Landlock&) = delete;

  // Permits reading a file, or everything in and below a folder.
  void allow_reading(const std::string& path) const;
  // Permits writing and reading; in a folder also making, renaming and removing files and folders.
  void allow_writing(const std::string& path) const;

  // Applies to this thread and those that it starts. Returns false, with errno, if nothing is in
  // force.
  bool enforce() const;

 private:
  void allow(const std::string& path, std::uint64_t rights) const;

  std::uint64_t handled_ = 0;  // rights to files
  int fd_ = -1;
};

}  // namespace vidconv
