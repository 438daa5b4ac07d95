#include "src/option_values.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

extern "C" {
#include <libavutil/parseutils.h>
}

#include "kernels/names.h"
#include "pipeline/error.h"

namespace vidconv {

void refuse(const std::string& option, const std::string& value, const std::string& why,
            const std::string& remedy) {
  throw Error(Fault::usage, option, value, why, remedy);
}

FilterSpec parse_kernel(const std::string& text) {
  try {
    return FilterSpec::parse(text);
  } catch (const SpecError& error) {
    throw Error(Message::filter_spec, "--kernel", error.text(),
                fmt::format("column {}: {}", error.column(), error.what()), "see --list-kernels");
  }
}

std::string border_words() {
  std::string words;
  for (const BorderName& border : border_modes)
    if (border.mode != BorderMode::constant) words += fmt::format("{}|", border.name);
  return words + "zero|constant:V";
}

Border parse_border(const std::string& text) {
  if (same_name(text, "zero")) return {BorderMode::constant, 0};
  constexpr std::string_view constant = "constant:";
  if (same_name(text.substr(0, constant.size()), constant)) {
    Border border{BorderMode::constant, 0};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + constant.size(), end, border.value);
    if (error == std::errc() && stop == end && border.value >= 0 && border.value <= 1)
      return border;
    refuse("--border", text, "the level is not a number from 0 to 1", "e.g. constant:0.5");
  }
  const BorderName* border = row_named(border_modes, text, &BorderName::name);
  if (border && border->mode != BorderMode::constant) return {border->mode, 0};
  std::vector<std::string_view> names{"zero", "constant:V"};
  for (const BorderName& mode : border_modes) names.push_back(mode.name);
  refuse("--border", text, "no such border mode" + did_you_mean(text, names),
         "use " + border_words());
}

double parse_time(const char* option, const std::string& text) {
  std::int64_t microseconds = 0;
  if (av_parse_time(&microseconds, text.c_str(), 1) < 0 || microseconds < 0)
    refuse(option, text, "not a time of 0 or more", "give seconds (12.5) or [HH:]MM:SS[.mmm]");
  return static_cast<double>(microseconds) / 1e6;
}

ProgressMode parse_progress(const std::string& text) {
  return text == "plain"  ? ProgressMode::plain
         : text == "json" ? ProgressMode::json
         : text == "none" ? ProgressMode::none
                          : ProgressMode::automatic;
}

std::pair<std::string, std::string> parse_encoder_option(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    refuse("--encoder-opt", text, "not of the form key=value", "e.g. --encoder-opt tune=film");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

int parse_video(const std::string& text) {
  if (same_name(text, "all")) return 0;
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end && number > 0) return number;
  refuse("--video", text, "not the number of a stream, counted from 1", "use N or all");
}

Comparison parse_comparison(const std::string& text) {
  constexpr std::string_view flip = "flip:";
  Comparison comparison;
  if (same_name(text, "split")) return comparison;
  comparison.mode = Comparison::Mode::side;
  if (same_name(text, "side")) return comparison;
  comparison.mode = Comparison::Mode::flip;
  if (same_name(text, "flip")) return comparison;
  if (!same_name(text.substr(0, flip.size()), flip))
    refuse("--compare", text,
           "no such way to compare" + did_you_mean(text, {"split", "side", "flip"}),
           "use split, side, flip or flip:SECONDS");
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + flip.size(), end, comparison.seconds);
  if (error != std::errc() || stop != end || comparison.seconds < 0.001 ||
      comparison.seconds > 1000)
    refuse("--compare", text, "not a number of seconds from 0.001 to 1000", "e.g. flip:0.5");
  return comparison;
}

}  // namespace vidconv
