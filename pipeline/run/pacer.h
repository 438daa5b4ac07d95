// Pacer: hands frames on no earlier than their times say, for an output that is played as it comes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "pipeline/base/stopwatch.h"

namespace vidconv {

class Pacer {
 public:
  // `interrupted` becomes true when a person wants to stop; may be null, outlives this.
  explicit Pacer(const std::atomic<bool>* interrupted) : interrupted_(interrupted) {}

  // Blocks until as much time has passed since the first call as lies between its `seconds` and
  // these. Returns at once after an interruption or cancel(), and where the caller is late.
  void wait_until(double seconds);
  void cancel();  // thread-safe

 private:
  const std::atomic<bool>* interrupted_;
  std::optional<Clock::time_point> begin_;  // when the frames' time 0 is
  std::mutex mutex_;
  std::condition_variable changed_;
  bool cancelled_ = false;
};

}  // namespace vidconv
