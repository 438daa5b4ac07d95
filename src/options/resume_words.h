// The words of --resume, and what makes no sense beside it.
#pragma once

#include <string>
#include <string_view>

#include "src/options/options.h"

namespace vidconv {

// The value that stands for none. A folder of that name is "./beside".
inline constexpr std::string_view beside_output = "beside";

// Sets Options::resume, and shards where none were asked for. `word`: the value.
void take_resume(const std::string& word, Options& options);

// Throws Error(command_line) where nothing could be kept, or nobody could tell later whether it is
// of the same run.
void check_resume(const Options& options);

}  // namespace vidconv
