// The job of the C header, and a run of a job.
#pragma once

#include <vidconv/vidconv.h>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <thread>

#include "api/c/settings.h"
#include "api/c/stop_flags.h"
#include "pipeline/io/byte_io.h"
#include "pipeline/io/partial_file.h"
#include "pipeline/run/job.h"

namespace vidconv {

struct JobCallbacks {
  vidconv_progress_function progress = nullptr;
  void* progress_user = nullptr;
  vidconv_message_function message = nullptr;
  void* message_user = nullptr;

  Notify notify() const;
};

// One run of a job, from its settings to its outcome. Belongs to one thread, except for `stop`.
class JobRun {
 public:
  // `stop` ends it early when it becomes true; it outlives the run. `change` has the last word on
  // what the pipeline is given. Throws Error(usage).
  JobRun(const Settings& settings, const JobCallbacks& callbacks, std::atomic<bool>& stop,
         const std::function<void(JobOptions&)>& change = {});
  ~JobRun() { join(); }
  JobRun(const JobRun&) = delete;
  JobRun& operator=(const JobRun&) = delete;

  // Opens the input. Throws the failure, or Error(interrupted).
  void open();
  // Runs the job after open(), and keeps its failure for conclude().
  void run() noexcept;
  // Calls run() on a new thread, which calls `ended` last. Throws Error(memory).
  void start(std::function<void()> ended);
  void join();

  // To be called after run() or join(). Throws the failure, Error(interrupted) or Error(damaged).
  void conclude() const;
  vidconv_stats stats() const;
  const Job& job() const { return *job_; }

 private:
  bool goes_on(const Progress& progress) const;
  void open_audit(const Settings& settings, JobOptions& options);

  const JobCallbacks callbacks_;
  std::atomic<bool>& stop_;
  RunFiles files_;
  std::unique_ptr<PartialFile> audit_;  // outlives the writer
  std::unique_ptr<ByteWriter> audit_writer_;
  std::unique_ptr<Job> job_;
  std::int64_t total_ = -1;  // expected number of frames; -1: unknown
  RunResult result_;
  std::exception_ptr failure_;
  std::thread thread_;
};

// Without a kernel frames stay as they are.
void want_kernel(Settings& settings);

}  // namespace vidconv

struct vidconv_job {
  vidconv::SettingWords words;
  vidconv::JobCallbacks callbacks;
  std::atomic<bool> stop = false;
  std::shared_ptr<vidconv::StopFlags> opening = std::make_shared<vidconv::StopFlags>();
};
