#include "src/help/completions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "kernels/filter/presets.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "src/options/option_table.h"

namespace vidconv {
namespace {

std::string replace_all(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

bool is_option(const OptionText& option) { return option.names[0].starts_with('-'); }
bool wants_file(const OptionText& option) { return option.value == "FILE"; }

// Returns the words that can complete an option's value.
std::vector<std::string> words_for(const OptionText& option) {
  std::vector<std::string> words = choices_of(option);
  if (option.value == "VARIANT")
    for (const Variant& variant : variants()) words.emplace_back(variant.name);
  return words;
}

bool wants_spec(const OptionText& option) { return option.value == "SPEC"; }

// Each shell's function completes a filter's name, then its keys. @NAMES@ and @KEYS@ stand for
// those of all filters, @CASES@ for one case for each filter that has keys of its own.
constexpr std::string_view bash_spec = R"(# The shell takes ":" and "=" for words.
_vidconv_spec() {
  local i=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} spec words=
  spec=$cur
  while ((i > 1)) && [[ ${COMP_WORDS[i-1]} != --kernel ]] &&
    [[ ${COMP_WORDS[i]} == [:=] || ${COMP_WORDS[i-1]} == [:=] ]]; do
    spec=${COMP_WORDS[--i]}$spec
  done
  [[ ${COMP_WORDS[i-1]} == --kernel ]] || return
  spec=${spec#=}
  case $spec in
    file:*) return 1 ;;
    *:*) words='@KEYS@' ;;
    *) words='@NAMES@' ;;
  esac
  case $spec in
@CASES@  esac
  [[ ${spec#*:} == "$spec" || ${spec##*:} != *=* ]] || words=
  compopt -o nospace +o default +o bashdefault 2> /dev/null
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "${spec##*:}")
  # Where ":" is no word of its own, all that came before belongs to the word.
  [[ $cur != ?*:* ]] || COMPREPLY=("${COMPREPLY[@]/#/${cur%:*}:}")
}
)";
constexpr std::string_view zsh_spec = R"(_vidconv_spec() {
  local -a words
  if [[ $PREFIX == file:* ]]; then
    compset -P 'file:'
    _files
    return
  fi
  words=(@NAMES@)
  if [[ $PREFIX == *:* ]]; then
    words=(@KEYS@)
    case $PREFIX in
@CASES@    esac
    compset -P '*:'
    [[ $PREFIX != *=* ]] || return 1
  fi
  compadd -S '' -- $words
}
)";
constexpr std::string_view fish_spec = R"(function __vidconv_spec
  set -l spec (commandline -ct | string replace -- --kernel= '')
  if not string match -q '*:*' -- $spec
    printf '%s\n' @NAMES@
    return
  end
  set -l words @KEYS@
  switch $spec
@CASES@  end
  printf '%s\n' (string replace -r ':[^:]*$' ':' -- $spec)$words
end
)";

// `each` is the template of one case, with @NAME@ and @KEYS@ of a filter.
std::string spec_function(std::string_view text, std::string_view each) {
  std::vector<std::string> names, keys;
  std::string cases;
  for (const Preset& preset : presets()) {
    names.emplace_back(preset.name);
    std::vector<std::string> own;
    for (const Parameter& p : preset.parameters) own.push_back(std::string(p.name) + "=");
    const std::string row = replace_all(std::string(each), "@NAME@", preset.name);
    if (!own.empty()) cases += replace_all(row, "@KEYS@", fmt::format("{}", fmt::join(own, " ")));
  }
  for (const MatrixForm& form : matrix_forms()) names.push_back(std::string(form.name) + ":");
  for (const auto& rows : {modifier_keys(), time_keys()})
    for (const ModifierKey& key : rows) keys.push_back(std::string(key.name) + "=");
  std::string result = replace_all(std::string(text), "@CASES@", cases);
  result = replace_all(result, "@NAMES@", fmt::format("{}", fmt::join(names, " ")));
  return replace_all(result, "@KEYS@", fmt::format("{}", fmt::join(keys, " ")));
}

std::string in_quotes(const std::string& text) {
  return fmt::format("'{}'", replace_all(text, "'", "'\\''"));
}

std::string zsh_value(const OptionText& option) {
  if (option.value.empty()) return "";
  std::string action = wants_file(option) ? "_files" : wants_spec(option) ? "_vidconv_spec" : " ";
  if (const std::vector<std::string> words = words_for(option); !words.empty())
    action = fmt::format("({})", replace_all(fmt::format("{}", fmt::join(words, " ")), ":", "\\:"));
  return fmt::format(":{}{}:{}", option.value_may_be_left_out ? ":" : "",
                     replace_all(option.value, ":", "\\:"), action);
}

std::string zsh_option(const OptionText& option) {
  if (!is_option(option))
    return in_quotes(fmt::format("{}:{}:_files", option.repeatable ? "*" : ":", option.names[0]));
  std::string text = replace_all(text_of(option), "[", "\\[");
  text = fmt::format("[{}]{}", replace_all(text, "]", "\\]"), zsh_value(option));
  const std::string_view join = option.value.empty()           ? ""
                                : option.value_may_be_left_out ? "=-"
                                                               : "=";
  std::string lines;
  for (const std::string& name : option.names) {
    // An option that was given already is not offered again.
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
{}_vidconv() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} words=
  # The shell takes "=" for a word.
  if [[ $cur == = ]]; then
    prev+='=' cur=
  elif [[ $prev == = ]]; then
    prev="${{COMP_WORDS[COMP_CWORD-2]}}="
  fi
  COMPREPLY=()
  _vidconv_spec
  [[ ${{#COMPREPLY[@]}} == 0 ]] || return 0
  case $prev in
{}    *) [[ $cur == -* ]] && words='{}' ;;
  esac
  # Nothing here: names of files.
  [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}}
complete -o bashdefault -o default -F _vidconv vidconv
)",
                     spec_function(bash_spec, "    @NAME@:*) words+=' @KEYS@' ;;\n"), cases,
                     fmt::join(names, " "));
}

std::string zsh_completions() {
  std::string lines;
  for (const OptionText& option : option_table())
    lines += fmt::format(" \\\n    {}", zsh_option(option));
  return fmt::format(R"(#compdef vidconv
# Completions of vidconv for zsh. Made by 'vidconv --completions zsh'.
{}_vidconv() {{
  _arguments{}
}}
if [[ $funcstack[1] == _vidconv ]]; then
  _vidconv "$@"
else
  compdef _vidconv vidconv
fi
)",
                     spec_function(zsh_spec, "      @NAME@:*) words+=(@KEYS@) ;;\n"), lines);
}

std::string fish_completions() {
  std::string text = "# Completions of vidconv for fish. Made by 'vidconv --completions fish'.\n" +
                     spec_function(fish_spec, "    case '@NAME@:*'\n      set -a words @KEYS@\n");
  for (const OptionText& option : option_table()) {
    if (!is_option(option)) continue;
    std::string line = "complete -c vidconv";
    for (const std::string& name : option.names)
      line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.value.empty() && !option.value_may_be_left_out) line += " -r";
    if (!option.value.empty() && !wants_file(option)) line += " -f";
    if (const std::vector<std::string> words = words_for(option); !words.empty())
      line += fmt::format(" -a '{}'", fmt::join(words, " "));
    if (wants_spec(option)) line += " -a '(__vidconv_spec)'";
    std::string shown = replace_all(text_of(option), "\\", "\\\\");
    text += line + " -d '" + replace_all(shown, "'", "\\'") + "'\n";
  }
  return text;
}

}  // namespace vidconv
