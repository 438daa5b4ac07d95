// One file of several: filtered as if it were the only one, but for what the process keeps.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/run/job.h"
#include "src/batch/batch_progress.h"
#include "src/options/options.h"
#include "src/resume/resume_folder.h"
#include "src/run/messages.h"
#include "src/run/report_files.h"
#include "src/run/sandbox.h"

namespace vidconv {

// What all files have in common; outlives them.
struct BatchSetting {
  const std::atomic<bool>& interrupted;
  const Sandbox& sandbox;
  const WakingDevice& woken;
  std::optional<std::size_t> one_device;  // as in JobOptions
  bool several_at_once;
  const std::string& words_key;  // as of key_of_words()
  ProgressDisplay& display;
  std::function<void(const Progress&)> observer;
  bool stats_lines;                               // a report in one line on stdout
  std::function<void(const std::string&)> print;  // on stdout, in one piece
};

struct BatchOutcome {
  int exit_code = 0;
  bool failed = false;   // there is no output
  bool skipped = false;  // it had been there
};

class BatchFileRun {
 public:
  BatchFileRun(const Options& options, const BatchSetting& setting);

  // Once. Never throws: what went wrong has been said, and is in the report. An output is whole or
  // not there: what an interruption cuts short is none.
  BatchOutcome run();

 private:
  BatchOutcome filter();
  BatchOutcome fail(const Error& error);
  BatchOutcome end(BatchOutcome outcome, const Error* error = nullptr);
  JobOptions job_options_of_file(int digests);
  void complete(int fd);
  void refuse_interrupted() const;

  Options options_;
  const BatchSetting setting_;
  Messages messages_;
  const Notify notify_;
  RunFiles files_;
  std::shared_ptr<ResumeFolder> kept_;  // with --resume
  ReportFiles reports_;
  std::optional<std::string> key_;
  std::optional<Job> job_;
  RunResult result_;  // as far as it has come
};

}  // namespace vidconv
