// ProgressReporter: calls the observer of a run, not too often.
#pragma once

#include <cstdint>
#include <functional>

#include "pipeline/run/run.h"

namespace vidconv {

// Belongs to the sink's thread.
class ProgressReporter {
 public:
  explicit ProgressReporter(const RunOptions& options)
      : observer_(options.observer), interval_(options.observer_interval) {}

  // Calls `make(seconds)` and reports the result when a report is due.
  template <class Make>
  void report(double seconds, Make&& make) {
    if (observer_ && seconds >= next_) send(make(seconds));
  }
  // Reports at the end, if `encoded` frames were not reported yet.
  template <class Make>
  void report_last(double seconds, std::int64_t encoded, Make&& make) {
    if (observer_ && reported_ != encoded) send(make(seconds));
  }

 private:
  void send(const Progress& progress) {
    next_ = progress.seconds + interval_;
    reported_ = progress.encoded;
    observer_(progress);
  }

  const std::function<void(const Progress&)>& observer_;
  const double interval_;
  double next_ = 0;             // seconds
  std::int64_t reported_ = -1;  // frames
};

}  // namespace vidconv
