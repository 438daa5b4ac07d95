// Shows the progress of a run of several inputs, summed over its files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "pipeline/base/stopwatch.h"
#include "src/run/progress.h"

namespace vidconv {

// All members are thread-safe.
class BatchProgress {
 public:
  BatchProgress(ProgressMode mode, std::size_t files);

  // Expects so many files from now on, where more of them come.
  void expect(std::size_t files);
  // Takes the current state of file `number`.
  void show(std::size_t number, const Progress& progress);
  // File `number` has finished or failed.
  void end(std::size_t number, bool failed);
  // To be called after the last file.
  void finish();

  // Returns the display, in which messages make room for themselves.
  ProgressDisplay& display() { return display_; }

 private:
  Progress sum() const;

  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;  // guards all below
  Total::Files files_;
  std::map<std::size_t, Progress> running_;
  Progress ended_;  // the sum over files that have ended
  ProgressDisplay display_;
};

}  // namespace vidconv
