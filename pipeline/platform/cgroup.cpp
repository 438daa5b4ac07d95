#include "pipeline/platform/cgroup.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace vidconv {
namespace {

namespace fs = std::filesystem;

bool has_word(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

}  // namespace

std::optional<double> number_in(const fs::path& file) {
  double value = 0;
  return std::ifstream(file) >> value ? std::optional(value) : std::nullopt;
}

std::optional<double> least_limit(
    const fs::path& root, const std::string& controller,
    const std::function<std::optional<double>(const fs::path& group)>& limit_of) {
  std::optional<double> least;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:cpu,cpuacct:/path" or "0::/path"
    std::istringstream fields(line);
    std::string id, controllers, path;
    std::getline(fields, id, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, path);
    if (!controllers.empty() && !has_word(controllers, controller)) continue;
    const std::string other = controllers.empty() ? "unified" : controller;
    for (const std::string& name : {controllers, other}) {
      // A container may see its own group as the root, whatever the path says.
      fs::path group = fs::path(path).relative_path();
      for (bool more = true; more; group = group.parent_path()) {
        more = !group.empty();
        if (const auto limit = limit_of(root / "sys/fs/cgroup" / name / group))
          least = std::min(least.value_or(*limit), *limit);
      }
    }
  }
  return least;
}

}  // namespace vidconv
