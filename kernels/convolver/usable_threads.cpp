#include "kernels/convolver/usable_threads.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

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

// The first number of a file; nothing where there is none.
std::optional<double> number_in(const fs::path& file) {
  double value = 0;
  return std::ifstream(file) >> value ? std::optional(value) : std::nullopt;
}

// CPUs, by version 2 ("50000 100000", "max 100000") or 1 of control groups.
std::optional<double> quota_of(const fs::path& group) {
  double quota = 0, period = 0;
  if (!(std::ifstream(group / "cpu.max") >> quota >> period)) {
    quota = number_in(group / "cpu.cfs_quota_us").value_or(-1);
    period = number_in(group / "cpu.cfs_period_us").value_or(0);
  }
  return quota > 0 && period > 0 ? std::optional(quota / period) : std::nullopt;
}

bool has_word(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

}  // namespace

std::optional<int> cpu_quota(const fs::path& root) {
  std::optional<double> least;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:cpu,cpuacct:/path" or "0::/path"
    std::istringstream fields(line);
    std::string id, controllers, path;
    std::getline(fields, id, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, path);
    if (!controllers.empty() && !has_word(controllers, "cpu")) continue;
    for (const char* name : {controllers.c_str(), controllers.empty() ? "unified" : "cpu"}) {
      // A container may see its own group as the root of all, whatever the path says.
      fs::path group = fs::path(path).relative_path();
      for (bool more = true; more; group = group.parent_path()) {
        more = !group.empty();
        if (const auto quota = quota_of(root / "sys/fs/cgroup" / name / group))
          least = std::min(least.value_or(*quota), *quota);
      }
    }
  }
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
