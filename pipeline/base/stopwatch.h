// Stopwatch: adds up the busy time of a stage, for one thread to write and others to read.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace vidconv {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Stopwatch {
 public:
  // Runs `work` and adds the time it took, also when it throws.
  template <class F>
  auto time(F&& work) {
    struct Adder {
      Stopwatch& watch;
      Clock::time_point start = Clock::now();
      ~Adder() {
        const auto taken = Clock::now() - start;
        watch.nanoseconds_ += std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count();
      }
    } adder{*this};
    return work();
  }

  double seconds() const { return 1e-9 * static_cast<double>(nanoseconds_.load()); }

 private:
  std::atomic<std::int64_t> nanoseconds_ = 0;
};

}  // namespace vidconv
