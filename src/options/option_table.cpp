#include "src/options/option_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace vidconv {

std::string usage_of(const OptionText& option) {
  std::string names = fmt::format("{}", fmt::join(option.names, ", "));
  if (option.value.empty() || !option.names[0].starts_with('-')) return names;
  return option.value_may_be_left_out ? fmt::format("{}[={}]", names, option.value)
                                      : fmt::format("{} {}", names, option.value);
}

std::string text_of(const OptionText& option) {
  if (option.fallback.empty()) return option.text;
  return fmt::format("{} (default: {})", option.text, option.fallback);
}

std::vector<std::string> choices_of(const OptionText& option) {
  std::vector<std::string> words;
  if (option.value.find('|') == std::string::npos) return words;
  std::istringstream values(option.value);
  for (std::string word; std::getline(values, word, '|');) {
    // "cuda:N" and "LIST" are placeholders, not words to type.
    const bool whole =
        std::ranges::none_of(word, [](unsigned char c) { return std::isupper(c) != 0; });
    if (whole) words.push_back(word);
  }
  return words;
}

}  // namespace vidconv
