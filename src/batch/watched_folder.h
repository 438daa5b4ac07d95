// A folder whose videos are taken as they come, each when it is whole and once for each content.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "pipeline/base/notice.h"
#include "src/batch/file_version.h"
#include "src/options/batch_plan.h"
#include "src/options/input_list.h"
#include "src/options/options.h"

namespace vidconv {

// A file is whole when its writer has closed it or it was moved here, which inotify tells, or,
// where nobody says so, when its size and time have stayed for a while. From time to time, and
// where inotify has lost something, the whole folder is looked at: that finds what no event has
// told.
//
// Nothing is read from the folder while nobody is in next(): what happens meanwhile waits in the
// kernel, and where that has no more room for it, the next look finds it. All members: any thread.
class WatchedFolder {
 public:
  // From now on nothing is missed. `ends`: whether nobody waits any more. Throws
  // Error(input_missing), and Error(usage) where outputs could not be told from inputs.
  WatchedFolder(const Options& options, const Notify& notify, std::function<bool()> ends);
  ~WatchedFolder();
  WatchedFolder(const WatchedFolder&) = delete;
  WatchedFolder& operator=(const WatchedFolder&) = delete;

  // Waits for a file; none at the end. Throws Error(input_missing) where the folder is gone.
  std::optional<ListedInput> next();
  // Claims the outputs of the file that next() gave. Throws Error(usage) where another file does.
  void claim(const BatchFile& file);
  // It has come to its end. `again`: it has failed by no fault of its own, and is tried again
  // later.
  void end(const std::string& input, bool again);

  // How many are known that have not been taken. The answer is old when it is there.
  std::size_t waiting() const { return waiting_count_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Tracked {
    ListedInput input;
    std::optional<FileVersion> version;  // as it was seen last
    Clock::time_point since;             // when that was seen first
    bool closed = false;                 // by the writer of this version, or moved here as it is
    bool written = false;                // to, by somebody on this machine who will close it
    std::optional<FileVersion> taken;    // the version that was filtered, or could not be
    bool at_work = false, waits = false;
    Clock::time_point not_before = {};  // after a failure
    Clock::duration pause = {};         // before it is tried the next time
  };

  void look();
  bool watch_all(const std::vector<std::string>& folders);
  void say_once(MessageKind kind, const std::string& line);
  void read_events();
  void take_event(int folder, unsigned mask, const char* name);
  Tracked& track(const ListedInput& input);
  static void see(Tracked& file);
  std::optional<ListedInput> take_whole();
  bool is_whole(const Tracked& file) const;
  bool is_output(const std::string& input) const;
  void refuse_what_is_lost() const;

  const Options& options_;
  const Notify notify_;
  const std::function<bool()> ends_;
  const std::string folder_;
  const bool outputs_among_inputs_;
  const int events_;  // inotify

  std::mutex mutex_;  // guards all below
  std::map<int, std::string> folders_;
  std::map<std::string, Tracked> files_;  // by ListedInput::input
  std::deque<std::string> waiting_;       // files, in the order in which they came
  std::atomic<std::size_t> waiting_count_ = 0;
  std::map<std::string, std::string> whose_;  // the input of each output
  Clock::time_point next_look_ = {}, soonest_look_ = {};
  std::set<std::string> said_;  // by say_once()
};

}  // namespace vidconv
