// The options as a table, read from CLI11's declarations. --help, the manual page and the
// completions are made from it, so that a new option appears in all of them.
#pragma once

#include <string>
#include <vector>

namespace vidconv {

struct OptionText {
  std::string group;               // "Filter"; "" for INPUT and -o
  std::vector<std::string> names;  // "-o", "--output"; "INPUT" for a positional word
  // The value's name: "SECONDS", "FILE", "auto|plain|json|none"; empty for a flag.
  std::string value;
  bool value_may_be_left_out = false;  // a value must be joined with "=" then
  bool repeatable = false;
  std::string text;      // for people, one sentence without its full stop
  std::string fallback;  // the default value; empty if the text says it
};

// Returns the options in the order of --help, group by group.
const std::vector<OptionText>& option_table();

// Returns "-o, --output FILE", "--benchmark[=SECONDS]".
std::string usage_of(const OptionText& option);
// Returns the text, with the default if there is one.
std::string text_of(const OptionText& option);
// Returns the words of "auto|plain|json|none"; empty if the value is no such list.
std::vector<std::string> choices_of(const OptionText& option);

}  // namespace vidconv
