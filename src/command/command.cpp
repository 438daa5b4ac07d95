#include "src/command/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

extern "C" {
#include <libavutil/cpu.h>
}

#include "pipeline/base/url.h"
#include "pipeline/encode/picture_file.h"
#include "pipeline/io/partial_name.h"
#include "pipeline/platform/process.h"
#include "pipeline/platform/usable_threads.h"
#include "pipeline/run/job.h"
#include "pipeline/settings/settings_job.h"
#include "src/options/job_settings.h"
#include "src/options/measure_words.h"
#include "src/options/options.h"
#include "src/process/interrupt.h"
#include "src/resume/resume_folder.h"
#include "src/run/benchmark.h"
#include "src/run/explain_job.h"
#include "src/run/gallery.h"
#include "src/run/hidden.h"
#include "src/run/html_report.h"
#include "src/run/messages.h"
#include "src/run/one_run.h"
#include "src/run/progress.h"
#include "src/run/report.h"
#include "src/run/report_files.h"
#include "src/run/run_watch.h"
#include "src/run/sandbox.h"
#include "src/run/target.h"

namespace vidconv {
namespace {

constexpr double observer_seconds = 0.05;  // shorter than the progress display's interval

class Command {
 public:
  explicit Command(const Options& options)
      : options_(options),
        interrupted_(install_interrupt_handlers()),
        messages_(options.quiet),
        notify_(
            [this](MessageKind kind, const std::string& line) { messages_.notify(kind, line); }),
        reports_(options_) {}

  // Returns the exit code.
  int run() {
    try {
      return work();
    } catch (...) {
      return fail(current_error());
    }
  }

 private:
  int work() {
    if (options_.resume && !options_.explain)
      kept_ = std::make_shared<ResumeFolder>(options_, notify_);
    sandbox_ = kept_ ? enter_sandbox(options_, {kept_->path(), folder_of(kept_->path())})
                     : enter_sandbox(options_);
    capture_av_log();
    av_cpu_force_count(usable_threads());  // for decoders and encoders that ask libavutil
    claim_files(options_, files_);
    reports_.open(files_);
    if (kept_ && kept_->output_is_there() && options_.audit_file.empty() && !reports_.wants_page())
      return done_before();
    if (options_.target) find_target();
    JobOptions job = job_options(options_, notify_, files_, interrupted_, reports_.trace());
    if (job.measure)
      job.measure->each = [this](const FrameScore& score) {
        reports_.add(score);
        if (watch_) watch_->see(score);
      };
    job.watched = reports_.wants_page();
    if (ByteWriter* audit = reports_.audit())
      job.audit = [audit](const std::string& line) { audit->write(line); };
    if (kept_) {
      job.sink.encoder.shards->store = kept_;
      job.in_order = kept_->in_order();
      job.sink.before_name = [this](int fd) { kept_->about_to_name(fd, is_damaged(*job_)); };
    }
    job_.emplace(std::move(job));
    if (!options_.gallery) warn_of_filters(options_, notify_);
    job_->open();
    return options_.gallery             ? gallery()
           : options_.explain           ? explain_all()
           : options_.benchmark_seconds ? benchmark(*options_.benchmark_seconds)
                                        : filter();
  }

  // The run before this one has done all but to remove what it kept.
  int done_before() {
    const bool damaged = kept_->output_is_damaged();
    kept_->remove();
    messages_.summarise("done before -> " + options_.output);
    if (damaged) messages_.warn(MessageKind::damaged, "the input was damaged");
    const Ending ending{.exit_code = damaged ? static_cast<int>(Fault::damaged) : 0,
                        .skipped = true};
    return finish_reports(ending);
  }

  // Finds the quality for --target and has the output measured as well.
  void find_target() {
    if (kept_ && !kept_->quality().empty()) {
      options_.sink.encoder.crf = kept_->quality();
      return notify_(MessageKind::resumed, "quality " + kept_->quality() + " was found before");
    }
    found_ = find_quality(options_, interrupted_);
    messages_.summarise(describe(*found_));
    take(*found_, options_);
    if (kept_) {  // kept shards are not measured
      options_.measures = {};
      kept_->keep_quality(options_.sink.encoder.crf);
    }
  }

  int explain_all() {
    const std::string text = explain_job(options_, *job_);
    result_.memory = job_->processor()->memory();
    if (!reports_.stats_on_stdout()) print(text);
    return finish_reports({});
  }

  int benchmark(double seconds) {
    Source& source = *job_->source();
    Processor& processor = job_->prepare(0, false);
    const BenchmarkResult result =
        run_benchmark(source, processor, seconds, job_->works().at(0).reach());
    if (reports_.wants_stats())
      reports_.write_stats(benchmark_json(result, source, processor, &*sandbox_));
    if (!reports_.stats_on_stdout()) print(benchmark_table(result, source, processor));
    reports_.finish_trace();
    return 0;
  }

  int gallery() {
    const FramePtr sheet =
        draw_gallery(*job_->source(), {options_.filters, options_.planes, options_.border,
                                       threads_of(options_), options_.show_originals});
    result_.bytes = write_picture(
        *sheet, options_.output,
        {.overwrite = options_.sink.overwrite, .files = &files_, .interrupted = &interrupted_});
    result_.decoded = result_.filtered = result_.encoded = result_.written = 1;
    return finish_reports({});
  }

  int filter() {
    {
      ProgressDisplay display(options_.quiet ? ProgressMode::none : options_.progress,
                              total_of(*job_->source()));
      const Messages::Beside beside(messages_, display);
      Progress last;
      if (reports_.wants_page())
        watch_.emplace(total_of(*job_->source()).frames, job_->source()->video().shown,
                       options_.show_originals || std::ranges::none_of(options_.filters, hides));
      result_ = job_->run({.observer =
                               [&](const Progress& progress) {
                                 last = progress;
                                 display.show(progress);
                                 if (watch_) watch_->see(progress);
                               },
                           .observer_interval = observer_seconds,
                           .reached = &result_,
                           .watcher = watch_ ? &*watch_ : nullptr});
      display.finish(last);
    }
    if (kept_) kept_->remove();
    reports_.finish_audit();
    reports_.finish_trace();  // before the run is said to be done
    if (result_.measured) reports_.finish_measures(*result_.measured);

    say_end(options_, result_, *job_->sink(), messages_);
    const int signal = interrupting_signal();
    const bool ended_early = signal != 0 && !is_live(options_);  // else nobody could end it
    if (signal != 0)
      messages_.warn(MessageKind::interrupted,
                     ended_early ? "interrupted: the output holds the frames so far"
                                 : "ended by a signal: the output is finished");
    const int code = ended_early            ? 128 + signal
                     : result_.damage.any() ? static_cast<int>(Fault::damaged)
                                            : 0;
    return finish_reports({.exit_code = code, .interrupted = ended_early});
  }

  // Returns the exit code of the ending.
  int finish_reports(const Ending& ending) {
    reports_.finish_trace();
    write_report(ending);
    return ending.exit_code;
  }

  int fail(const Error& error) {
    const std::int64_t finished = kept_ ? 0 : result_.encoded;
    if (interrupting_signal() != 0 && finished == 0)
      messages_.warn(MessageKind::interrupted,
                     kept_ ? "interrupted: there is no output yet"
                           : "interrupted before the first frame: there is no output");
    else
      messages_.warn(error.kind(), error.message());
    if (kept_ && kept_->kept_by_now() > 0) messages_.warn(MessageKind::resumed, describe(*kept_));
    const int code = exit_code(error, finished);
    const auto attempt = [&](const auto& report) {
      try {
        report();
      } catch (const Error& unwritable) {
        if (unwritable.message() != error.message())
          messages_.warn(unwritable.kind(), unwritable.message());
      }
    };
    attempt([&] { reports_.finish_trace(); });
    attempt([&] { write_report({code, interrupting_signal() != 0, &error}); });
    return code;
  }

  void write_report(Ending ending) {
    const bool page = watch_ && !ending.error;
    if (!reports_.wants_stats() && !reports_.wants_metrics() && !page) return;
    ending.found = found_ ? &*found_ : nullptr;
    const Parts parts = parts_of(job_ ? &*job_ : nullptr, sandbox_ ? &*sandbox_ : nullptr);
    const std::string stats = stats_json(result_, options_, parts, messages_.said(), ending);
    if (page) reports_.write_page(html_report(stats, *watch_));
    if (reports_.wants_metrics()) reports_.write_metrics(stats);
    if (reports_.wants_stats()) reports_.write_stats(stats);
  }

  Options options_;
  const std::atomic<bool>& interrupted_;
  Messages messages_;
  const Notify notify_;
  std::optional<Sandbox> sandbox_;
  RunFiles files_;
  std::shared_ptr<ResumeFolder> kept_;  // with --resume
  ReportFiles reports_;
  std::optional<RunWatch> watch_;  // for --report
  std::optional<FoundQuality> found_;
  std::optional<Job> job_;
  RunResult result_;  // so far
};

}  // namespace

int exit_code(const Error& error, std::int64_t frames) {
  const int signal = interrupting_signal();
  return signal != 0 && frames == 0 ? 128 + signal : static_cast<int>(error.fault());
}

int run_command(const Options& options) { return Command(options).run(); }

}  // namespace vidconv
