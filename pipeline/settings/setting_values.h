// Parsers of the values of settings. All throw Error(usage), in which `name` is the setting's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/picture/border.h"
#include "kernels/spec/plane_selection.h"
#include "kernels/variants/variants.h"

namespace vidconv {

// Seconds, some 30 years: what can be counted in microseconds and in frames.
inline constexpr double longest_time = 1e9;
inline constexpr int most_threads = 4096;
inline constexpr int most_slots = 1024;

[[noreturn]] void refuse_setting(std::string_view name, const std::string& value,
                                 const std::string& why, const std::string& remedy = {});

// Digits and nothing else.
std::int64_t whole_setting(std::string_view name, const std::string& text, std::int64_t min,
                           std::int64_t max);
// A decimal and nothing else; not "inf", not "nan".
double number_setting(std::string_view name, const std::string& text, double min, double max);
// "1" or "0".
bool switch_setting(std::string_view name, const std::string& text);
// Seconds, or [HH:]MM:SS[.mmm].
double time_setting(std::string_view name, const std::string& text);
// KEY=VALUE.
std::pair<std::string, std::string> pair_setting(std::string_view name, const std::string& text,
                                                 const std::string& example);
// The index of the word, in any case.
std::size_t word_setting(std::string_view name, const std::string& text,
                         const std::vector<std::string_view>& words);
// Empty: the default. Throws Error(filter_spec).
PlaneSelection planes_setting(const std::string& text);
Border border_setting(const std::string& text);
const Variant* variant_setting(const std::string& text);
// Bits per second, as FFmpeg's command line takes them.
std::string bitrate_setting(const std::string& text);
// Frames per second.
std::string frame_rate_setting(const std::string& text);

}  // namespace vidconv
