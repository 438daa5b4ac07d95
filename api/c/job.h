// A job as the C header has it, and a run of one.
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

// One job on its way, from its settings to how it has ended. Belongs to one thread, but for stop().
class JobRun {
 public:
  // `stop` ends it early when it becomes true; it outlives the run. `change` has the last word on
  // what the pipeline is given. Throws Error(usage).
  JobRun(const Settings& settings, const JobCallbacks& callbacks, std::atomic<bool>& stop,
         const std::function<void(JobOptions&)>& change = {});
  ~JobRun() { join(); }
  JobRun(const JobRun&) = delete;
  JobRun& operator=(const JobRun&) = delete;

  // Opens the input. Throws what fails, or interrupted.
  void open();
  // After open(): the rest of it. What fails is kept.
  void run() noexcept;
  // The same on a thread of its own, which calls `ended` last. Throws Error(memory).
  void start(std::function<void()> ended);
  void join();

  // After run() or join(). Throws how it ended: what failed, Error(interrupted), Error(damaged).
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
  std::int64_t total_ = -1;  // frames to be expected
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
