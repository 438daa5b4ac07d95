#include "api/c/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "api/c/filter.h"
#include "kernels/base/names.h"
#include "pipeline/base/printable.h"

namespace vidconv {
namespace {

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
  if (!value.empty()) words_.emplace_back(&*row, value);
}

Settings SettingWords::settings() const {
  Settings settings;
  apply_words(words_, settings);
  return settings;
}

std::string meaning_of(const Setting& setting) {
  const std::string_view takes = setting.value.empty() ? "1 or 0" : setting.value;
  return fmt::format("{}: {}", takes.starts_with("[=") ? takes.substr(2, takes.size() - 3) : takes,
                     setting.text);
}

}  // namespace vidconv
