#include "kernels/spec/misspelt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "kernels/filter/presets.h"
#include "kernels/spec/spec_text.h"

namespace vidconv {
namespace {

constexpr const char* blanks = " \t\r\n";

// A filter of another program that is no sum of products.
struct Absent {
  std::string_view name, remedy;
};
constexpr std::string_view hides =
    "a place is hidden by gaussian:sigma=24:region=x,y,w,h or a large box";
constexpr Absent absent_filters[] = {
    {"median", "gaussian and box smooth; ffmpeg has a median"},
    {"bilateral", "gaussian smooths edges too; ffmpeg has a bilateral"},
    {"nlmeans", "gaussian and box smooth; ffmpeg has an nlmeans"},
    {"hqdn3d", "gaussian and box smooth; ffmpeg has an hqdn3d"},
    {"denoise", "gaussian and box smooth"},
    {"erode", "ffmpeg has an erosion"},
    {"erosion", "ffmpeg has an erosion"},
    {"dilate", "ffmpeg has a dilation"},
    {"dilation", "ffmpeg has a dilation"},
    {"pixelate", hides},
    {"pixelize", hides},
    {"delogo", hides},
    {"scale", "pictures keep their size"},
    {"resize", "pictures keep their size"},
    {"crop", "pictures keep their size; a part of them is filtered by region=x,y,w,h"},
};

std::vector<std::string_view> words_of(std::string_view text, std::string_view between) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(between, at)) < text.size();) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

bool is_filter(std::string_view name) { return find_preset(name) != nullptr; }

// "0 -1 0 -1 5 -1 0 -1 0", "0,-1,0;...": numbers and nothing else.
std::optional<Misspelt> bare_matrix(std::string_view spec) {
  const auto words = words_of(spec, " \t\r\n,;");
  if (words.size() < 2 || !std::ranges::all_of(words, is_number)) return std::nullopt;
  const std::string matrix = fmt::format("matrix:{}", spec);
  const auto side = static_cast<int>(std::lround(std::sqrt(words.size())));
  std::string remedy;
  if (spec.find(';') != spec.npos)
    remedy = matrix;
  else if (static_cast<std::size_t>(side) * static_cast<std::size_t>(side) == words.size())
    remedy = fmt::format("a {0}x{0} matrix is {1}", side, in_rows(matrix, side));
  else
    remedy =
        fmt::format("row:{0} or column:{0}, or matrix: with ; between rows", fmt::join(words, " "));
  return Misspelt{"numbers alone are no filter: their shape has to be said", remedy};
}

// "sobel,gaussian:sigma=2", "sobel | box": several filters in one.
std::optional<Misspelt> several_filters(std::string_view spec) {
  std::vector<std::string_view> found;
  for (const std::string_view word : words_of(spec, ",;|+> \t\r\n"))
    if (is_filter(word.substr(0, word.find_first_of("=:(")))) found.push_back(word);
  if (found.size() < 2) return std::nullopt;
  return Misspelt{"a filter is one specification, not several",
                  fmt::format("give `kernel` once for each: {}", fmt::join(found, ", then "))};
}

// "gaussian=2", "gaussian(2)", "gaussian 5", "gaussian,sigma=2": parameters in another way.
std::optional<Misspelt> other_parameters(std::string_view spec) {
  const std::string_view name = spec.substr(0, spec.find_first_of("=(, \t"));
  const Preset* preset = name.size() == spec.size() ? nullptr : find_preset(name);
  if (!preset) return std::nullopt;
  std::vector<std::string> parts{std::string(name)};
  for (const std::string_view word : words_of(spec.substr(name.size()), "(), \t:")) {
    const std::string_view value = word.substr(std::min(word.find_first_not_of('='), word.size()));
    const bool named = value.find('=') != value.npos;
    if (!named && preset->parameters.size() >= parts.size())
      parts.push_back(fmt::format("{}={}", preset->parameters[parts.size() - 1].name, value));
    else if (named)
      parts.emplace_back(value);
  }
  return Misspelt{"parameters come after colons, each with its name",
                  fmt::to_string(fmt::join(parts, ":"))};
}

}  // namespace

bool is_number(std::string_view word) { return number_of<double>(word, -1e300, 1e300).has_value(); }

std::optional<Misspelt> misspelt_filter(std::string_view spec) {
  spec.remove_prefix(std::min(spec.find_first_not_of(blanks), spec.size()));
  for (const auto& what : {bare_matrix, several_filters, other_parameters})
    if (auto mistake = what(spec)) return mistake;
  const std::string_view name = spec.substr(0, spec.find_first_of("=:"));
  for (const Absent& absent : absent_filters)
    if (same_name(absent.name, name))
      return Misspelt{fmt::format("'{}' is no convolution, and not here", name),
                      std::string(absent.remedy)};
  return std::nullopt;
}

}  // namespace vidconv
