// What the words of the command line mean, option by option. All throw Error(usage) or, for
// filters, Error(filter_spec).
#pragma once

#include <string>
#include <utility>

#include "src/options.h"

namespace vidconv {

[[noreturn]] void refuse(const std::string& option, const std::string& value,
                         const std::string& why, const std::string& remedy);

FilterSpec parse_kernel(const std::string& text);
// What --border takes, with bars between.
std::string border_words();
Border parse_border(const std::string& text);
// Seconds, or [HH:]MM:SS[.mmm].
double parse_time(const char* option, const std::string& text);
ProgressMode parse_progress(const std::string& text);
std::pair<std::string, std::string> parse_encoder_option(const std::string& text);
// Counted from 1; 0 for all.
int parse_video(const std::string& text);
// MODE, or flip:SECONDS.
Comparison parse_comparison(const std::string& text);

}  // namespace vidconv
