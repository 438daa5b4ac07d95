#include "src/options/option_names.h"

#include <algorithm>
#include <iterator>

#include "pipeline/settings/settings.h"

namespace vidconv {
namespace {

struct Row {
  std::string_view setting, option;
};
// Names in messages that are no settings of a job.
constexpr Row table[] = {
    {"devices", "--list-devices"},   {"help", "--help"},
    {"kernels", "--list-kernels"},   {"resume", "--resume"},
    {"variants", "--list-variants"},
};

std::string_view option_of(std::string_view name) {
  if (name.starts_with("--")) return name;
  if (const Setting* setting = setting_named(name)) return setting->option;
  const Row* row = std::ranges::find(table, name, &Row::setting);
  return row == std::end(table) ? "" : row->option;
}

}  // namespace

std::string with_option_names(std::string_view text) {
  std::string named;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find('`'), text.size());
    named += text.substr(0, begin);
    text.remove_prefix(begin);
    if (text.empty()) break;
    const bool doubled = text.starts_with("``");
    const std::size_t end = text.find('`', 1);
    const std::string_view setting = doubled || end == text.npos ? "" : text.substr(1, end - 1);
    const std::string_view option = option_of(setting);
    const bool known = !option.empty();
    named += known ? option : text.substr(0, 1);
    text.remove_prefix(known ? end + 1 : doubled ? 2 : 1);
  }
  return named;
}

}  // namespace vidconv
