// Threads that share out the bands of a picture.
//
// Not OpenMP: its idle threads spin (libgomp reads OMP_WAIT_POLICY before main, so a program cannot
// tell it not to) and every thread must arrive at the end of a region, which costs milliseconds
// when decoder and encoder want the same cores. Here idle threads sleep, and whoever has a core
// takes the next job: a thread that wakes too late finds nothing to do and is not waited for.
// Before they sleep they look about for as long as sleeping and waking would take, which gives the
// core to whoever else wants it: the next plane or frame is often there by then.
#pragma once

#include <atomic>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace vidconv {

class ThreadPool {
 public:
  // The caller of run() is one of the `threads`. Throws std::system_error where there are not so
  // many.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls job(index, thread) for each index in [0, jobs), each once, on any of the threads
  // (numbered from 0, the caller), and returns when all have ended. Jobs must not throw. Calls from
  // several threads take turns, but those that the caller does alone. `threads`: how many the jobs
  // are worth; others that are awake may take some too.
  template <class Job>
  void run(int jobs, const Job& job, int threads = std::numeric_limits<int>::max()) {
    run(jobs, threads,
        {[](const void* context, int index, int thread) {
           (*static_cast<const Job*>(context))(index, thread);
         },
         &job});
  }

 private:
  struct Call {
    void (*function)(const void* context, int index, int thread) = nullptr;
    const void* context = nullptr;
  };
  void run(int jobs, int threads, Call call);
  void wake(int count);
  void work(int thread);
  void take_jobs(std::unique_lock<std::mutex>& lock, int thread);
  void end();

  std::mutex turn_;   // held by the caller of run()
  std::mutex mutex_;  // held to change what is below
  std::condition_variable wake_, done_;
  Call call_;
  int jobs_ = 0;
  std::atomic<int> left_{0};     // jobs that are not taken yet, the last ones
  std::atomic<int> running_{0};  // jobs taken and not ended
  bool ending_ = false;
  std::vector<std::thread> workers_;
};

// One pool for everyone who wants this number of threads, as long as somebody holds it.
std::shared_ptr<ThreadPool> shared_thread_pool(int threads);

}  // namespace vidconv
