#include "src/batch/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "kernels/convolver/thread_pool.h"
#include "pipeline/device/cuda.h"
#include "pipeline/platform/process.h"
#include "pipeline/platform/usable_threads.h"
#include "pipeline/settings/settings_job.h"
#include "src/batch/batch_file.h"
#include "src/batch/watched_folder.h"
#include "src/options/batch_plan.h"
#include "src/options/job_settings.h"
#include "src/options/output_key.h"
#include "src/process/interrupt.h"
#include "src/process/standard_streams.h"
#include "src/process/worse_exit_code.h"
#include "src/run/one_run.h"

extern "C" {
#include <libavutil/cpu.h>
}

namespace vidconv {
namespace {

class Batch {
 public:
  explicit Batch(const Options& options)
      : options_(options),
        interrupted_(install_interrupt_handlers()),
        messages_(options.quiet),
        notify_(
            [this](MessageKind kind, const std::string& line) { messages_.notify(kind, line); }),
        plan_(options.watch ? plan_watch(options) : plan_batch(options, notify_)),
        words_key_(key_of_words(options)),
        progress_(options.quiet ? ProgressMode::none : options.progress,
                  options.watch ? 0 : plan_.files.size()) {
    if (options.watch)
      watched_.emplace(options, notify_, [this] { return interrupted_ || stops_; });
  }

  int run() {
    make_folders();
    std::vector<std::string> folders = plan_.folders;
    if (!options_.resume_folder.empty()) folders.push_back(options_.resume_folder);
    sandbox_ = enter_sandbox(options_, folders, plan_.files);
    capture_av_log();
    av_cpu_force_count(usable_threads());
    wake_device();
    warn_of_filters(options_, notify_);
    if (watched_) messages_.summarise("watching " + options_.input + " until a signal comes");
    {
      const Messages::Beside beside(messages_, progress_.display());
      std::vector<std::jthread> others;
      for (int i = 1; i < files_at_once_; ++i) others.emplace_back([this] { take_files(); });
      take_files();
    }
    progress_.finish();
    return finish();
  }

 private:
  // Makes the outputs' folders, which must exist before the sandbox is entered. Folders below them
  // are made when an output needs them.
  void make_folders() const {
    for (const std::string& folder : plan_.folders) {
      std::error_code error;
      std::filesystem::create_directories(folder, error);
      if (error)
        throw Error(Fault::output, "cannot make the folder of the outputs", folder,
                    error.message());
    }
  }

  void wake_device() {
    keep_pinned_memory(true);
    woken_ = wake_chosen_device(options_.device, nullptr);
    const DeviceChoice choice = woken_.choice.get();
    if (!choice.why.empty()) notify_(MessageKind::device_chosen, choice.why);
    if (choice.device == Device::cpu) threads_ = shared_thread_pool(threads_of(options_));
    const int devices = std::max(static_cast<int>(choice.indices.size()), 1);
    const int wanted = options_.files_at_once > 0 ? options_.files_at_once : devices;
    files_at_once_ = watched_ ? wanted : std::min(wanted, static_cast<int>(plan_.files.size()));
  }

  void take_files() {
    while (!interrupted_ && !stops_) {
      std::optional<ListedInput> input;
      if (watched_ && !(input = next_of_folder())) return;
      const std::size_t number = next_++;
      if (!input && number >= plan_.files.size()) return;
      BatchOutcome outcome;
      try {
        outcome = input ? filter_of_folder(number, *input) : filter(number, plan_.files[number]);
      } catch (...) {  // no name for its output, or no memory to begin with
        outcome = failed_by_exception();
      }
      if (input && !interrupted_) watched_->end(input->input, is_to_be_tried_again(outcome));
      if (outcome.failed && options_.fail_fast) stops_ = true;
      count(outcome);
    }
  }

  BatchOutcome failed_by_exception() {
    const Error error = current_error();
    messages_.warn(error.kind(), error.message());
    return {.exit_code = static_cast<int>(error.fault()), .failed = true};
  }

  // None at the end, which is a failure where the folder is gone.
  std::optional<ListedInput> next_of_folder() {
    try {
      return watched_->next();
    } catch (...) {
      stops_ = true;
      const BatchOutcome outcome = failed_by_exception();
      const std::lock_guard lock(mutex_);
      worst_ = worse_exit_code(worst_, outcome.exit_code);
      return std::nullopt;
    }
  }

  BatchOutcome filter_of_folder(std::size_t number, const ListedInput& input) {
    const BatchFile file = batch_file(input, number + 1, options_);
    progress_.expect(number + 1 + watched_->waiting());
    watched_->claim(file);
    return filter(number, file);
  }

  // There may be room on the disk then, or the device be there again.
  static bool is_to_be_tried_again(const BatchOutcome& outcome) {
    return outcome.failed && (outcome.exit_code == static_cast<int>(Fault::output) ||
                              outcome.exit_code == static_cast<int>(Fault::device));
  }

  BatchOutcome filter(std::size_t number, const BatchFile& file) {
    BatchFileRun run(options_of(file, options_),
                     {.interrupted = interrupted_,
                      .sandbox = *sandbox_,
                      .woken = woken_,
                      .one_device = files_at_once_ > 1 ? std::optional(number) : std::nullopt,
                      .several_at_once = files_at_once_ > 1,
                      .words_key = words_key_,
                      .display = progress_.display(),
                      .observer = [&](const Progress& p) { progress_.show(number, p); },
                      .stats_lines = options_.stats_file == "-",
                      .print = [this](const std::string& text) { print_whole(text); }});
    const BatchOutcome outcome = run.run();
    progress_.end(number, outcome.failed);
    return outcome;
  }

  void count(const BatchOutcome& outcome) {
    const std::lock_guard lock(mutex_);
    worst_ = worse_exit_code(worst_, outcome.exit_code);
    ++(outcome.failed ? failed_ : outcome.skipped ? skipped_ : done_);
  }

  void print_whole(const std::string& text) {
    const std::lock_guard lock(mutex_);
    print(text);
  }

  int finish() {
    const std::size_t begun = done_ + skipped_ + failed_;
    const std::size_t all = watched_ ? begun : plan_.files.size();
    std::string line = fmt::format("{} of {} files done", done_, all);
    if (skipped_ > 0) line += fmt::format(", {} had been done before", skipped_);
    if (failed_ > 0) line += fmt::format(", {} failed", failed_);
    if (begun < all) line += fmt::format(", {} not begun", all - begun);
    messages_.summarise(line);
    const int signal = interrupting_signal();
    return signal != 0 ? 128 + signal : worst_;
  }

  const Options& options_;
  const std::atomic<bool>& interrupted_;
  Messages messages_;  // about no single file
  const Notify notify_;
  BatchPlan plan_;
  const std::string words_key_;
  BatchProgress progress_;
  std::optional<WatchedFolder> watched_;  // with --watch, instead of the plan's files
  std::optional<Sandbox> sandbox_;
  WakingDevice woken_;
  std::shared_ptr<ThreadPool> threads_;  // held so that all files are filtered by the same pool
  int files_at_once_ = 1;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stops_ = false;

  std::mutex mutex_;  // guards all below
  int worst_ = 0;
  std::size_t done_ = 0, skipped_ = 0, failed_ = 0;
};

}  // namespace

int run_batch(const Options& options) { return Batch(options).run(); }

}  // namespace vidconv
