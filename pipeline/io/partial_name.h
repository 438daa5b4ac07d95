// Names incomplete files: "out.mkv.0123456789abcdef.part", beside the final name. Only PartialFile
// uses it, apart from what a signal handler needs.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace vidconv {

// Returns 16 unpredictable hexadecimal digits: a run's mark in the names of its unfinished files.
std::string random_mark();

// Returns the name beside `path` with that mark, no longer than the file system allows.
std::string partial_name(const std::string& path, const std::string& mark,
                         std::string_view ending = ".part");

std::string folder_of(const std::string& path);

// Removes what killed runs to the same output have left: unfinished files of this user, with all
// files of the same mark, unless one is locked, and the files that these have replaced. The cost
// per output does not grow with the number of outputs in a folder: it is not listed for each.
void remove_leftovers(const std::string& path);

// Holds the name of an unfinished file, and removes the file at the end.
class TemporaryName {
 public:
  // Creates no file.
  explicit TemporaryName(std::string path);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

  const std::string& path() const { return entry_.path; }
  // Tells that there is no such file any more.
  void forget() { entry_.there = false; }

  struct Entry {
    const std::string path;
    std::atomic<bool> there;
    Entry* next;
  };

 private:
  Entry& entry_;
};

// Final names are being given while it lives: a signal waits for that, which is short.
class Placing {
 public:
  Placing();
  ~Placing();
  Placing(const Placing&) = delete;
  Placing& operator=(const Placing&) = delete;
};

// Removes all unfinished files that have names, for a signal handler that is about to end the
// process. Returns false while final names are being given: the run then ends by itself.
bool remove_partial_files() noexcept;

}  // namespace vidconv
