#include "kernels/convolver/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>

namespace vidconv {
namespace {

// Polls until it has happened, but no longer than it takes to fall asleep and be woken. Returns
// whether it has.
template <class Happened>
bool look_for(const Happened& happened) {
  using std::chrono::steady_clock;
  constexpr std::chrono::microseconds patience{20};
  const auto end = steady_clock::now() + patience;
  while (!happened()) {
    if (steady_clock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

ThreadPool::ThreadPool(int threads) : asleep_(static_cast<std::size_t>(std::max(1, threads))) {
  try {
    for (int thread = 1; thread < threads; ++thread)
      workers_.emplace_back([this, thread] { work(thread); });
  } catch (...) {
    end();  // joins the threads that did start
    throw;
  }
}

ThreadPool::~ThreadPool() { end(); }

void ThreadPool::end() {
  ending_ = true;
  for (int thread = 1; thread < threads(); ++thread) wake(thread);
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(int jobs, int threads, Call call) {
  const int helpers = std::min({jobs, threads, this->threads()}) - 1;
  if (helpers < 1) {  // no other thread is needed or waited for
    for (int index = 0; index < jobs; ++index) call.function(call.context, index, 0);
    return;
  }
  const std::lock_guard turn(turn_);
  call_ = call;
  jobs_ = jobs;
  unfinished_ = jobs;
  left_ = jobs;
  to_wake_ = helpers;  // last: a thread that is woken now, even by a late one, finds jobs
  take_jobs(0);
  wait_for(0, [this] { return unfinished_ == 0; });
}

void ThreadPool::work(int thread) {
  while (!ending_) {
    wait_for(thread, [this] { return left_ > 0 || ending_; });
    take_jobs(thread);
  }
}

void ThreadPool::take_jobs(int thread) {
  while (left_ > 0) {
    wake_two();  // each time, because a woken thread may wait for a core and wakes nobody meanwhile
    const int left = left_--;
    if (left <= 0) return;  // another thread was quicker
    call_.function(call_.context, jobs_ - left, thread);
    if (--unfinished_ == 0 && thread != 0) wake(0);
  }
}

// Wakes up to two threads. Threads that are awake come by themselves and do not count.
void ThreadPool::wake_two() {
  for (int woken = 0; woken < 2 && left_ > 0 && to_wake_ > 0;) {
    const int thread = to_wake_--;
    if (thread > 0 && wake(thread)) ++woken;
  }
}

// Returns whether the thread slept. A thread that falls asleep says so and then looks again; the
// one that wakes it has changed what it looks for and then asks. So one of them sees the other (all
// of it is sequentially consistent).
bool ThreadPool::wake(int thread) {
  Number& asleep = asleep_[static_cast<std::size_t>(thread)];
  if (asleep == 0 || asleep.exchange(0) == 0) return false;
  asleep.notify_one();
  return true;
}

template <class Happened>
void ThreadPool::wait_for(int thread, const Happened& happened) {
  if (look_for(happened)) return;
  Number& asleep = asleep_[static_cast<std::size_t>(thread)];
  for (asleep = 1; !happened(); asleep = 1) asleep.wait(1);
  asleep = 0;
}

std::shared_ptr<ThreadPool> shared_thread_pool(int threads) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<ThreadPool>> pools;
  const std::lock_guard lock(mutex);
  std::shared_ptr<ThreadPool> pool = pools[threads].lock();
  if (!pool) pools[threads] = pool = std::make_shared<ThreadPool>(threads);
  return pool;
}

}  // namespace vidconv
