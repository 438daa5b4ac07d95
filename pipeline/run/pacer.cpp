#include "pipeline/run/pacer.h"

#include <algorithm>
#include <chrono>

namespace vidconv {

void Pacer::wait_until(double seconds) {
  const auto at =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  if (!begin_) begin_ = Clock::now() - at;
  // A signal handler can only set a flag, so the flag is polled.
  constexpr std::chrono::milliseconds look_again{20};
  std::unique_lock lock(mutex_);
  while (!cancelled_ && !(interrupted_ && *interrupted_) && Clock::now() < *begin_ + at)
    changed_.wait_until(lock, std::min(*begin_ + at, Clock::now() + look_again));
}

void Pacer::cancel() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  changed_.notify_all();
}

}  // namespace vidconv
