// The files of the folder that --resume keeps, by their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vidconv {

inline constexpr std::string_view resume_folder_ending = ".vidconv", resume_run_name = "run.json",
                                  resume_lock_name = "lock";
// A shard is "3-0123456789abcdef.nut".
inline constexpr std::size_t shard_key_digits = 16;

// Returns whether the file is a shard's ledger. A shard that has one is whole.
bool is_ledger(const std::string& name);
// Returns the shard of a shard's file, or of its ledger; none for other names.
std::optional<std::int64_t> shard_of(std::string_view name);
// Returns whether the file, but for the lock, is one of such a folder, or was to become one.
bool is_resume_file(const std::string& name);

// Returns the names of all files, sorted. Throws Error(resume).
std::vector<std::string> names_in(const std::string& folder);

// Throws Error(resume) about a folder that a run cannot go on with.
[[noreturn]] void refuse_folder(const std::string& path, const std::string& why,
                                const std::string& remedy);

}  // namespace vidconv
