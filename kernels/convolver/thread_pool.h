// Threads that share out the bands of a picture.
//
// Not OpenMP: its idle threads spin (libgomp reads OMP_WAIT_POLICY before main, so a program cannot
// tell it not to) and every thread must arrive at the end of a region, which costs milliseconds
// when decoder and encoder want the same cores. Here idle threads sleep, and whoever has a core
// takes the next job: a thread that wakes too late finds nothing to do and is not waited for.
#pragma once

#include <condition_variable>
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
  // several threads take turns.
  template <class Job>
  void run(int jobs, const Job& job) {
    run(jobs, {[](const void* context, int index, int thread) {
                 (*static_cast<const Job*>(context))(index, thread);
               },
               &job});
  }

 private:
  struct Call {
    void (*function)(const void* context, int index, int thread) = nullptr;
    const void* context = nullptr;
  };
  void run(int jobs, Call call);
  void work(int thread);
  void take_jobs(std::unique_lock<std::mutex>& lock, int thread);
  void end();

  std::mutex turn_;   // held by the caller of run()
  std::mutex mutex_;  // of all below
  std::condition_variable wake_, done_;
  Call call_;
  int next_ = 0, jobs_ = 0;  // jobs from next_ on are not taken yet
  int running_ = 0;          // jobs taken and not ended
  bool ending_ = false;
  std::vector<std::thread> workers_;
};

// One pool for everyone who wants this number of threads, as long as somebody holds it.
std::shared_ptr<ThreadPool> shared_thread_pool(int threads);

}  // namespace vidconv
