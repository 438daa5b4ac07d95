#include "src/outputs/output_run.h"

#include <utility>

#include "pipeline/settings/settings_job.h"
#include "src/options/job_settings.h"
#include "src/process/interrupt.h"
#include "src/process/worse_exit_code.h"
#include "src/run/one_run.h"

namespace vidconv {
namespace {

constexpr double seconds_between_states = 0.05;  // shorter than the progress display's interval

// The report of --stats is of all outputs: it is not this one's to open.
Options without_stats(Options options) {
  options.stats_file.clear();
  return options;
}

}  // namespace

OutputRun::OutputRun(const Options& options, const OutputSetting& setting)
    : options_(without_stats(options)),
      setting_(setting),
      messages_(options.quiet, options.output),
      notify_([this](MessageKind kind, const std::string& line) { messages_.notify(kind, line); }),
      reports_(options_) {}

void OutputRun::open() {
  try {
    claim_files(options_, setting_.files);
    reports_.open(setting_.files);
    JobOptions job =
        job_options(options_, notify_, setting_.files, setting_.interrupted, reports_.trace());
    job.woken = setting_.woken;
    job.source.notify = setting_.notify_of_input;
    job.open_source = setting_.open_source;
    job.processor.uploads = setting_.uploads;
    // Each output's shards would otherwise take as much memory as there is.
    if (auto& shards = job.sink.encoder.shards) shards->jobs = 1;
    if (job.measure) job.measure->each = [this](const FrameScore& score) { reports_.add(score); };
    if (ByteWriter* audit = reports_.audit())
      job.audit = [audit](const std::string& line) { audit->write(line); };
    job_.emplace(std::move(job));
    warn_of_filters(options_, notify_);
    job_->open();
  } catch (...) {
    fail(current_error());
  }
}

void OutputRun::run(ProgressDisplay& display,
                    const std::function<void(const Progress&)>& observer) {
  const Messages::Beside beside(messages_, display);
  try {
    filter(observer);
  } catch (...) {
    fail(current_error());
  }
}

void OutputRun::filter(const std::function<void(const Progress&)>& observer) {
  result_ = job_->run(
      {.observer = observer, .observer_interval = seconds_between_states, .reached = &result_});
  reports_.finish_audit();
  if (result_.measured) reports_.finish_measures(*result_.measured);
  say_end(options_, result_, *job_->sink(), messages_);
  const int signal = interrupting_signal();
  ended_early_ = signal != 0 && !setting_.input_is_live;
  if (signal != 0)
    messages_.warn(MessageKind::interrupted, ended_early_
                                                 ? "interrupted: the output holds the frames so far"
                                                 : "ended by a signal: the output is finished");
  exit_code_ = ended_early_           ? 128 + signal
               : result_.damage.any() ? static_cast<int>(Fault::damaged)
                                      : 0;
}

void OutputRun::fail(const Error& error) {
  const int signal = interrupting_signal();
  const bool interrupted = signal != 0 && result_.encoded == 0;
  if (interrupted)
    messages_.warn(MessageKind::interrupted,
                   "interrupted before the first frame: there is no output");
  else
    messages_.warn(error.kind(), error.message());
  exit_code_ = interrupted ? 128 + signal : static_cast<int>(error.fault());
  failure_ = error;
}

std::string OutputRun::finish_reports() {
  const auto report = [&] {
    return stats_json(result_, options_, parts_of(job_ ? &*job_ : nullptr, &setting_.sandbox),
                      messages_.said(),
                      {.exit_code = exit_code_,
                       .interrupted = ended_early_,
                       .error = failure_ ? &*failure_ : nullptr});
  };
  const auto attempt = [&](const auto& write) {
    try {
      write();
    } catch (...) {
      const Error unwritable = current_error();
      messages_.warn(unwritable.kind(), unwritable.message());
      exit_code_ = worse_exit_code(exit_code_, static_cast<int>(unwritable.fault()));
    }
  };
  attempt([&] { reports_.finish_trace(); });
  if (reports_.wants_metrics()) attempt([&] { reports_.write_metrics(report()); });
  return report();
}

}  // namespace vidconv
