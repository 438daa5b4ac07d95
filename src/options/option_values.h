// Parses the values of the command line's options. All functions throw Error(usage) or, for
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

// About 30 years, in seconds, which can still be counted in microseconds and in frames.
inline constexpr double longest_time = 1e9;

// Accepts digits and nothing else.
std::int64_t parse_whole(const char* option, const std::string& text, std::int64_t min,
                         std::int64_t max);
// Accepts a decimal number and nothing else, neither "inf" nor "nan".
double parse_number(const char* option, const std::string& text, double min, double max);

FilterSpec parse_kernel(const std::string& text, std::int64_t max_pixels);
Border border_of(const std::string& text);
// Accepts seconds or [HH:]MM:SS[.mmm].
double parse_time(const char* option, const std::string& text);
ProgressMode parse_progress(const std::string& text);
Scan parse_scan(const std::string& text);
// Returns nullptr for an empty text. Throws Error(usage) if this build has no variant of that name.
const Variant* parse_variant(const std::string& text);
// Accepts KEY=VALUE.
std::pair<std::string, std::string> parse_pair(const char* option, const std::string& text,
                                               const std::string& example);
// Accepts bits per second in the syntax of FFmpeg's command line.
void check_bitrate(const std::string& text);
// Accepts frames per second.
void check_frame_rate(const std::string& text);
// Returns a video stream's number, counted from 1; empty for all.
std::optional<int> parse_video(const std::string& text);

}  // namespace vidconv
