#include "src/completions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "kernels/convolve.h"
#include "kernels/parse.h"
#include "kernels/presets.h"
#include "src/option_table.h"

namespace vidconv {
namespace {

std::string replace_all(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

bool is_option(const OptionText& option) { return option.names[0].starts_with('-'); }
bool wants_file(const OptionText& option) { return option.value == "FILE"; }

// What an option can be completed with.
std::vector<std::string> words_for(const OptionText& option) {
  std::vector<std::string> words = choices_of(option);
  if (option.value == "SPEC") {
    for (const Preset& preset : presets()) words.emplace_back(preset.name);
    for (const MatrixForm& form : matrix_forms()) words.push_back(std::string(form.name) + ":");
  }
  if (option.value == "VARIANT") {
    for (const Variant& variant : variants()) words.emplace_back(variant.name);
    for (const Variant& variant : study_variants()) words.emplace_back(variant.name);
  }
  return words;
}

std::string in_quotes(const std::string& text) {
  return fmt::format("'{}'", replace_all(text, "'", "'\\''"));
}

std::string zsh_value(const OptionText& option) {
  if (option.value.empty()) return "";
  std::string action = wants_file(option) ? "_files" : " ";
  if (const std::vector<std::string> words = words_for(option); !words.empty())
    action = fmt::format("({})", replace_all(fmt::format("{}", fmt::join(words, " ")), ":", "\\:"));
  return fmt::format(":{}{}:{}", option.value_may_be_left_out ? ":" : "",
                     replace_all(option.value, ":", "\\:"), action);
}

std::string zsh_option(const OptionText& option) {
  if (!is_option(option)) return in_quotes(fmt::format("::{}:_files", option.names[0]));
  std::string text = replace_all(text_of(option), "[", "\\[");
  text = fmt::format("[{}]{}", replace_all(text, "]", "\\]"), zsh_value(option));
  const std::string_view join = option.value.empty()           ? ""
                                : option.value_may_be_left_out ? "=-"
                                                               : "=";
  std::string lines;
  for (const std::string& name : option.names) {
    // Who is there already is not offered again.
    const std::string others =
        option.repeatable ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    lines += (lines.empty() ? "" : " \\\n    ") +
             in_quotes(others + name + (name.starts_with("--") ? std::string(join) : "") + text);
  }
  return lines;
}

}  // namespace

std::string bash_completions() {
  std::string cases;
  std::vector<std::string> names;
  for (const OptionText& option : option_table()) {
    if (!is_option(option)) continue;
    names.insert(names.end(), option.names.begin(), option.names.end());
    const std::vector<std::string> words = words_for(option);
    if (words.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names) {
      patterns.push_back(name + "=");
      if (!option.value_may_be_left_out) patterns.push_back(name);
    }
    cases += fmt::format("    {}) words={} ;;\n", fmt::join(patterns, " | "),
                         in_quotes(fmt::format("{}", fmt::join(words, " "))));
  }
  return fmt::format(R"(# Completions of vidconv for bash. Made by 'vidconv --completions bash'.
_vidconv() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} words=
  # The shell takes "=" for a word.
  if [[ $cur == = ]]; then
    prev+='=' cur=
  elif [[ $prev == = ]]; then
    prev="${{COMP_WORDS[COMP_CWORD-2]}}="
  fi
  COMPREPLY=()
  case $prev in
{}    *) [[ $cur == -* ]] && words='{}' ;;
  esac
  # Nothing here: names of files.
  [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}}
complete -o bashdefault -o default -F _vidconv vidconv
)",
                     cases, fmt::join(names, " "));
}

std::string zsh_completions() {
  std::string lines;
  for (const OptionText& option : option_table())
    lines += fmt::format(" \\\n    {}", zsh_option(option));
  return fmt::format(R"(#compdef vidconv
# Completions of vidconv for zsh. Made by 'vidconv --completions zsh'.
_vidconv() {{
  _arguments{}
}}
if [[ $funcstack[1] == _vidconv ]]; then
  _vidconv "$@"
else
  compdef _vidconv vidconv
fi
)",
                     lines);
}

std::string fish_completions() {
  std::string text = "# Completions of vidconv for fish. Made by 'vidconv --completions fish'.\n";
  for (const OptionText& option : option_table()) {
    if (!is_option(option)) continue;
    std::string line = "complete -c vidconv";
    for (const std::string& name : option.names)
      line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.value.empty() && !option.value_may_be_left_out) line += " -r";
    if (!option.value.empty() && !wants_file(option)) line += " -f";
    if (const std::vector<std::string> words = words_for(option); !words.empty())
      line += fmt::format(" -a '{}'", fmt::join(words, " "));
    std::string shown = replace_all(text_of(option), "\\", "\\\\");
    text += line + " -d '" + replace_all(shown, "'", "\\'") + "'\n";
  }
  return text;
}

}  // namespace vidconv
