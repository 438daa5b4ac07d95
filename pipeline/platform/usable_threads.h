// Tells how many threads are worth having: not the machine's CPUs, but those that this process may
// use.
#pragma once

#include <filesystem>
#include <optional>

namespace vidconv {

struct UsableCpus {
  int threads;    // at least 1
  bool by_quota;  // a quota allows fewer than the process's affinity
};
// Returns the CPUs of the process's affinity (taskset, cpusets), or fewer where a quota says so.
// Reads them once: a sandboxed process no longer sees its quota.
const UsableCpus& usable_cpus();
inline int usable_threads() { return usable_cpus().threads; }

// Returns the CPUs that the quotas of the process's control group and its ancestors allow (a
// container's --cpus), rounded up; nothing where there is no quota. /proc and /sys are below
// `root`.
std::optional<int> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace vidconv
