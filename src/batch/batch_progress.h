// How far a run of several inputs has come: the sum of what its files report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "pipeline/base/stopwatch.h"
#include "src/run/progress.h"

namespace vidconv {

// All members: any thread.
class BatchProgress {
 public:
  BatchProgress(ProgressMode mode, std::size_t files);

  // So many files are there by now, where more of them come.
  void expect(std::size_t files);
  // File `number` is there now.
  void show(std::size_t number, const Progress& progress);
  // It has come to its end, or failed.
  void end(std::size_t number, bool failed);
  // After the last one.
  void finish();

  // Where messages make room.
  ProgressDisplay& display() { return display_; }

 private:
  Progress sum() const;

  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;  // of all below
  Total::Files files_;
  std::map<std::size_t, Progress> running_;
  Progress ended_;  // the sum
  ProgressDisplay display_;
};

}  // namespace vidconv
