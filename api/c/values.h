// Parses the values of settings and options. All throw Error(usage); `name` is for messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/picture/border.h"
#include "kernels/spec/plane_selection.h"
#include "pipeline/filter/processor.h"

namespace vidconv {

inline constexpr int most_threads = 4096;
inline constexpr std::size_t most_filters = 1000;

// nullptr and "" give the default.
PlaneSelection planes_setting(const char* text);
Border border_setting(const char* text);

std::int64_t whole_setting(std::string_view name, const std::string& text, std::int64_t min,
                           std::int64_t max);
double number_setting(std::string_view name, const std::string& text, double min, double max);
// Accepts "1" or "0".
bool switch_setting(std::string_view name, const std::string& text);
// Accepts seconds or [HH:]MM:SS[.mmm].
double time_setting(std::string_view name, const std::string& text);
// Accepts KEY=VALUE.
std::pair<std::string, std::string> pair_setting(std::string_view name, const std::string& text);
// Returns the index of the word that equals `text`, ignoring case.
std::size_t word_setting(std::string_view name, const std::string& text,
                         const std::vector<std::string_view>& words);

}  // namespace vidconv
