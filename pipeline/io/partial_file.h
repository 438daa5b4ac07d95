// PartialFile: an output that gets its name only when it is complete.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "pipeline/io/partial_name.h"
#include "pipeline/io/run_files.h"

namespace vidconv {

// Has no name until it is complete, where the file system supports that (O_TMPFILE), so that
// nothing is left of a process that dies. Elsewhere its temporary name stands beside the final one,
// cannot be foreseen, and is removed by the next run to the same output. A file that it replaces
// hands on its mode and owner, as far as this process may set them; a new one has the usual mode. A
// final name that is no regular file (a FIFO, /dev/null) is written to directly.
class PartialFile {
 public:
  struct Options {
    std::string what = "the output";  // for messages
    bool overwrite = false;
    bool files_only = false;         // replaces only a regular file, and no link
    RunFiles* files = nullptr;       // must not be overwritten; outlives the object
    bool look_for_leftovers = true;  // else the caller calls remove_leftovers() for this name
    // Ends the wait for a reader of a FIFO when it becomes true; outlives the object. May be null.
    const std::atomic<bool>* interrupted = nullptr;
    // Is called with the descriptor when all is written, in a set with the first one's; if it
    // throws, there is no output. Not called where the name is written to directly. May be empty.
    std::function<void(int fd)> before_name = {};
  };

  // Throws Error(output) where `path` exists and `overwrite` is not set, is a directory, is one of
  // `files`, or its folder cannot be written. `first` is the file of a set that was made first, and
  // outlives the others; nullptr for that one itself.
  PartialFile(const std::string& path, Options options, PartialFile* first = nullptr);
  // Removes the file unless it was committed.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  // Returns a descriptor that is open for writing, and for reading where it is a regular file. This
  // object owns it.
  int fd() const { return fd_; }

  // Closes the descriptor until commit(), for sets with many files: they then have names. Not for
  // the first of a set. Throws Error(output).
  void set_aside();

  // Gives it the final name, after everything was written, and blocks until all of it is on the
  // disk. Throws Error(output).
  void commit();

  using Set = std::span<const std::unique_ptr<PartialFile>>;
  // Commits all files of a set or none: where one fails, replaced files are put back. `files` are
  // in the order of their making. Throws Error(output), which names what could not be put back. If
  // the process is killed meanwhile, some files are new, and the next run to them removes the
  // leftovers.
  static void commit(Set files);

 private:
  [[noreturn]] void refuse(const std::string& why, const std::string& remedy = {}) const;
  [[noreturn]] void refuse_to_overwrite(const std::string& why) const;

  void open_directly(const struct stat& seen);
  int open_for_reader() const;
  void create();
  bool create_without_name(mode_t mode);
  void create_with_name(mode_t mode);
  void take_over(const struct stat& old) const;
  void give_partial_name();
  bool link_to(const std::string& name) const;
  void sync() const;
  static void place_all(Set files);
  void place(bool keep_old);
  void place_anew();
  bool put_back();
  void sync_folder() const;

  const std::string path_;  // as given
  std::string final_;       // the target of a link
  const Options options_;
  PartialFile* const first_;
  std::string mark_;
  int fd_ = -1;
  bool direct_ = false, placed_ = false;
  std::optional<struct stat> replaces_;
  std::optional<TemporaryName> name_;
  std::string old_;  // keeps the replaced file until the whole set is there
};

}  // namespace vidconv
