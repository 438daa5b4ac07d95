#include "pipeline/settings/setting_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

extern "C" {
#include <libavutil/eval.h>
#include <libavutil/parseutils.h>
}

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "kernels/spec/border_spec.h"
#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"
#include "pipeline/source/source.h"

namespace vidconv {

void refuse_setting(std::string_view name, const std::string& value, const std::string& why,
                    const std::string& remedy) {
  throw Error(Fault::usage, fmt::format("`{}`", name), shortened(value, longest_value), why,
              remedy);
}

std::int64_t whole_setting(std::string_view name, const std::string& text, std::int64_t min,
                           std::int64_t max) {
  if (const auto value = number_of<std::int64_t>(text, min, max)) return *value;
  refuse_setting(name, text, fmt::format("not a whole number from {} to {}", min, max));
}

double number_setting(std::string_view name, const std::string& text, double min, double max) {
  if (const auto value = number_of<double>(text, min, max)) return *value;
  refuse_setting(name, text, fmt::format("not a number from {:g} to {:g}", min, max));
}

bool switch_setting(std::string_view name, const std::string& text) {
  if (text != "0" && text != "1") refuse_setting(name, text, "it is a switch", "use 0 or 1");
  return text == "1";
}

double time_setting(std::string_view name, const std::string& text) {
  std::int64_t microseconds = 0;
  // av_parse_time() would also skip blanks.
  const bool understood = text.find_first_not_of("0123456789:.mus") == text.npos &&
                          av_parse_time(&microseconds, text.c_str(), 1) >= 0;
  const double seconds = static_cast<double>(microseconds) / 1e6;
  if (!understood || seconds < 0 || seconds > longest_time)
    refuse_setting(name, text, fmt::format("not a time from 0 to {:g} seconds", longest_time),
                   "give seconds (12.5) or [HH:]MM:SS[.mmm]");
  return seconds;
}

std::pair<std::string, std::string> pair_setting(std::string_view name, const std::string& text,
                                                 const std::string& example) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    refuse_setting(name, text, "not of the form key=value", "e.g. " + example);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::size_t word_setting(std::string_view name, const std::string& text,
                         const std::vector<std::string_view>& words) {
  const auto found =
      std::ranges::find_if(words, [&](std::string_view word) { return same_name(word, text); });
  if (found == words.end())
    refuse_setting(name, text, "there is no such word" + did_you_mean(text, words),
                   fmt::format("use {}", fmt::join(words, ", ")));
  return static_cast<std::size_t>(found - words.begin());
}

PlaneSelection planes_setting(const std::string& text) {
  if (text.empty()) return {};
  try {
    return PlaneSelection::parse(text);
  } catch (const std::invalid_argument& error) {
    throw Error(MessageKind::filter_spec, "`planes`", shortened(text, longest_value),
                verbatim(error.what()), "see `help`");
  }
}

Border border_setting(const std::string& text) {
  if (text.empty()) return {};
  try {
    return parse_border(text);
  } catch (const BorderError& error) {
    refuse_setting("border", text, verbatim(error.what()), verbatim(error.remedy()));
  }
}

const Variant* variant_setting(const std::string& text) {
  if (const Variant* variant = find_variant(text)) return variant;
  std::vector<std::string_view> names;
  for (const Variant& variant : variants()) names.push_back(variant.name);
  throw Error(Fault::usage, "there is no such variant", text,
              "this build has no variant of that name" + did_you_mean(text, names),
              "leave the variant to vidconv, or see `variants`");
}

std::string bitrate_setting(const std::string& text) {
  char* end = nullptr;
  const double rate = av_strtod(text.c_str(), &end);
  if (*end != '\0' || !(rate >= 1) || rate > 2e9)
    refuse_setting("bitrate", text, "not a number of bits per second from 1 to 2G",
                   "e.g. 5M or 800k");
  return text;
}

std::string frame_rate_setting(const std::string& text) {
  if (!frame_rate_of(text))
    refuse_setting("frame_rate", text, "not a number of frames per second",
                   "e.g. 25, 29.97 or 30000/1001");
  return text;
}

}  // namespace vidconv
