// Flags by which vidconv_job_cancel() stops readers and writers that are being opened with the job.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace vidconv {

// A lock-free set of flags. A flag lives as long as the set, so that a signal handler may walk
// them.
class StopFlags {
 public:
  struct Flag {
    std::atomic<bool> stop = false, opening = true, taken = true;
    Flag* next = nullptr;
  };

  StopFlags() = default;
  ~StopFlags() {
    for (Flag* flag = first_; flag;) delete std::exchange(flag, flag->next);
  }
  StopFlags(const StopFlags&) = delete;
  StopFlags& operator=(const StopFlags&) = delete;

  // Returns a free flag, not set. Throws std::bad_alloc.
  Flag& take() {
    for (Flag* flag = first_; flag; flag = flag->next)
      if (!flag->taken.exchange(true)) {
        flag->stop = false;
        flag->opening = true;
        return *flag;
      }
    auto* const flag = new Flag;
    flag->next = first_;
    while (!first_.compare_exchange_weak(flag->next, flag)) {
    }
    return *flag;
  }

  // Sets the flags of everything that is being opened.
  void stop_opening() {
    for (Flag* flag = first_; flag; flag = flag->next)
      if (flag->opening) flag->stop = true;
  }

 private:
  std::atomic<Flag*> first_ = nullptr;
};

// Holds a flag from the beginning of an opening until the reader or writer goes. `stopped` is the
// job's: once it is set, later openings end at once.
class StopFlag {
 public:
  StopFlag(std::shared_ptr<StopFlags> all, const std::atomic<bool>& stopped)
      : all_(std::move(all)), flag_(all_->take()) {
    if (stopped) flag_.stop = true;
  }
  ~StopFlag() {
    flag_.opening = false;
    flag_.taken = false;
  }
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;

  void is_open() { flag_.opening = false; }
  std::atomic<bool>& stop() { return flag_.stop; }

 private:
  const std::shared_ptr<StopFlags> all_;
  StopFlags::Flag& flag_;
};

}  // namespace vidconv
