#include "src/help/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "src/help/words.h"
#include "src/options/option_table.h"

namespace vidconv {
namespace {

constexpr std::size_t width = 80, indent = 2, column = 26;

// Breaks `text` into lines that end before `width`, each but the first indented by `column` spaces.
std::string wrap(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string result;
  std::size_t at = column;
  for (std::string word; words >> word;) {
    if (at > column && at + 1 + word.size() >= width) {
      result += fmt::format("\n{:{}}", "", column);
      at = column;
    } else if (at > column) {
      result += ' ';
      ++at;
    }
    result += word;
    at += word.size();
  }
  return result + "\n";
}

std::string row(std::string_view left, std::string_view text) {
  std::string line = fmt::format("{:{}}{}", "", indent, left);
  if (line.size() + 2 > column)
    line += fmt::format("\n{:{}}", "", column);
  else
    line += fmt::format("{:{}}", "", column - line.size());
  return line + wrap(text);
}

constexpr std::string_view used_most[] = {"INPUT",      "--output", "--kernel", "--start",
                                          "--duration", "--codec",  "--crf",    "--audio",
                                          "--device",   "-y"};
constexpr std::size_t few_examples = 5;

std::string examples_text(std::size_t count) {
  std::string text = "\nExamples:\n";
  for (const Example& example : examples().first(std::min(count, examples().size())))
    text += fmt::format("  {}\n", example.command);
  return text;
}

}  // namespace

std::string short_help_text() {
  std::string text = fmt::format("{}\n\nUsage: {}\n\n", purpose, synopsis);
  for (const OptionText& option : option_table())
    if (std::ranges::find_first_of(option.names, used_most) != option.names.end())
      // The rest of the text is left to the full --help.
      text += row(
          usage_of(option),
          option.text.substr(0, std::min(option.text.find("; "), option.text.find(" (default:"))));
  return text + examples_text(few_examples) +
         "\n--help has every option, --help FILTER one filter, --list-kernels all filters.\n";
}

std::string help_text() {
  std::string text = fmt::format("{}\n\nUsage: {}\n\n", purpose, synopsis);
  std::string group;
  for (const OptionText& option : option_table()) {
    if (option.group != group) text += fmt::format("\n{}:\n", group = option.group);
    text += row(usage_of(option), text_of(option));
  }
  text += examples_text(examples().size());
  text += "\nExit codes:\n";
  for (const ExitCode& code : exit_codes()) text += row(fmt::format("{}", code.code), code.meaning);
  return text + "\n'vidconv plan --help' tells of parts on many hosts, 'man vidconv' says more.\n";
}

}  // namespace vidconv
