// Restores the priority of threads that a library has changed.
#pragma once

#include <sched.h>

#include <set>

#include "pipeline/av/av.h"

namespace vidconv {

// Lives while an encoder is opened. SVT-AV1 1.4, opened by root, gives the thread that opens it,
// and all threads that this one starts, the highest real-time priority (SCHED_FIFO, 99): a thread
// that spins then, as libvpx's do, leaves nobody else on the machine a CPU. Afterwards that thread,
// and those that are new, are scheduled as it was before. Other encoders are left alone. Never
// fails: where the system does not allow it, threads stay as they are.
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
