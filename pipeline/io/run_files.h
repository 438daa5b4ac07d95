// RunFiles: knows which files a run reads and writes, so that nothing that is read gets overwritten
// and no two outputs are one file. Files are told apart by device and inode, whatever name leads to
// them; a missing one by its folder and its name in it.
#pragma once

#include <sys/types.h>

#include <compare>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace vidconv {

// Every member is thread-safe. Pipes and devices are ignored. `what` is for messages, after "it
// is": "the input".
class RunFiles {
 public:
  // `name` is a path, a "file:" URL, or a pattern of numbered pictures, which stands for the
  // existing ones. Other URLs are ignored.
  void reads(const std::string& what, const std::string& name);
  void reads(const std::string& what, int fd);
  // Identifies the files that are open for reading at one moment.
  using OpenFiles = std::set<std::pair<dev_t, ino_t>>;
  static OpenFiles open_now();
  // Adds every file that this process has open for reading now and had not then, by whatever name.
  // Files that a host program of the library had open before are its own affair.
  void reads_what_was_opened(const std::string& what, const OpenFiles& before);

  // Notes that `path` is to be written to or replaced. Asked again for the same `what`, it looks
  // again. Throws Error(output_is_input) where the file is read, Error(usage) where it is written
  // as something else.
  void writes(const std::string& what, const std::string& path);
  void writes(const std::string& what, int fd);

 private:
  struct Id {
    dev_t device;
    ino_t inode;
    std::string name;  // a missing file's, in the folder given above
    auto operator<=>(const Id&) const =
        default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
  };
  struct Use {
    std::string what;
    bool read;
  };

  static std::vector<Id> ids_of(const std::string& path);
  static std::vector<Id> ids_of(int fd);
  void add(const std::vector<Id>& ids, const Use& use);
  void claim(const std::vector<Id>& ids, const std::string& what, const std::string& name);

  std::mutex mutex_;  // guards all below
  std::map<Id, Use> files_;
};

}  // namespace vidconv
