// FolderLock: a folder that one run at a time works on.
#pragma once

#include <string>

namespace vidconv {

class FolderLock {
 public:
  // Makes the folder where there is none, whose name then lasts, and locks it. Throws Error(output)
  // or Error(resume), which names the run that is at work there.
  explicit FolderLock(const std::string& path);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  // Removes the lock's file; the lock itself stays until the end.
  void remove() const;

  // Returns whether a run is at work on the folder.
  static bool is_held(const std::string& path);

 private:
  const std::string name_;
  int file_ = -1;
};

}  // namespace vidconv
