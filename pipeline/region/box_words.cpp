#include "pipeline/region/box_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"

namespace vidconv {
namespace {

// 12, 0.5s, 500ms. None for anything else.
std::optional<BoxTime> box_time(std::string_view text) {
  constexpr double longest = 3600;  // seconds
  constexpr int most = 1'000'000;   // frames
  const bool milliseconds = text.ends_with("ms");
  if (!text.ends_with('s')) {
    const auto frames = number_of<int>(std::string(text), 0, most);
    return frames ? std::optional(BoxTime{static_cast<double>(*frames), false}) : std::nullopt;
  }
  text.remove_suffix(milliseconds ? 2 : 1);
  const double unit = milliseconds ? 0.001 : 1;
  const auto number = number_of<double>(std::string(text), 0.0, longest / unit);
  return number ? std::optional(BoxTime{*number * unit, true}) : std::nullopt;
}

const std::vector<std::string_view>& box_keys() {
  static const std::vector<std::string_view> keys = {"grow", "hold", "shape", "feather", "units"};
  return keys;
}

[[noreturn]] void refuse_words(const std::string& text, const std::string& why) {
  throw Error(Fault::usage, "`regions`", shortened(text, longest_value), why,
              "FILE[:grow=15%][:hold=12][:shape=ellipse][:feather=8][:units=relative]");
}

// Reads KEY=VALUE[:KEY=VALUE]... from the byte `begin` of the text on; nothing is left behind it.
void read_keys(const std::string& text, std::size_t begin, BoxOptions& options) {
  while (begin <= text.size()) {
    const std::size_t equals = text.find('=', begin);
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (equals > end) refuse_words(text, fmt::format("column {}: '=' is missing", begin + 1));
    const std::string key = text.substr(begin, equals - begin);
    const std::string value = text.substr(equals + 1, end - equals - 1);
    const auto wrong = [&](const char* what) {
      refuse_words(text,
                   fmt::format("column {}: {} is {}, not '{}'", equals + 2, key, what, value));
    };
    if (key == "grow") {
      const std::size_t comma = value.find(',');
      const bool percent = value.substr(0, comma).ends_with('%');
      // A number alone may be a percentage that lacks its sign.
      const bool seconds = comma == value.npos && value.ends_with('s');
      const std::string lasting = comma != value.npos ? value.substr(comma + 1) : value;
      const auto time = percent && comma == value.npos ? BoxTime() : box_time(lasting);
      const auto number = percent ? number_of<double>(value.substr(0, value.find('%')), 0.0, 1000.0)
                                  : std::optional<double>(0);
      if (!number || !time || !(percent || seconds))
        wrong("a percentage from 0% to 1000%, seconds such as 0.5s, or both (15%,0.5s or 15%,3)");
      options.grow = *number / 100;
      options.grow_time = *time;
    } else if (key == "hold") {
      const auto time = box_time(value);
      if (!time) wrong("a whole number of frames, or seconds such as 0.5s");
      options.hold = *time;
    } else if (key == "shape") {
      if (value != "ellipse" && value != "rectangle") wrong("rectangle or ellipse");
      options.ellipse = value == "ellipse";
    } else if (key == "units") {
      if (value != "pixels" && value != "relative") wrong("pixels or relative");
      options.units = value == "pixels" ? Units::pixels : Units::relative;
    } else if (key == "feather") {
      const auto number = number_of<int>(value, 0, 1000);
      if (!number) wrong("a whole number of pixels from 0 to 1000");
      options.feather = *number;
    } else {
      refuse_words(text, fmt::format("column {}: unknown key '{}'{}", begin + 1, key,
                                     did_you_mean(key, box_keys())));
    }
    begin = end + 1;
  }
}

}  // namespace

BoxOptions parse_regions(const std::string& text) {
  // The file's name ends before the first key, or what is nearly one.
  std::size_t end = text.size();
  for (std::size_t at = text.find(':'); at < end; at = text.find(':', at + 1)) {
    const std::string_view key = std::string_view(text).substr(at + 1, text.find('=', at) - at - 1);
    if (std::ranges::find(box_keys(), key) != box_keys().end() ||
        !did_you_mean(key, box_keys()).empty())
      end = at;
  }
  BoxOptions options;
  options.file = text.substr(0, end);
  if (options.file.empty()) refuse_words(text, "no file is named");
  read_keys(text, end + 1, options);
  return options;
}

BoxOptions parse_list_options(const std::string& text) {
  BoxOptions options;
  options.listed = true;
  if (!text.empty()) read_keys(text, 0, options);
  return options;
}

}  // namespace vidconv
