// Frames handed on no earlier than their times say: for an output that plays what comes to it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "pipeline/base/stopwatch.h"

namespace vidconv {

class Pacer {
 public:
  // `interrupted` becomes true where a person wants to stop; may be null, outlives this.
  explicit Pacer(const std::atomic<bool>* interrupted) : interrupted_(interrupted) {}

  // Returns when as much time has gone by since the first call as lies between its `seconds` and
  // these, at once after an interruption or cancel(). A caller who is late does not wait.
  void wait_until(double seconds);
  void cancel();  // any thread

 private:
  const std::atomic<bool>* interrupted_;
  std::optional<Clock::time_point> begin_;  // when time 0 of the frames is
  std::mutex mutex_;
  std::condition_variable changed_;
  bool cancelled_ = false;
};

}  // namespace vidconv
