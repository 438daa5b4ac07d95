// Threads that share out the bands of a picture.
//
// Not OpenMP: its idle threads spin (libgomp reads OMP_WAIT_POLICY before main, so a program cannot
// tell it not to) and every thread must arrive at the end of a region, which costs milliseconds
// when decoder and encoder want the same cores. Here idle threads sleep, and whoever has a core
// takes the next job: a thread that wakes too late finds nothing to do and is not waited for.
// Before they sleep they look about for as long as sleeping and waking would take, which gives the
// core to whoever else wants it: the next plane or frame is often there by then.
//
// To wake a thread takes the one who wakes microseconds. So each wakes two at most, and those who
// are woken wake others.
#pragma once

#include <atomic>
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

  int threads() const { return static_cast<int>(asleep_.size()); }

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
  // All threads change these: a cache line each.
  struct alignas(64) Number : std::atomic<int> {
    using std::atomic<int>::operator=;
  };

  void run(int jobs, int threads, Call call);
  void work(int thread);
  void take_jobs(int thread);
  void wake_two();
  bool wake(int thread);
  template <class Happened>
  void wait_for(int thread, const Happened& happened);
  void end();

  std::mutex turn_;  // held by the caller of run()
  // Written before left_ is, and read by who has taken a job, without which the call does not end.
  Call call_;
  int jobs_ = 0;
  Number left_;        // jobs that are not taken yet, the last ones; below 0 by who came too late
  Number unfinished_;  // jobs that have not ended
  Number to_wake_;     // threads from 1 to this one; below 1 as above
  std::atomic<bool> ending_{false};
  std::vector<Number> asleep_;  // of each thread: 1 while it sleeps or is about to
  std::vector<std::thread> workers_;
};

// One pool for everyone who wants this number of threads, as long as somebody holds it.
std::shared_ptr<ThreadPool> shared_thread_pool(int threads);

}  // namespace vidconv
