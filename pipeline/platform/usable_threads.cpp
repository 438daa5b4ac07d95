#include "pipeline/platform/usable_threads.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <thread>

#include "pipeline/platform/cgroup.h"

namespace vidconv {
namespace {

namespace fs = std::filesystem;

int cpus_of_affinity() {
  for (int cpus = CPU_SETSIZE; cpus <= 1 << 16; cpus *= 2) {  // the kernel may know of more
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
        CPU_ALLOC(cpus), [](cpu_set_t* memory) { CPU_FREE(memory); });
    const std::size_t size = CPU_ALLOC_SIZE(cpus);
    if (set && sched_getaffinity(0, size, set.get()) == 0) return CPU_COUNT_S(size, set.get());
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

// Returns a group's quota in CPUs, by version 2 ("50000 100000", "max 100000") or 1.
std::optional<double> quota_of(const fs::path& group) {
  double quota = 0, period = 0;
  if (!(std::ifstream(group / "cpu.max") >> quota >> period)) {
    quota = number_in(group / "cpu.cfs_quota_us").value_or(-1);
    period = number_in(group / "cpu.cfs_period_us").value_or(0);
  }
  return quota > 0 && period > 0 ? std::optional(quota / period) : std::nullopt;
}

}  // namespace

std::optional<int> cpu_quota(const fs::path& root) {
  const std::optional<double> least = least_limit(root, "cpu", quota_of);
  if (!least) return std::nullopt;
  return static_cast<int>(std::clamp(std::ceil(*least), 1.0, 1e6));
}

const UsableCpus& usable_cpus() {
  static const UsableCpus usable = [] {
    const int cpus = std::max(1, cpus_of_affinity());
    const int quota = cpu_quota().value_or(cpus);
    return UsableCpus{std::min(cpus, quota), quota < cpus};
  }();
  return usable;
}

}  // namespace vidconv
