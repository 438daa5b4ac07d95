// The options as a table, read off the command line's own description: what --help, the manual page
// and the completions are made from, so that a new option is in all of them.
#pragma once

#include <string>
#include <vector>

namespace vidconv {

struct OptionText {
  std::string group;               // "Filter"; "" for INPUT and -o
  std::vector<std::string> names;  // "-o", "--output"; "INPUT" for what has no dashes
  // What follows: "SECONDS", "FILE", "auto|plain|json|none"; empty for a flag.
  std::string value;
  bool value_may_be_left_out = false;  // then a given one is joined with "="
  bool repeatable = false;
  std::string text;      // for people, one sentence without its full stop
  std::string fallback;  // the value where the option is not given; empty where the text says it
};

// In the order of --help, options of a group together.
const std::vector<OptionText>& option_table();

// "-o, --output FILE", "--benchmark[=SECONDS]"
std::string usage_of(const OptionText& option);
// The text, with the default where there is one.
std::string text_of(const OptionText& option);
// The words of "auto|plain|json|none"; none where the value is something else.
std::vector<std::string> choices_of(const OptionText& option);

}  // namespace vidconv
