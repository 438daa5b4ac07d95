#include "pipeline/platform/usable_memory.h"

#include <unistd.h>

#include <algorithm>

#include "pipeline/platform/cgroup.h"

namespace vidconv {

std::optional<std::int64_t> memory_limit(const std::filesystem::path& root) {
  const auto limit_of = [](const std::filesystem::path& group) {
    const auto limit = number_in(group / "memory.max");  // "max" is no number
    return limit ? limit : number_in(group / "memory.limit_in_bytes");
  };
  const std::optional<double> limit = least_limit(root, "memory", limit_of);
  // Version 1 has a number near 2^63 where there is no limit.
  if (!limit || *limit > 0x1p60) return std::nullopt;
  return static_cast<std::int64_t>(std::max(0., *limit));
}

std::int64_t usable_memory() {
  static const std::int64_t usable = [] {
    const std::int64_t all =
        std::int64_t{sysconf(_SC_PHYS_PAGES)} * std::int64_t{sysconf(_SC_PAGESIZE)};
    return std::min(all, memory_limit().value_or(all));
  }();
  return usable;
}

}  // namespace vidconv
