// Filters one file of several as if it were the only one, except that the process keeps its device,
// threads and memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/run/job.h"
#include "src/batch/batch_progress.h"
#include "src/batch/file_version.h"
#include "src/options/options.h"
#include "src/resume/resume_folder.h"
#include "src/run/messages.h"
#include "src/run/report_files.h"
#include "src/run/sandbox.h"

namespace vidconv {

// Holds the settings that all files share; outlives them.
struct BatchSetting {
  const std::atomic<bool>& interrupted;
  const Sandbox& sandbox;
  const WakingDevice& woken;
  std::optional<std::size_t> one_device;  // as in JobOptions
  bool several_at_once;
  const std::string& words_key;  // from key_of_words()
  ProgressDisplay& display;
  std::function<void(const Progress&)> observer;
  bool stats_lines;                               // each report is one line on stdout
  std::function<void(const std::string&)> print;  // writes to stdout in one piece
};

struct BatchOutcome {
  int exit_code = 0;
  bool failed = false;   // there is no output
  bool skipped = false;  // the output was there already
};

class BatchFileRun {
 public:
  BatchFileRun(const Options& options, const BatchSetting& setting);

  // To be called once. Never throws: a failure is printed and goes into the report. The output is
  // complete or absent; an interrupted run leaves none.
  BatchOutcome run();

 private:
  BatchOutcome filter();
  BatchOutcome fail(const Error& error);
  BatchOutcome end(BatchOutcome outcome, const Error* error = nullptr);
  BatchOutcome done_already(bool damaged);
  JobOptions job_options_of_file(int digests);
  void complete(int fd);
  void refuse_interrupted() const;
  void refuse_written_to() const;

  Options options_;
  const BatchSetting setting_;
  Messages messages_;
  const Notify notify_;
  RunFiles files_;
  std::shared_ptr<ResumeFolder> kept_;  // with --resume
  ReportFiles reports_;
  std::optional<std::string> key_;
  std::string maker_;                   // with --watch
  std::optional<FileVersion> version_;  // with --watch, of the input
  std::optional<Job> job_;
  RunResult result_;  // so far
};

}  // namespace vidconv
