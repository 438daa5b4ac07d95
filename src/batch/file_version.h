// Tells versions of a file apart without reading it, and whether somebody still writes to it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace vidconv {

struct FileVersion {
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t nanoseconds = 0;  // when it was written to last
  bool readable = true;          // by this process
  bool operator==(const FileVersion&) const = default;
};
// None where there is no regular file of that name; a link is none.
std::optional<FileVersion> version_of(const std::string& path);

enum class Writer {
  none,     // on this machine, which has the file system for itself
  some,     // has it open
  unknown,  // a file system of several machines, or somebody else's file
};
Writer writer_of(const std::string& path);

}  // namespace vidconv
