// OpenMP does not do: its idle threads spin (libgomp reads OMP_WAIT_POLICY before main, so a
// program cannot tell it not to), and every thread must arrive at the end of a parallel region,
// which costs milliseconds when decoder and encoder want the same cores. Here idle threads sleep,
// and whichever has a core takes the next job: a thread that wakes too late finds nothing to do and
// is not waited for. Before they sleep they poll for as long as sleeping and waking would take, and
// yield their core to whoever else wants it: the next plane or frame is often there by then.
//
// Waking a thread takes microseconds. So each thread wakes two at most, and those wake others.
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
  // The caller of run() is one of the `threads`. Throws std::system_error where the system cannot
  // start that many.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(asleep_.size()); }

  // Calls job(index, thread) once for each index in [0, jobs), on any of the threads (numbered from
  // 0, the caller), and blocks until all have ended. Jobs must not throw. Thread-safe: calls from
  // several threads take turns, except for those that the caller does alone. `threads` says how
  // many threads the jobs are worth; others that are awake may take some too.
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
  // All threads change these numbers, so each has a cache line of its own.
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
  // Written before left_ is, and read only by threads that have taken a job, without which the call
  // does not end.
  Call call_;
  int jobs_ = 0;
  Number left_;        // jobs that are not taken yet, the last ones; below 0 after late threads
  Number unfinished_;  // jobs that have not ended
  Number to_wake_;     // threads from 1 to this one; below 1 after late threads
  std::atomic<bool> ending_{false};
  std::vector<Number> asleep_;  // for each thread: 1 while it sleeps or is about to
  std::vector<std::thread> workers_;
};

// Returns the pool for this number of threads, which lives as long as somebody holds it.
// Thread-safe.
std::shared_ptr<ThreadPool> shared_thread_pool(int threads);

}  // namespace vidconv
