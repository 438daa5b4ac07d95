// PartialFile: an output that gets its name only when it is complete.
#pragma once

#include <string>

namespace vidconv {

// Where an output is written until it is complete: beside its final name, so that giving it the
// name is one step that cannot half happen. A final name that is no regular file (a FIFO,
// /dev/null) is written to directly.
class PartialFile {
 public:
  // Creates the empty partial file. Throws Error(output): `path` exists and `overwrite` is not set,
  // is a directory, is the same file as `input`, or its directory cannot be written.
  PartialFile(const std::string& path, bool overwrite, const std::string& input);
  // Removes what was not committed.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  // Where to write.
  const std::string& path() const { return partial_; }
  // Open for writing; belongs to this object. For those who write through a path it is of no use.
  int fd() const { return fd_; }

  // Closes the descriptor early, where many files wait for their names. Throws Error(output).
  void close_file();

  // Gives it the final name, after everything was written. Throws Error(output).
  void commit();

 private:
  std::string final_;
  std::string partial_;
  bool overwrite_;
  int fd_ = -1;
  bool pending_ = false;  // there is a partial file to remove
};

}  // namespace vidconv
