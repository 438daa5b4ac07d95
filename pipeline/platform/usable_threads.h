// How many threads are worth having: not what the machine has, but what this process may use of it.
#pragma once

#include <filesystem>
#include <optional>

namespace vidconv {

struct UsableCpus {
  int threads;    // at least 1
  bool by_quota;  // a quota allows fewer than the process's affinity
};
// The CPUs of the process's affinity (taskset, cpusets), or fewer where a quota says so. Read once:
// a process in a sandbox does not see its quota any more.
const UsableCpus& usable_cpus();
inline int usable_threads() { return usable_cpus().threads; }

// CPUs that the quotas of the process's control group, and of those above it, allow it (a
// container's --cpus), rounded up; nothing where there is no quota. `root`: where /proc and /sys
// are.
std::optional<int> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace vidconv
