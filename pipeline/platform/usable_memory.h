// Tells how much memory this process may use, which is less than the machine's where its container
// has less.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace vidconv {

// Returns the machine's bytes, or fewer where a control group says so. Reads them once.
std::int64_t usable_memory();

// Returns the bytes that the process's control group and its ancestors allow; nothing where they
// set no limit. /proc and /sys are below `root`.
std::optional<std::int64_t> memory_limit(const std::filesystem::path& root = "/");

}  // namespace vidconv
