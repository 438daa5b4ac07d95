// Names of files that are not complete: "out.mkv.0123456789abcdef.part", beside the final name.
// Inside PartialFile only, but for what a signal handler needs.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace vidconv {

// 16 hexadecimal digits that nobody can foresee: what a run calls its unfinished files by.
std::string random_mark();

// The name beside `path` that says whose it is, no longer than the file system allows.
std::string partial_name(const std::string& path, const std::string& mark,
                         std::string_view ending = ".part");

std::string folder_of(const std::string& path);

// Removes what runs to the same output have left that were killed: unfinished files of this user
// with all files of the same mark, where nobody holds one of them locked, and the files that these
// have replaced. Of many outputs in one folder each costs the same: the folder is not listed for
// each.
void remove_leftovers(const std::string& path);

// A name of an unfinished file, which goes with this object.
class TemporaryName {
 public:
  // Creates nothing.
  explicit TemporaryName(std::string path);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

  const std::string& path() const { return entry_.path; }
  // There is no such file any more.
  void forget() { entry_.there = false; }

  struct Entry {
    const std::string path;
    std::atomic<bool> there;
    Entry* next;
  };

 private:
  Entry& entry_;
};

// While it lives, final names are being given: a signal waits for that, which is short.
class Placing {
 public:
  Placing();
  ~Placing();
  Placing(const Placing&) = delete;
  Placing& operator=(const Placing&) = delete;
};

// For a signal handler that is about to end the process: removes all unfinished files that have
// names. False where final names are just being given: the run ends by itself then.
bool remove_partial_files() noexcept;

}  // namespace vidconv
