// What the words of the command line mean, option by option. All throw Error(usage) or, for
// filters, Error(filter_spec).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "src/options/options.h"

namespace vidconv {

[[noreturn]] void refuse(const std::string& option, const std::string& value,
                         const std::string& why, const std::string& remedy);

// Seconds, some 30 years: what can be counted in microseconds and in frames.
inline constexpr double longest_time = 1e9;

// Digits and nothing else.
std::int64_t parse_whole(const char* option, const std::string& text, std::int64_t min,
                         std::int64_t max);
// A decimal and nothing else; not "inf", not "nan".
double parse_number(const char* option, const std::string& text, double min, double max);

FilterSpec parse_kernel(const char* option, const std::string& text, std::int64_t max_pixels);
Border border_of(const std::string& text);
// Seconds, or [HH:]MM:SS[.mmm].
double parse_time(const char* option, const std::string& text);
ProgressMode parse_progress(const std::string& text);
Scan parse_scan(const std::string& text);
// Empty: none. Throws Error(usage) where this build has no variant of that name.
const Variant* parse_variant(const std::string& text);
// KEY=VALUE.
std::pair<std::string, std::string> parse_pair(const char* option, const std::string& text,
                                               const std::string& example);
// Bits per second, as FFmpeg's command line takes them.
void check_bitrate(const std::string& text);
// Frames per second.
void check_frame_rate(const std::string& text);
// Counted from 1; none for all.
std::optional<int> parse_video(const std::string& text);

}  // namespace vidconv
