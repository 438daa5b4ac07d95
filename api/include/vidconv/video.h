// Filters a video file into another, as the command does.
//
// C++20, over the C library (CMake: vidconv::vidconv).
#pragma once

#include <vidconv/vidconv.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace vidconv {

struct VideoProgress {
  std::int64_t frames = 0;            // frames in the output
  std::optional<std::int64_t> total;  // if the input announces it; may be wrong
  double seconds = 0;                 // time since the start
};

struct VideoJob {
  std::string input;   // a file, a URL or "pattern:..."
  std::string output;  // a file, its container by its extension; "null:"
  // A chain of at least one filter, each as `vidconv --kernel` takes it.
  std::vector<std::string> kernels;
  std::string device = "auto";  // "auto", "cpu", "cuda", "cuda:N", "cuda:N,M" or "cuda:all"
  std::string codec;            // an encoder or a codec; empty: the command's choice
  bool overwrite = false;
  // Called every tenth of a second on a thread of the library. Returning false ends the run early,
  // and the output holds the frames so far. An exception ends the run too, and filter_video()
  // rethrows it. May be empty.
  std::function<bool(const VideoProgress&)> progress;
  // Hears of each choice, conversion, omission and assumption in one line. Called on any thread,
  // and on several at once. Must not throw. May be empty.
  std::function<void(const std::string&)> notice;
};

struct VideoResult {
  std::int64_t frames = 0;  // frames in the output
  bool stopped = false;     // `progress` ended the run
  std::string damage;       // the input's damage in one line; empty if there is none
};

// An error's what() is a line for people: what failed, with which value, why and what to do.
class VideoError : public std::runtime_error {
 public:
  VideoError(int code, const std::string& line) : std::runtime_error(line), code_(code) {}
  int code() const { return code_; }  // the command's exit code: 2 usage, 3 input, ...

 private:
  int code_;
};

namespace detail {

struct FreeJob {
  void operator()(vidconv_job* job) const { vidconv_job_free(job); }
};

// A run's data for its callbacks: the job, and the exception that one has thrown.
struct VideoRun {
  const VideoJob& job;
  std::exception_ptr thrown;

  static int progress(void* user, const vidconv_progress* p) noexcept {
    VideoRun& run = *static_cast<VideoRun*>(user);
    try {
      const std::optional<std::int64_t> total =
          p->total < 0 ? std::nullopt : std::optional<std::int64_t>(p->total);
      return run.job.progress({p->frames, total, p->seconds}) ? 0 : 1;
    } catch (...) {
      run.thrown = std::current_exception();
      return 1;
    }
  }
  static void notice(void* user, const vidconv_message* message) noexcept {
    static_cast<const VideoRun*>(user)->job.notice(message->text);
  }
};

inline void check_video(vidconv_status status, const vidconv_error& error) {
  if (status == VIDCONV_OK) return;
  const std::string remedy = *error.remedy ? std::string("; ") + error.remedy : "";
  throw VideoError(status, error.message + remedy);
}

}  // namespace detail

// Blocks until the output is complete and has its name. Throws VideoError; then there is no output,
// and an older file is unchanged.
inline VideoResult filter_video(const VideoJob& wanted) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  if (wanted.kernels.empty()) throw VideoError(VIDCONV_USAGE, "there is no kernel; give one");
  vidconv_job* made = nullptr;
  detail::check_video(vidconv_job_new(&made, &error), error);
  const std::unique_ptr<vidconv_job, detail::FreeJob> job(made);
  const auto set = [&](const char* name, const std::string& value) {
    detail::check_video(vidconv_job_set(job.get(), name, value.c_str(), &error), error);
  };
  set("input", wanted.input);
  set("output", wanted.output);
  for (const std::string& kernel : wanted.kernels) set("kernel", kernel);
  set("device", wanted.device);
  set("codec", wanted.codec);
  set("overwrite", wanted.overwrite ? "1" : "0");

  detail::VideoRun run{wanted, nullptr};
  if (wanted.progress)
    detail::check_video(
        vidconv_job_on_progress(job.get(), detail::VideoRun::progress, &run, &error), error);
  if (wanted.notice)
    detail::check_video(vidconv_job_on_message(job.get(), detail::VideoRun::notice, &run, &error),
                        error);
  vidconv_stats stats = VIDCONV_INIT(vidconv_stats);
  const vidconv_status status = vidconv_job_run(job.get(), &stats, &error);
  if (run.thrown) std::rethrow_exception(run.thrown);
  if (status != VIDCONV_CANCELLED && status != VIDCONV_DAMAGED) detail::check_video(status, error);
  return {stats.written, status == VIDCONV_CANCELLED,
          status == VIDCONV_DAMAGED ? error.message : std::string()};
}

}  // namespace vidconv
