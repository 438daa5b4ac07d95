#include "src/outputs/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

extern "C" {
#include <libavutil/cpu.h>
}

#include "kernels/convolver/thread_pool.h"
#include "pipeline/filter/shared_uploads.h"
#include "pipeline/platform/process.h"
#include "pipeline/platform/usable_threads.h"
#include "pipeline/settings/settings_job.h"
#include "pipeline/source/source_shared.h"
#include "src/options/job_settings.h"
#include "src/outputs/output_run.h"
#include "src/outputs/outputs_progress.h"
#include "src/process/interrupt.h"
#include "src/process/standard_streams.h"
#include "src/process/worse_exit_code.h"
#include "src/run/explain_job.h"
#include "src/run/one_run.h"
#include "src/run/report_files.h"

namespace vidconv {
namespace {

// Returns the options of one run that needs the rights of all of these.
Options with_needs_of_all(const std::vector<Options>& outputs) {
  Options all = outputs.front();
  for (const Options& o : outputs) {
    all.filters.insert(all.filters.end(), o.filters.begin(), o.filters.end());
    all.sink.overwrite |= o.sink.overwrite;
    auto& own = all.sink.encoder.own;
    own.insert(own.end(), o.sink.encoder.own.begin(), o.sink.encoder.own.end());
    if (encodes_on_chip(o)) all.sink.encoder.codec = o.sink.encoder.codec;
  }
  return all;
}

// Returns the files of all outputs.
std::vector<BatchFile> files_of(const std::vector<Options>& outputs) {
  std::vector<BatchFile> files;
  for (const Options& o : outputs) {
    files.push_back({o.input, o.output, o.stats_file, o.trace_file, o.metrics_file});
    files.push_back({o.input, "", o.measure_log, o.audit_file, ""});
  }
  return files;
}

class Outputs {
 public:
  explicit Outputs(const std::vector<Options>& options)
      : all_(options),
        common_(options.front()),
        interrupted_(install_interrupt_handlers()),
        messages_(common_.quiet),
        stats_options_(only_stats(common_)),
        stats_(stats_options_) {}

  int run() {
    sandbox_ = enter_sandbox(with_needs_of_all(all_), {}, files_of(all_));
    capture_av_log();
    av_cpu_force_count(usable_threads());
    stats_.open(files_);
    wake_device();
    for (std::size_t i = 0; i < all_.size(); ++i) open(i);
    if (common_.explain)
      explain_all();
    else
      filter();
    return finish();
  }

 private:
  static Options only_stats(const Options& options) {
    Options stats = options;
    for (std::string* file :
         {&stats.trace_file, &stats.metrics_file, &stats.measure_log, &stats.audit_file})
      file->clear();
    return stats;
  }

  void wake_device() {
    // One output may want the CPU only because nothing is computed for it.
    DeviceRequest wish;
    for (const Options& o : all_) {
      RunFiles unused;
      wish = job_options(o, {}, unused, interrupted_, nullptr).device;
      if (wish.kind != DeviceRequest::Kind::cpu) break;
    }
    woken_ = wake_chosen_device(wish, nullptr);
    const DeviceChoice choice = woken_.choice.get();
    if (!choice.why.empty()) messages_.notify(MessageKind::device_chosen, choice.why);
    if (choice.device == Device::cpu)
      threads_ = shared_thread_pool(threads_of(common_));
    else
      uploads_ = make_shared_uploads();
  }

  void open(std::size_t number) {
    runs_.emplace_back(
        all_[number],
        OutputSetting{
            .interrupted = interrupted_,
            .sandbox = *sandbox_,
            .woken = woken_,
            .files = files_,
            .uploads = uploads_.get(),
            .notify_of_input = [this](MessageKind kind,
                                      const std::string& line) { messages_.notify(kind, line); },
            .open_source =
                [this, number](const SourceOptions& from) { return open_reader(number, from); },
            .input_is_live = is_live(common_)});
    runs_.back().open();
  }

  // Opens the input for the first who wants it.
  std::unique_ptr<Source> open_reader(std::size_t number, const SourceOptions& from) {
    if (no_input_) std::rethrow_exception(no_input_);
    try {
      if (!shared_) shared_.emplace(open_source(common_.input, from), all_.size(), 2, uploads());
    } catch (...) {
      no_input_ = std::current_exception();
      throw;
    }
    if (shared_->source().on_device() && !from.nvdec)
      throw Error(MessageKind::command_line, "`decoder`", common_.decoder.text,
                  "an output needs frames in host memory, to turn them upright",
                  "use `decoder` cpu");
    return shared_->reader(number);
  }

  // Returns what makes room on devices for a frame of all outputs; empty on the CPU.
  SharedSource::MakeUpload uploads() const {
    if (!uploads_) return {};
    return [this] { return uploads_->make(); };
  }

  // Output `number` has failed: the others go on without it, unless all are wanted.
  void leave(std::size_t number) {
    shared_->leave(number);
    if (!common_.strict) return;
    const Error stop(MessageKind::strict, "stopped at the failure of", runs_[number].name(), "",
                     "without `strict` the others go on");
    {
      const std::lock_guard lock(mutex_);
      if (!stopped_) stopped_ = stop;
    }
    shared_->stop(stop);
  }

  // Ends an output that reads the input by itself (JobOptions::open_source).
  void throw_if_stopped() {
    const std::lock_guard lock(mutex_);
    if (stopped_) throw *stopped_;
  }

  void explain_all() {
    for (OutputRun& run : runs_) {
      if (run.failed()) continue;
      const std::string text = explain_job(run.options(), run.job());
      if (!stats_.stats_on_stdout()) print(fmt::format("output  {}\n", run.name()) + text);
    }
  }

  void filter() {
    if (!shared_) return;
    OutputsProgress progress(common_.quiet ? ProgressMode::none : common_.progress,
                             total_of(shared_->source()), runs_.size());
    const Messages::Beside beside(messages_, progress.display());
    const auto has_failed = [&](std::size_t number) {
      progress.leave(number);
      leave(number);
    };
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (runs_[i].failed()) has_failed(i);
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].failed()) continue;
      try {
        threads.emplace_back([&, i] {
          runs_[i].run(progress.display(), [&](const Progress& p) {
            throw_if_stopped();
            progress.show(i, p);
          });
          if (runs_[i].failed()) has_failed(i);
        });
      } catch (...) {  // the others would wait for this one
        runs_[i].fail(current_error());
        has_failed(i);
      }
    }
    threads.clear();
    progress.finish();
  }

  int finish() {
    std::vector<std::string> reports;
    int code = 0;
    std::ptrdiff_t failed = 0;
    for (OutputRun& run : runs_) {
      reports.push_back(run.finish_reports());
      code = worse_exit_code(code, run.exit_code());
      failed += run.failed();
    }
    const auto all = std::ssize(runs_);
    std::string line = fmt::format("{} of {} outputs done", all - failed, all);
    if (failed > 0) line += fmt::format(", {} failed", failed);
    if (!common_.explain) messages_.summarise(line);
    if (!stats_.wants_stats()) return code;
    try {
      stats_.write_stats(stats_of_outputs(reports, common_, messages_.said(), code));
    } catch (...) {
      const Error unwritable = current_error();
      messages_.warn(unwritable.kind(), unwritable.message());
      code = worse_exit_code(code, static_cast<int>(unwritable.fault()));
    }
    return code;
  }

  const std::vector<Options>& all_;
  const Options& common_;  // the first output's: settings of the input and of the run are the same
  const std::atomic<bool>& interrupted_;
  Messages messages_;  // about no single output
  RunFiles files_;
  const Options stats_options_;
  ReportFiles stats_;
  std::optional<Sandbox> sandbox_;
  WakingDevice woken_;
  std::shared_ptr<ThreadPool> threads_;  // held so that all outputs are filtered by the same pool
  std::unique_ptr<SharedUploads> uploads_;  // null on the CPU
  std::exception_ptr no_input_;
  std::optional<SharedSource> shared_;
  std::mutex mutex_;              // guards stopped_
  std::optional<Error> stopped_;  // all are to end
  std::deque<OutputRun> runs_;
};

}  // namespace

int run_outputs(const std::vector<Options>& options) { return Outputs(options).run(); }

}  // namespace vidconv
