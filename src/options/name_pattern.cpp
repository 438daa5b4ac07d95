#include "src/options/name_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "kernels/base/names.h"
#include "pipeline/base/printable.h"
#include "pipeline/base/url.h"
#include "src/options/option_values.h"

namespace vidconv {
namespace {

struct Field {
  std::string_view name;
  std::string (*value)(const NamedInput& input);
};

constexpr Field fields[] = {
    {"name", [](const NamedInput& input) { return input.name; }},
    {"stem",
     [](const NamedInput& input) { return std::filesystem::path(input.name).stem().native(); }},
    {"n", [](const NamedInput& input) { return std::to_string(input.number); }},
};

std::string value_of(const char* option, const std::string& pattern, std::string_view name,
                     const NamedInput& input) {
  const auto* const field = std::ranges::find(fields, name, &Field::name);
  if (field == std::end(fields))
    refuse(option, pattern,
           fmt::format("there is no field {{{}}}", verbatim(name)) +
               did_you_mean(name, {"name", "stem", "n"}),
           "{name}, {stem} and {n} are filled in; a brace itself is {{ or }}");
  std::string value = field->value(input);
  if (value == "." || value == "..")
    refuse(option, pattern, fmt::format("{{{}}} of '{}' is a folder", name, verbatim(input.name)),
           "use {n}, or another name for that input");
  return value;
}

}  // namespace

std::string name_of_input(const std::string& input) {
  if (input == "-") return "stdin";
  if (input.starts_with("pattern:")) return "pattern";
  if (!is_url(input)) return std::filesystem::path(local_path(input)).filename().native();
  const std::string path = input.substr(0, input.find_first_of("?#"));
  const std::size_t host = path.find("://") + 3, slash = path.rfind('/');
  return slash < host || slash + 1 == path.size() ? "url" : path.substr(slash + 1);
}

bool has_field(const std::string& pattern) {
  return std::ranges::any_of(fields, [&](const Field& field) {
    return pattern.find(fmt::format("{{{}}}", field.name)) != pattern.npos;
  });
}

std::string fill_in(const char* option, const std::string& pattern, const NamedInput& input) {
  const std::size_t last = pattern.rfind('/') + 1;  // 0 if there is no slash
  std::string filled;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (at == last) filled += input.folder;
    const char c = pattern[at];
    if (c != '{' && c != '}') {
      filled += c;
    } else if (at + 1 < pattern.size() && pattern[at + 1] == c) {
      filled += c;
      ++at;
    } else {
      const std::size_t end = c == '{' ? pattern.find('}', at) : pattern.npos;
      if (end == pattern.npos)
        refuse(option, pattern, "a brace stands alone",
               "{name}, {stem} and {n} are filled in; a brace itself is {{ or }}");
      filled += value_of(option, pattern, pattern.substr(at + 1, end - at - 1), input);
      at = end;
    }
  }
  return filled;
}

std::string common_folder(const std::string& pattern) {
  const std::size_t slash = pattern.rfind('/', pattern.find('{'));
  if (slash == pattern.npos) return ".";
  return slash == 0 ? "/" : pattern.substr(0, slash);
}

}  // namespace vidconv
