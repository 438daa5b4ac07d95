// Makes one output of several from an input that they share.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/run/job.h"
#include "src/options/options.h"
#include "src/run/messages.h"
#include "src/run/report_files.h"
#include "src/run/sandbox.h"

namespace vidconv {

// Holds what all outputs share; outlives them.
struct OutputSetting {
  const std::atomic<bool>& interrupted;
  const Sandbox& sandbox;
  const WakingDevice& woken;
  RunFiles& files;
  SharedUploads* uploads;  // ProcessorOptions::uploads
  Notify notify_of_input;  // hears what is said of the input, once for all
  std::function<std::unique_ptr<Source>(const SourceOptions&)> open_source;  // this output's reader
  bool input_is_live;  // nobody but a signal could end it
};

class OutputRun {
 public:
  OutputRun(const Options& options, const OutputSetting& setting);

  // Both never throw: a failure is printed. open() opens the input and the reports; run() filters
  // all frames, and is to be called only where open() has not failed.
  void open();
  void run(ProgressDisplay& display, const std::function<void(const Progress&)>& observer);

  // Prints why there is no output.
  void fail(const Error& error);
  bool failed() const { return failure_.has_value(); }
  int exit_code() const { return exit_code_; }
  const std::string& name() const { return options_.output; }
  const Options& options() const { return options_; }
  Job& job() { return *job_; }

  // Writes the output's own reports, and returns its report for --stats. To be called once, after
  // everything else; a report that cannot be written is a failure.
  std::string finish_reports();

 private:
  void filter(const std::function<void(const Progress&)>& observer);

  const Options options_;
  const OutputSetting setting_;
  Messages messages_;
  const Notify notify_;
  ReportFiles reports_;
  std::optional<Job> job_;
  RunResult result_;  // so far
  std::optional<Error> failure_;
  int exit_code_ = 0;
  bool ended_early_ = false;
};

}  // namespace vidconv
