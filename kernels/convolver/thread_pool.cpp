#include "kernels/convolver/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace vidconv {
namespace {

// Looks whether it has happened, for a while; not for longer than it takes to fall asleep and be
// woken.
template <class Happened>
void look_for(const Happened& happened) {
  using std::chrono::steady_clock;
  constexpr std::chrono::microseconds patience{20};
  const auto end = steady_clock::now() + patience;
  while (!happened() && steady_clock::now() < end) std::this_thread::yield();
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  try {
    for (int thread = 1; thread < threads; ++thread)
      workers_.emplace_back([this, thread] { work(thread); });
  } catch (...) {
    end();  // those that did start
    throw;
  }
}

ThreadPool::~ThreadPool() { end(); }

void ThreadPool::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(int jobs, int threads, Call call) {
  const int helpers = std::min({jobs, threads, this->threads()}) - 1;
  if (helpers < 1) {  // nobody else is needed, nor waited for
    for (int index = 0; index < jobs; ++index) call.function(call.context, index, 0);
    return;
  }
  const std::lock_guard turn(turn_);
  std::unique_lock lock(mutex_);
  call_ = call;
  jobs_ = jobs;
  left_ = jobs;
  wake(helpers);
  take_jobs(lock, 0);
  if (running_ == 0) return;
  lock.unlock();
  look_for([&] { return running_ == 0; });
  lock.lock();
  done_.wait(lock, [&] { return running_ == 0; });
}

void ThreadPool::wake(int count) {
  if (count == static_cast<int>(workers_.size())) return wake_.notify_all();
  for (; count > 0; --count) wake_.notify_one();
}

void ThreadPool::work(int thread) {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (left_ == 0) {
      lock.unlock();
      look_for([&] { return left_ > 0; });
      lock.lock();
      wake_.wait(lock, [&] { return ending_ || left_ > 0; });
    }
    take_jobs(lock, thread);
    if (running_ == 0) done_.notify_one();
  }
}

void ThreadPool::take_jobs(std::unique_lock<std::mutex>& lock, int thread) {
  while (left_ > 0) {
    const int index = jobs_ - left_--;
    ++running_;
    lock.unlock();
    call_.function(call_.context, index, thread);
    lock.lock();
    --running_;
  }
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
