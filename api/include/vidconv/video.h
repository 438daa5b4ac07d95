// Video: filters a file into another, as the command does.
//
// Needs the library vidconv::video.
#pragma once

#include <vidconv/version.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace vidconv {

struct VideoProgress {
  std::int64_t frames = 0;            // that are in the output
  std::optional<std::int64_t> total;  // where the input says it; it may be wrong
  double seconds = 0;                 // since the start
};

struct VideoJob {
  std::string input;   // a file, a URL or "pattern:..."
  std::string output;  // a file, its container by its ending; "null:"
  // One filter after the other, each as `vidconv --kernel` takes it; at least one.
  std::vector<std::string> kernels;
  std::string device = "auto";  // "auto", "cpu", "cuda", "cuda:N", "cuda:N,M" or "cuda:all"
  std::string codec;            // an encoder or a codec; empty: as the command chooses
  bool overwrite = false;
  // Hears of each tenth of a second, on a thread of the library's; false ends the run early, and
  // the output holds the frames so far. May be empty.
  std::function<bool(const VideoProgress&)> progress;
  // Hears in one line each what was chosen, converted, left out or assumed; on any thread, also on
  // several at once. May be empty.
  std::function<void(const std::string&)> notice;
};

struct VideoResult {
  std::int64_t frames = 0;  // in the output
  bool stopped = false;     // `progress` has ended it
  std::string damage;       // of the input, in one line; empty where there was none
};

// what() is a line for people: what, which value, why and what to do.
class VideoError : public std::runtime_error {
 public:
  VideoError(int code, const std::string& line) : std::runtime_error(line), code_(code) {}
  int code() const { return code_; }  // the command's exit code: 2 the job, 3 the input, ...

 private:
  int code_;
};

// Returns when the output is complete and has its name. Throws VideoError; there is no output then,
// and an older one is as it was.
VideoResult filter_video(const VideoJob& job);

}  // namespace vidconv
