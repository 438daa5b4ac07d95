// Reads the limits that a container's control groups set for this process.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace vidconv {

// Returns the least value that `limit_of` finds in the folders of the process's group of
// `controller` ("cpu", "memory") and of its ancestors, in version 1 or 2; nothing where it finds
// none. /proc and /sys are below `root`.
std::optional<double> least_limit(
    const std::filesystem::path& root, const std::string& controller,
    const std::function<std::optional<double>(const std::filesystem::path& group)>& limit_of);

// Returns the first number in a file; nothing where there is none.
std::optional<double> number_in(const std::filesystem::path& file);

}  // namespace vidconv
