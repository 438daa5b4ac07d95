#include "kernels/convolver/worth.h"

#include <algorithm>
#include <atomic>

namespace vidconv {
namespace {

std::atomic<bool> all_forced{false};

}  // namespace

double nanoseconds_a_sample(const Plan& plan) {
  int taps = 0;
  for (const Taps& t : plan.terms)
    taps += t.dense.empty() ? t.width + t.height : t.width * t.height;
  return nanoseconds_a_sample(plan.sample, taps);
}

double nanoseconds_a_sample(const SampleType& sample, int taps) {
  return (sample.bytes() == 1 ? 1 : 2) * (0.1 + 0.01 * taps);
}

int worth_threads(int threads, double nanoseconds) {
  // Waking takes 5 to 20 microseconds, of which the waking thread spends a part.
  constexpr double least = 20'000;
  if (all_forced.load(std::memory_order_relaxed)) return threads;
  return static_cast<int>(std::clamp(nanoseconds / least, 1.0, static_cast<double>(threads)));
}

void force_all_threads(bool all) { all_forced.store(all, std::memory_order_relaxed); }

}  // namespace vidconv
