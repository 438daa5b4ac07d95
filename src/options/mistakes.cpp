#include "src/options/mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "kernels/filter/presets.h"
#include "kernels/spec/parse.h"
#include "pipeline/base/url.h"
#include "src/options/option_values.h"

namespace vidconv {
namespace {

constexpr std::string_view keeps_size = "pictures keep their size: change it before or after";
constexpr std::string_view names_place =
    "a place belongs to a filter: --kernel gaussian:sigma=9:region=x,y,w,h; boxes in a file: "
    "--regions FILE";
constexpr std::string_view names_filter =
    "it belongs to a filter: --kernel gaussian:sigma=2, see --list-kernels";

struct OptionMistake {
  std::string_view option, remedy;
};
constexpr OptionMistake option_mistakes[] = {
    {"-i", "the input needs no -i: vidconv INPUT -o OUTPUT --kernel SPEC"},
    {"--input", "the input needs no option: vidconv INPUT -o OUTPUT --kernel SPEC"},
    {"--region", names_place},
    {"--roi", names_place},
    {"--box", names_place},
    {"--boxes", names_place},
    {"--mask", "a mask belongs to a filter: --kernel gaussian:sigma=9:mask=FILE"},
    {"--scale", keeps_size},
    {"--resize", keeps_size},
    {"--size", keeps_size},
    {"--crop", keeps_size},
    {"-s", keeps_size},
    {"--sigma", names_filter},
    {"--radius", names_filter},
    {"--ksize", names_filter},
    {"--blur", names_filter},
    {"-r", "frames keep their times; --fps gives numbered pictures and bare streams a rate"},
    {"-map", "all streams are kept; --video N chooses the one to filter"},
    {"-hwaccel", "--decoder nvdec decodes on the GPU, --device cuda filters there"},
    {"--hwaccel", "--decoder nvdec decodes on the GPU, --device cuda filters there"},
};

bool names_something(const std::string& name) {
  std::error_code error;
  return is_url(name) || std::filesystem::exists(std::filesystem::status(name, error));
}

// Returns whether a word is a filter's key and a value: "sigma=2".
bool is_part_of_filter(const std::string& word) {
  const std::string_view key = std::string_view(word).substr(0, word.find('='));
  if (key.size() == word.size()) return false;
  const auto has = [&](const auto& rows) {
    return std::ranges::any_of(rows, [&](const auto& row) { return row.name == key; });
  };
  return has(modifier_keys()) || has(time_keys()) ||
         std::ranges::any_of(presets(), [&](const Preset& p) { return has(p.parameters); });
}

}  // namespace

std::string remedy_for_option(std::string_view option) {
  const std::string_view name = option.substr(0, option.find('='));
  const auto* row = std::ranges::find(option_mistakes, name, &OptionMistake::option);
  return row == std::end(option_mistakes) ? "" : std::string(row->remedy);
}

void refuse_parts_as_inputs(const Options& o) {
  for (const std::string& input : o.inputs)
    if (is_part_of_filter(input) && !names_something(input))
      refuse("INPUT", input, "there is no such file, and it looks like a part of a filter",
             o.filters.empty() ? "join them by a colon: --kernel gaussian:sigma=2"
                               : fmt::format("join them by a colon: --kernel {}:{}",
                                             o.filters.back().text(), input));
}

std::string remedy_for_output(const Options& o) {
  if (o.inputs.size() > 1 && !names_something(o.inputs.back()))
    return fmt::format("if {0} is the output: -o {0}", o.inputs.back());
  return "-o FILE, -o -, -o md5: or -o null:";
}

}  // namespace vidconv
