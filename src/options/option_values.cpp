#include "src/options/option_values.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

extern "C" {
#include <libavutil/eval.h>
#include <libavutil/parseutils.h>
}

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "kernels/spec/border_spec.h"
#include "kernels/variants/variants.h"
#include "pipeline/av/picture_decoder.h"
#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"
#include "pipeline/source/source.h"

namespace vidconv {

void refuse(const std::string& option, const std::string& value, const std::string& why,
            const std::string& remedy) {
  throw Error(Fault::usage, option, shortened(value, longest_value), why, remedy);
}

std::int64_t parse_whole(const char* option, const std::string& text, std::int64_t min,
                         std::int64_t max) {
  if (const auto value = number_of<std::int64_t>(text, min, max)) return *value;
  refuse(option, text, fmt::format("not a whole number from {} to {}", min, max), "");
}

double parse_number(const char* option, const std::string& text, double min, double max) {
  if (const auto value = number_of<double>(text, min, max)) return *value;
  refuse(option, text, fmt::format("not a number from {:g} to {:g}", min, max), "");
}

FilterSpec parse_kernel(const char* option, const std::string& text, std::int64_t max_pixels) {
  try {
    return FilterSpec::parse(text, max_pixels, decode_grey_picture);
  } catch (const SpecError& error) {
    throw Error(
        MessageKind::filter_spec, option, excerpt(error.text(), error.column() - 1, longest_value),
        fmt::format("column {}: {}", error.column(), verbatim(error.what())), error.remedy());
  }
}

Border border_of(const std::string& text) {
  try {
    return parse_border(text);
  } catch (const BorderError& error) {
    refuse("--border", text, verbatim(error.what()), verbatim(error.remedy()));
  }
}

double parse_time(const char* option, const std::string& text) {
  std::int64_t microseconds = 0;
  // It would skip blanks, too.
  const bool understood = text.find_first_not_of("0123456789:.mus") == text.npos &&
                          av_parse_time(&microseconds, text.c_str(), 1) >= 0;
  const double seconds = static_cast<double>(microseconds) / 1e6;
  if (!understood || seconds < 0 || seconds > longest_time)
    refuse(option, text, fmt::format("not a time from 0 to {:g} seconds", longest_time),
           "give seconds (12.5) or [HH:]MM:SS[.mmm]");
  return seconds;
}

ProgressMode parse_progress(const std::string& text) {
  return text == "plain"  ? ProgressMode::plain
         : text == "json" ? ProgressMode::json
         : text == "none" ? ProgressMode::none
                          : ProgressMode::automatic;
}

Scan parse_scan(const std::string& text) {
  return text == "progressive"  ? Scan::progressive
         : text == "interlaced" ? Scan::interlaced
                                : Scan::automatic;
}

const Variant* parse_variant(const std::string& text) {
  if (text.empty()) return nullptr;
  if (const Variant* variant = find_variant(text)) return variant;
  std::vector<std::string_view> names;
  for (const Variant& variant : variants()) names.push_back(variant.name);
  throw Error(Fault::usage, "there is no such variant", text,
              "this build has no variant of that name" + did_you_mean(text, names),
              "leave the variant to vidconv, or see --list-variants");
}

std::pair<std::string, std::string> parse_pair(const char* option, const std::string& text,
                                               const std::string& example) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    refuse(option, text, "not of the form key=value", fmt::format("e.g. {} {}", option, example));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void check_bitrate(const std::string& text) {
  char* end = nullptr;
  const double rate = av_strtod(text.c_str(), &end);
  if (*end != '\0' || !(rate >= 1) || rate > 2e9)
    refuse("--bitrate", text, "not a number of bits per second from 1 to 2G", "e.g. 5M or 800k");
}

void check_frame_rate(const std::string& text) {
  if (!frame_rate_of(text))
    refuse("--fps", text, "not a number of frames per second", "e.g. 25, 29.97 or 30000/1001");
}

std::optional<int> parse_video(const std::string& text) {
  if (same_name(text, "all")) return std::nullopt;
  if (const auto number = number_of<int>(text, 1, std::numeric_limits<int>::max())) return *number;
  refuse("--video", text, "not the number of a stream, counted from 1", "use N or all");
}

}  // namespace vidconv
