// What the control groups of this process allow it: limits of a container.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace vidconv {

// The least that `limit_of` finds in the folders of the process's group of `controller` ("cpu",
// "memory") and of those above it, in version 1 or 2; nothing where it finds nothing. `root`: where
// /proc and /sys are.
std::optional<double> least_limit(
    const std::filesystem::path& root, const std::string& controller,
    const std::function<std::optional<double>(const std::filesystem::path& group)>& limit_of);

// The first number of a file; nothing where there is none.
std::optional<double> number_in(const std::filesystem::path& file);

}  // namespace vidconv
