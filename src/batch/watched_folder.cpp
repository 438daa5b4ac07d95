#include "src/batch/watched_folder.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <thread>
#include <utility>

#include "pipeline/base/error.h"
#include "pipeline/base/url.h"
#include "src/batch/done_mark.h"
#include "src/options/name_pattern.h"
#include "src/options/option_values.h"

namespace vidconv {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto wait_for_events = 200ms;  // a signal may have come to another thread
constexpr auto between_events = 10ms;    // a writer makes one with each of its writes
constexpr auto settled_unseen = 5s;      // nobody tells who writes
constexpr auto settled_here = 200ms;     // between making a file and opening it
constexpr auto between_looks = 5s;
constexpr int share_of_looks = 20;  // they take at most one part in so many of the time
constexpr auto first_pause = 60s, longest_pause = 3600s;  // before a file is tried again

constexpr std::uint32_t events_of_files = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_MODIFY;
constexpr std::uint32_t events_of_folders =
    IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;

std::string plain_path(const std::string& name) {
  return fs::absolute(local_path(name)).lexically_normal().native();
}

// Whether outputs of this folder might come to lie where inputs are looked for.
bool may_hold(const std::string& outputs, const std::string& folder) {
  std::error_code error;
  const fs::path above = fs::weakly_canonical(outputs, error);
  const fs::path way = fs::weakly_canonical(folder, error).lexically_relative(above);
  return way == "." || (!way.empty() && *way.begin() != "..");
}

}  // namespace

WatchedFolder::WatchedFolder(const Options& options, const Notify& notify_user,
                             std::function<bool()> ends)
    : options_(options),
      notify_(notify_user),
      ends_(std::move(ends)),
      folder_(local_path(options.input)),
      outputs_among_inputs_(may_hold(common_folder(options.output), folder_)),
      events_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (outputs_among_inputs_) refuse_what_is_lost();
  look();
}

WatchedFolder::~WatchedFolder() {
  if (events_ >= 0) close(events_);
}

// Refuses what would be written where inputs lie and could not be told from them.
void WatchedFolder::refuse_what_is_lost() const {
  if (options_.sink.overwrite)
    refuse("-y", "", "the outputs may lie in the folder that is watched, and might replace inputs",
           "write into another folder, or leave it out: outputs of older content are replaced "
           "without it");
  if (!can_have_marks(folder_))
    refuse("--output", options_.output,
           "it may lie in the folder that is watched, whose file system keeps no marks by which it "
           "would be known again",
           "write into another folder");
}

std::optional<ListedInput> WatchedFolder::next() {
  const std::lock_guard lock(mutex_);
  while (!ends_()) {
    read_events();
    if (Clock::now() >= next_look_) look();
    auto whole = take_whole();
    waiting_count_ = waiting_.size();
    if (whole) return whole;
    pollfd events{.fd = events_, .events = POLLIN, .revents = 0};
    if (poll(&events, 1, static_cast<int>(wait_for_events.count())) > 0)
      std::this_thread::sleep_for(between_events);
  }
  return std::nullopt;
}

void WatchedFolder::claim(const BatchFile& file) {
  const std::lock_guard lock(mutex_);
  for (const auto& [what, name] : {std::pair{"the output", file.output},
                                   {"the report", file.stats},
                                   {"the trace", file.trace},
                                   {"the file of metrics", file.metrics}}) {
    if (name.empty() || name == "-") continue;
    const std::string act = fmt::format("cannot write {} of '{}'", what, verbatim(file.input));
    if (outputs_among_inputs_ && name == file.output && version_of(name) && !has_done_mark(name))
      throw Error(MessageKind::output_exists, act, name,
                  "it is there already, in the folder that is watched",
                  "have outputs called otherwise than inputs: {stem}.out.mkv");
    std::string& whose = whose_[plain_path(name)];
    if (!whose.empty() && whose != file.input && files_.contains(whose))
      throw Error(Fault::usage, act, name, "it is of '" + verbatim(whose) + "' too",
                  "tell them apart by {name}, which has the ending");
    whose = file.input;
  }
}

void WatchedFolder::end(const std::string& input, bool again) {
  const std::lock_guard lock(mutex_);
  Tracked& file = files_.at(input);
  file.at_work = false;
  if (!again) {
    file.pause = {};
    return;
  }
  file.pause = std::clamp<Clock::duration>(2 * file.pause, first_pause, longest_pause);
  file.not_before = Clock::now() + file.pause;
  file.taken.reset();
  track(file.input);
}

// Finds what no event has told.
void WatchedFolder::look() {
  const auto begin = Clock::now();
  FolderContents found;
  try {
    do found = contents_of(folder_, common_folder(options_.output), options_.recursive);
    while (watch_all(found.folders));  // files that came before a folder was watched are looked for
  } catch (const Error& error) {
    // A folder below may be gone.
    if (next_look_ == Clock::time_point() || !is_folder(folder_)) throw;
    say_once(error.kind(), error.message());
    next_look_ = Clock::now() + between_looks;
    return;
  }
  if (next_look_ == Clock::time_point()) say_left_out(options_.input, found.left_out, notify_);
  for (const Error& error : found.unreadable) say_once(error.kind(), error.message());
  std::set<std::string> there;
  for (const ListedInput& input : found.files) {
    track(input);
    there.insert(input.input);
  }
  std::erase_if(files_, [&](const auto& file) {
    return !file.second.at_work && !there.contains(file.first);
  });
  std::erase_if(waiting_, [&](const std::string& input) { return !files_.contains(input); });
  std::erase_if(whose_, [&](const auto& output) { return !files_.contains(output.second); });
  const auto end = Clock::now();
  soonest_look_ = end + share_of_looks * (end - begin);
  next_look_ = std::max(soonest_look_, end + between_looks);
}

// Whether there is one that was not watched.
bool WatchedFolder::watch_all(const std::vector<std::string>& folders) {
  bool any = false;
  for (const std::string& folder : folders) {
    const int number =
        inotify_add_watch(events_, folder.c_str(), events_of_files | events_of_folders);
    if (number >= 0) {
      any |= folders_.insert_or_assign(number, folder).second;
    } else if (errno != ENOENT) {
      const std::string why = fmt::format(
          "inotify does not watch '{}' ({}): it is looked at every {} seconds", verbatim(folder),
          events_ < 0 ? "there are as many users of it as fs.inotify.max_user_instances allows"
          : errno == ENOSPC ? "there are as many folders as fs.inotify.max_user_watches allows"
                            : std::strerror(errno),
          between_looks.count());
      say_once(MessageKind::fallback, why);
    }
  }
  return any;
}

// Says what each look finds anew.
void WatchedFolder::say_once(MessageKind kind, const std::string& line) {
  if (said_.insert(line).second) notify(notify_, kind, line);
}

void WatchedFolder::read_events() {
  alignas(inotify_event) char bytes[64 << 10];
  ssize_t size = 0;
  while ((size = read(events_, bytes, sizeof bytes)) > 0)
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(bytes + at);
      take_event(event->wd, event->mask, event->len > 0 ? event->name : "");
      at += static_cast<ssize_t>(sizeof *event + event->len);
    }
}

void WatchedFolder::take_event(int folder, unsigned mask, const char* name) {
  if (mask & IN_Q_OVERFLOW)  // files may have been closed unheard
    for (auto& [input, file] : files_) file.written = false;
  if (mask & IN_IGNORED) folders_.erase(folder);
  if (mask & (IN_Q_OVERFLOW | IN_ISDIR | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) {
    next_look_ = std::min(next_look_, soonest_look_);
    return;
  }
  const auto at = folders_.find(folder);
  if (!(mask & events_of_files) || at == folders_.end() || *name == '.' || !has_video_ending(name))
    return;
  Tracked& file = track(listed_below(folder_, fs::path(at->second) / name));
  file.written = (mask & IN_MODIFY) != 0;
  file.closed = (mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0;
}

// Looks at what it is now.
WatchedFolder::Tracked& WatchedFolder::track(const ListedInput& input) {
  Tracked& file = files_[input.input];
  if (file.input.input.empty()) {
    file.input = input;
    if (std::error_code error; fs::is_symlink(input.input, error))
      notify(notify_, MessageKind::left_out,
             fmt::format("'{}' is left out: it is a link, and --watch reads its own folder alone",
                         verbatim(input.input)));
  }
  see(file);
  if (!file.waits && file.version != file.taken) {
    file.waits = true;
    waiting_.push_back(input.input);
  }
  return file;
}

void WatchedFolder::see(Tracked& file) {
  const auto version = version_of(file.input.input);
  if (version == file.version) return;
  file.version = version;
  file.since = Clock::now();
  file.closed = false;
}

std::optional<ListedInput> WatchedFolder::take_whole() {
  for (std::size_t i = waiting_.size(); i > 0; --i) {
    const std::string input = std::move(waiting_.front());
    waiting_.pop_front();
    const auto found = files_.find(input);
    if (found == files_.end()) continue;
    Tracked& file = found->second;
    see(file);
    if (!file.at_work && is_output(input)) file.taken = file.version;
    file.waits = file.at_work || (file.version && file.version != file.taken);
    if (file.waits && !file.at_work && Clock::now() >= file.not_before && is_whole(file)) {
      file.taken = file.version;
      file.at_work = true;
      file.waits = false;
      return file.input;
    }
    if (file.waits) waiting_.push_back(input);
  }
  return std::nullopt;
}

bool WatchedFolder::is_whole(const Tracked& file) const {
  const Writer writer = writer_of(file.input.input);
  if (writer == Writer::some) return false;
  if (file.closed) return true;
  const auto age = Clock::now() - file.since;
  return !file.written && age >= (writer == Writer::none ? Clock::duration(settled_here)
                                                         : Clock::duration(settled_unseen));
}

// Where outputs lie among inputs.
bool WatchedFolder::is_output(const std::string& input) const {
  return whose_.contains(plain_path(input)) || (outputs_among_inputs_ && has_done_mark(input));
}

}  // namespace vidconv
