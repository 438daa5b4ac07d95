#include "src/batch/batch_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "pipeline/base/url.h"
#include "pipeline/io/content_key.h"
#include "src/batch/done_mark.h"
#include "src/options/batch_plan.h"
#include "src/options/job_settings.h"
#include "src/options/output_key.h"
#include "src/process/interrupt.h"
#include "src/process/worse_exit_code.h"
#include "src/run/one_run.h"

namespace vidconv {
namespace {

constexpr double seconds_between_looks = 0.05;  // shorter than the progress display's interval

// Buffers the lines that md5: writes until they are known to be complete.
class Digests {
 public:
  explicit Digests(bool wanted) : fd_(wanted ? memfd_create("digests", MFD_CLOEXEC) : -1) {
    if (wanted && fd_ < 0) throw_out_of_memory("for digests");
  }
  ~Digests() {
    if (fd_ >= 0) close(fd_);
  }
  Digests(const Digests&) = delete;
  Digests& operator=(const Digests&) = delete;

  int fd() const { return fd_; }
  std::string text() const {
    std::string all(static_cast<std::size_t>(lseek(fd_, 0, SEEK_END)), '\0');
    for (std::size_t at = 0; at < all.size();) {
      const ssize_t count = pread(fd_, all.data() + at, all.size() - at, static_cast<off_t>(at));
      if (count <= 0) throw_out_of_memory("for digests");
      at += static_cast<std::size_t>(count);
    }
    return all;
  }

 private:
  const int fd_;
};

// Appends the input's name to each line of digests: "0 DIGEST a.mp4".
std::string with_name(const std::string& lines, const std::string& input) {
  std::string all;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    all += lines.substr(at, end - at) + " " + printable(redacted(input)) + "\n";
    at = end + 1;
  }
  return all;
}

// Returns the key of the words and the input's name: an output of the same may be made anew when
// its input is new.
std::string key_of_maker(const std::string& words, const std::string& input) {
  ContentKey key;
  key.add("words", words);
  key.add("input", std::filesystem::absolute(local_path(input)).lexically_normal().native());
  return key.hex();
}

void make_folder_of(const std::string& name) {
  const auto folder = std::filesystem::path(local_path(name)).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw Error(Fault::output, "cannot make the folder of", name, error.message());
}

}  // namespace

BatchFileRun::BatchFileRun(const Options& options, const BatchSetting& setting)
    : options_(options),
      setting_(setting),
      messages_(options.quiet, options.input),
      notify_([this](MessageKind kind, const std::string& line) { messages_.notify(kind, line); }),
      reports_(options_) {
  // Each file's shards would otherwise take as much memory as there is.
  if (setting.several_at_once && options_.shards) options_.shards->jobs = 1;
}

BatchOutcome BatchFileRun::run() {
  const Messages::Beside beside(messages_, setting_.display);
  try {
    return filter();
  } catch (...) {
    return fail(current_error());
  }
}

BatchOutcome BatchFileRun::filter() {
  if (options_.watch) version_ = version_of(local_path(options_.input));
  key_ = is_kept(options_.output) ? output_key(setting_.words_key, options_) : std::nullopt;
  if (options_.skip_done && key_) {
    if (const auto done = done_before(options_.output, *key_)) {
      if (options_.resume) remove_kept(options_);
      return done_already(done->damaged);
    }
  }
  if (options_.watch) {
    maker_ = key_of_maker(setting_.words_key, options_.input);
    options_.sink.overwrite |= made_by(options_.output, maker_);
  }
  for (const std::string& name :
       {options_.output, options_.stats_file, options_.trace_file, options_.metrics_file})
    if (!name.empty() && is_kept(name)) make_folder_of(name);
  if (options_.resume) kept_ = std::make_shared<ResumeFolder>(options_, notify_);
  if (kept_ && kept_->output_is_there()) {
    kept_->remove();
    return done_already(kept_->output_is_damaged());
  }
  claim_files(options_, files_);
  reports_.open(files_);
  const Digests digests(options_.output == "md5:");
  job_.emplace(job_options_of_file(digests.fd()));
  job_->open();
  result_ = job_->run({.observer = setting_.observer,
                       .observer_interval = seconds_between_looks,
                       .reached = &result_});
  if (kept_) kept_->remove();
  reports_.finish_trace();
  if (!is_kept(options_.output)) refuse_interrupted();
  if (digests.fd() >= 0) setting_.print(with_name(digests.text(), options_.input));
  say_end(options_, result_, *job_->sink(), messages_);
  return end({.exit_code = result_.damage.any() ? static_cast<int>(Fault::damaged) : 0});
}

BatchOutcome BatchFileRun::done_already(bool damaged) {
  messages_.summarise("done before -> " + options_.output);
  return end({.exit_code = damaged ? static_cast<int>(Fault::damaged) : 0, .skipped = true});
}

JobOptions BatchFileRun::job_options_of_file(int digests) {
  JobOptions job = job_options(options_, notify_, files_, setting_.interrupted, reports_.trace());
  job.woken = setting_.woken;
  job.one_device = setting_.one_device;
  if (kept_) {
    job.sink.encoder.shards->store = kept_;
    job.in_order = kept_->in_order();
  }
  if (digests >= 0) job.sink.stdout_fd = digests;
  job.sink.before_name = [this](int fd) { complete(fd); };
  return job;
}

void BatchFileRun::refuse_interrupted() const {
  if (setting_.interrupted) throw Error(MessageKind::interrupted, "interrupted", "", "");
}

// Refuses an input that was written to meanwhile: its output would be a mixture. Another file under
// the name does not matter.
void BatchFileRun::refuse_written_to() const {
  if (!version_) return;
  const auto now = version_of(local_path(options_.input));
  if (now && now->inode == version_->inode && *now != *version_)
    throw Error(MessageKind::input_unreadable, "cannot filter", options_.input,
                "it was written to meanwhile", "it is filtered again when it is whole");
}

// Called before the output gets its name.
void BatchFileRun::complete(int fd) {
  refuse_interrupted();
  refuse_written_to();
  const bool damaged = is_damaged(*job_);
  if (kept_) kept_->about_to_name(fd, damaged);
  const bool marked = key_ && mark_done(fd, *key_, damaged, maker_);
  if (marked || !options_.skip_done) return;
  notify(notify_, MessageKind::no_effect,
         fmt::format("--skip-done will not find this output: {}",
                     key_ ? std::string("no mark can be set on it: ") + std::strerror(errno)
                          : "nobody can tell whether such an input is still the same"));
}

BatchOutcome BatchFileRun::fail(const Error& error) {
  const int signal = interrupting_signal();
  const bool interrupted =
      error.kind() == MessageKind::interrupted || (signal != 0 && result_.encoded == 0);
  if (interrupted)
    messages_.warn(MessageKind::interrupted, "interrupted: there is no output");
  else
    messages_.warn(error.kind(), error.message());
  if (kept_ && kept_->kept_by_now() > 0) messages_.warn(MessageKind::resumed, describe(*kept_));
  const int code = signal != 0 ? 128 + signal : static_cast<int>(error.fault());
  try {
    reports_.finish_trace();
  } catch (const Error& unwritable) {
    messages_.warn(unwritable.kind(), unwritable.message());
  }
  return end({.exit_code = code, .failed = true}, interrupted ? nullptr : &error);
}

// Writes the report.
BatchOutcome BatchFileRun::end(BatchOutcome outcome, const Error* error) {
  const Ending ending{.exit_code = outcome.exit_code,
                      .interrupted = outcome.failed && !error,
                      .error = error,
                      .skipped = outcome.skipped};
  std::string stats;
  const auto report = [&]() -> const std::string& {
    if (stats.empty())
      stats = stats_json(result_, options_, parts_of(job_ ? &*job_ : nullptr, &setting_.sandbox),
                         messages_.said(), ending);
    return stats;
  };
  try {
    if (setting_.stats_lines)
      setting_.print(nlohmann::ordered_json::parse(report()).dump() + "\n");
    else if (reports_.wants_stats() && !outcome.skipped)  // a skipped file has its report already
      reports_.write_stats(report());
    if (reports_.wants_metrics() && !outcome.skipped) reports_.write_metrics(report());
  } catch (...) {
    const Error unwritable = current_error();
    messages_.warn(unwritable.kind(), unwritable.message());
    outcome.exit_code = worse_exit_code(outcome.exit_code, static_cast<int>(unwritable.fault()));
    outcome.failed = true;
  }
  return outcome;
}

}  // namespace vidconv
