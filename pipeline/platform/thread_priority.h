// Threads stay as urgent as they were, whatever a library makes of them.
#pragma once

#include <sched.h>

#include <set>

#include "pipeline/av/av.h"

namespace vidconv {

// While an encoder is opened. SVT-AV1 1.4, where root opens it, makes the thread that does so a
// real-time one of the highest priority (SCHED_FIFO, 99), and with it all that this thread starts:
// who waits in a loop then, as libvpx does, leaves nobody else on the machine a CPU. Afterwards
// that thread, and those that were not there before, are scheduled as it was. Of other encoders
// nothing is touched. Never fails: where the system does not let it, they stay as they are.
class ThreadPriority {
 public:
  explicit ThreadPriority(const AVCodec& encoder) noexcept;
  ~ThreadPriority();
  ThreadPriority(const ThreadPriority&) = delete;
  ThreadPriority& operator=(const ThreadPriority&) = delete;

 private:
  bool known_ = false;
  int policy_ = SCHED_OTHER;
  sched_param priority_{};
  std::set<int> before_;  // threads, by number
};

}  // namespace vidconv
