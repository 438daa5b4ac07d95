#include "kernels/convolver/thread_pool.h"

#include <map>

namespace vidconv {

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

void ThreadPool::run(int jobs, Call call) {
  const std::lock_guard turn(turn_);
  std::unique_lock lock(mutex_);
  call_ = call;
  next_ = 0;
  jobs_ = jobs;
  if (jobs > 1) wake_.notify_all();
  take_jobs(lock, 0);
  done_.wait(lock, [&] { return running_ == 0; });
}

void ThreadPool::work(int thread) {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return ending_ || next_ < jobs_; });
    if (ending_) return;
    take_jobs(lock, thread);
    if (running_ == 0) done_.notify_one();
  }
}

void ThreadPool::take_jobs(std::unique_lock<std::mutex>& lock, int thread) {
  while (next_ < jobs_) {
    const int index = next_++;
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
