// How much memory this process may use: not what the machine has where its container has less.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace vidconv {

// Bytes; of the machine, or what a control group allows. Read once.
std::int64_t usable_memory();

// Bytes that the process's control group and those above it allow; nothing where they set no limit.
// `root`: where /proc and /sys are.
std::optional<std::int64_t> memory_limit(const std::filesystem::path& root = "/");

}  // namespace vidconv
