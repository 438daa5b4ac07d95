#include "api/c/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "api/c/filter.h"
#include "kernels/base/names.h"
#include "pipeline/base/printable.h"
#include "pipeline/region/box_file.h"
#include "pipeline/region/box_words.h"
#include "pipeline/settings/region_settings.h"

namespace vidconv {
namespace {

constexpr std::string_view regions_name = "regions";

void apply_words(const SettingValues& words, Settings& settings) {
  try {
    set_all(words, settings);
  } catch (const SpecError& error) {
    throw column_error(error);
  }
}

}  // namespace

void SettingWords::set(const std::string& name, const std::string& value) {
  const auto rows = vidconv::settings();
  const auto row = std::ranges::find_if(
      rows, [&](const Setting& setting) { return same_name(setting.name, name); });
  if (row == rows.end()) {
    std::vector<std::string_view> names;
    for (const Setting& setting : rows) names.push_back(setting.name);
    throw Error(Fault::usage, "there is no setting", shortened(name, longest_value),
                "none has that name" + did_you_mean(name, names),
                "vidconv_setting_name() lists them");
  }
  if (!value.empty()) {
    Settings trial;
    apply_words({{&*row, value}}, trial);
  }
  if (!(row->flags & repeats) || row->name == "input" || value.empty())
    std::erase_if(words_, [&](const auto& word) { return word.first == &*row; });
  if (row->name == regions_name) boxes_.clear();
  if (!value.empty()) words_.emplace_back(&*row, value);
}

void SettingWords::set_regions(std::vector<BoxLine> boxes, const std::string& options) {
  BoxOptions read = parse_list_options(options);
  if (!boxes.empty()) check_listed(boxes, read);
  std::erase_if(words_, [](const auto& word) { return word.first->name == regions_name; });
  boxes_ = std::move(boxes);
  box_options_ = std::move(read);
}

Settings SettingWords::settings() const {
  Settings settings;
  apply_words(words_, settings);
  if (boxes_.empty())
    take_boxes(settings);
  else
    take_boxes(boxes_, box_options_, settings);
  return settings;
}

std::string meaning_of(const Setting& setting) {
  const std::string_view takes = setting.value.empty() ? "1 or 0" : setting.value;
  return fmt::format("{}: {}", takes.starts_with("[=") ? takes.substr(2, takes.size() - 3) : takes,
                     setting.text);
}

}  // namespace vidconv
