#include "src/options/input_list.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>

#include "kernels/base/names.h"
#include "pipeline/base/error.h"
#include "pipeline/base/url.h"
#include "src/options/name_pattern.h"
#include "src/options/option_values.h"
#include "src/process/interrupt.h"

namespace vidconv {
namespace {

namespace fs = std::filesystem;

// A folder's files with these endings are inputs; pictures, subtitles and notes are not.
constexpr std::string_view video_endings[] = {
    "264", "265",  "3g2",  "3gp",  "asf",  "avi",  "divx", "dv",  "f4v",   "flv",
    "gif", "h264", "h265", "hevc", "ivf",  "m2ts", "m2v",  "m4v", "mjpeg", "mkv",
    "mov", "mp4",  "mpeg", "mpg",  "mts",  "mxf",  "nut",  "obu", "ogm",   "ogv",
    "rm",  "rmvb", "ts",   "vob",  "webm", "wmv",  "y4m"};

Error unreadable(const char* what, const std::string& name, const std::string& why) {
  if (interrupting_signal() != 0)
    return {MessageKind::interrupted, std::string("cannot read the ") + what, name,
            "it was interrupted"};
  return {MessageKind::input_missing, std::string("cannot read the ") + what, name, why};
}

std::string bytes_of_list(const std::string& name) {
  const int fd = name == "-" ? STDIN_FILENO : open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw unreadable("list", name, std::strerror(errno));
  std::string bytes;
  char piece[4096];
  for (ssize_t count = 0; (count = ::read(fd, piece, sizeof piece)) != 0;) {
    if (count > 0)
      bytes.append(piece, static_cast<std::size_t>(count));
    else if (errno != EINTR || interrupting_signal() != 0)
      throw unreadable("list", name,
                       errno == EISDIR ? "it is a folder; name it as an input, with --recursive"
                                       : std::strerror(errno));
  }
  if (fd != STDIN_FILENO) close(fd);
  return bytes;
}

// Returns the input's name for a file, even if it looks like a URL or a pattern.
std::string as_input(const std::string& name) {
  const bool special = name == "-" || name.starts_with("pattern:") || !scheme_of(name).empty();
  std::error_code error;
  return special && fs::exists(fs::symlink_status(name, error)) ? "./" + name : name;
}

void add_list(const std::string& name, char separator, std::vector<std::string>& to) {
  const std::string bytes = bytes_of_list(name);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find(separator, at), bytes.size());
    if (end > at) to.push_back(as_input(bytes.substr(at, end - at)));
    at = end + 1;
  }
}

class FolderWalk {
 public:
  FolderWalk(const std::string& folder, const std::string& outputs, bool recursive)
      : folder_(local_path(folder)), outputs_(outputs), recursive_(recursive) {}

  FolderContents contents() {
    found_.folders.push_back(folder_.native());
    std::error_code error;
    fs::recursive_directory_iterator at(folder_, error);
    for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) visit(at);
    if (error) throw unreadable("folder", folder_.native(), error.message());
    std::ranges::sort(files_);
    for (const fs::path& file : files_) found_.files.push_back(listed_below(folder_, file));
    return std::move(found_);
  }

 private:
  void visit(fs::recursive_directory_iterator& at) {
    std::error_code error;
    const std::string name = at->path().filename().native();
    const bool hidden = name.starts_with('.');
    if (at->is_directory(error)) {
      if (!recursive_ || hidden || fs::equivalent(at->path(), outputs_, error))
        at.disable_recursion_pending();
      else if (!at->is_symlink(error))
        enter(at);
    } else if (!hidden && at->is_regular_file(error)) {
      if (has_video_ending(name))
        files_.push_back(at->path());
      else
        ++found_.left_out;
    }
  }

  void enter(fs::recursive_directory_iterator& at) {
    std::error_code error;
    const fs::directory_iterator inside(at->path(), error);
    if (error) {
      at.disable_recursion_pending();
      found_.unreadable.push_back(unreadable("folder", at->path().native(), error.message()));
    } else {
      found_.folders.push_back(at->path().native());
    }
  }

  const fs::path folder_, outputs_;
  const bool recursive_;
  std::vector<fs::path> files_;
  FolderContents found_;
};

}  // namespace

bool has_video_ending(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot != name.npos && row_named(video_endings, name.substr(dot + 1), std::identity());
}

bool is_folder(const std::string& input) {
  std::error_code error;
  return !is_url(input) && fs::is_directory(local_path(input), error);
}

ListedInput listed_below(const fs::path& folder, const fs::path& file) {
  std::string below = file.parent_path().lexically_relative(folder).native();
  below = below == "." || below.empty() ? "" : below + "/";
  return {as_input(file.native()), std::move(below)};
}

FolderContents contents_of(const std::string& folder, const std::string& outputs, bool recursive) {
  return FolderWalk(folder, outputs, recursive).contents();
}

void say_left_out(const std::string& folder, int files, const Notify& to) {
  if (files > 0)
    notify(to, MessageKind::left_out,
           fmt::format("of '{}' {} files are left out, which are not called as videos are",
                       verbatim(folder), files));
}

std::vector<ListedInput> list_inputs(const Options& o, const Notify& notify_user) {
  std::vector<std::string> named = o.inputs;
  if (!o.files_from.empty()) add_list(o.files_from, o.null_separated ? '\0' : '\n', named);
  std::vector<ListedInput> inputs;
  for (const std::string& input : named) {
    if (!is_folder(input)) {
      inputs.push_back({input, ""});
      continue;
    }
    if (!o.recursive)
      refuse("INPUT", input, "it is a folder", "add --recursive to take all videos in it");
    FolderContents found = contents_of(input, common_folder(o.output), true);
    if (!found.unreadable.empty()) throw found.unreadable.front();
    std::ranges::move(found.files, std::back_inserter(inputs));
    say_left_out(input, found.left_out, notify_user);
  }
  if (inputs.empty())
    throw Error(MessageKind::input_missing, "there is no input", "",
                "lists are empty, or there are no videos in the folders",
                "files that are called otherwise can be listed: --files-from");
  return inputs;
}

}  // namespace vidconv
