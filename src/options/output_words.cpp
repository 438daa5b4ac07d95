#include "src/options/output_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "pipeline/base/error.h"
#include "pipeline/base/url.h"
#include "src/options/name_pattern.h"
#include "src/options/option_lines.h"
#include "src/options/option_values.h"

namespace vidconv {
namespace {

// A word of the command line that is an option, with its value, or an input.
struct Word {
  std::string name, group, value;
  bool flag = false;

  bool is_input() const { return name == "INPUT"; }
};

template <class Names>
bool is_among(std::string_view name, const Names& names) {
  return std::ranges::find(names, name) != std::end(names);
}

// Files of one run over one output.
constexpr std::string_view reports_of_output[] = {"--measure-log", "--audit", "--metrics",
                                                  "--trace"};

// Returns whether an option can be one output's alone.
bool is_of_output(const Word& word) {
  constexpr std::string_view of_run[] = {"-y", "--strict", "--resume"};
  constexpr std::string_view of_reports[] = {"--verify", "--measure"};
  if (word.group == "Filter" || word.group == "Output") return !is_among(word.name, of_run);
  return is_among(word.name, of_reports) || is_among(word.name, reports_of_output);
}

// Returns the words in their order; none where they cannot be understood, which parse_options()
// says.
std::vector<Word> words_in_order(int argc, const char* const* argv) {
  Options o;
  OptionWords w;
  CLI::App app("", "vidconv");
  declare_options(app, o, w);
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() == 1)
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  try {
    app.parse(words_with_defaults(argc, argv));
  } catch (const CLI::Error&) {
    return {};
  }
  std::vector<Word> words;
  std::map<const CLI::Option*, std::size_t> seen;
  for (const CLI::Option* option : app.parse_order())
    words.push_back({.name = option->get_name(),
                     .group = option->get_group(),
                     .value = option->results().at(seen[option]++),
                     .flag = option->get_items_expected_max() == 0});
  return words;
}

using Words = std::vector<Word>;

// Sorts the words by whom they are of: the first list is of all, the others of one output each.
std::vector<Words> words_by_output(const Words& words) {
  std::vector<Words> lists(1);
  for (const Word& word : words) {
    const bool behind = lists.size() > 1;
    if (word.name == "--output") {
      lists.push_back({word});
    } else if (behind && is_of_output(word)) {
      lists.back().push_back(word);
    } else if (behind && word.group == "Input") {
      refuse(word.name, word.flag ? "" : word.value,
             "it is of the input, which is read once for all outputs",
             "write it before the first -o");
    } else {
      lists.front().push_back(word);
    }
  }
  return lists;
}

// Returns the words of a run with this output alone: its options take the place of those of all.
std::vector<std::string> command_of(const Words& of_all, const Words& own) {
  std::vector<std::string> words, inputs;
  const auto add = [&](const Word& word) {
    if (word.is_input()) return inputs.push_back(word.value);
    // Joined, because a value that may be left out is taken in no other way.
    words.push_back(word.flag || word.value.empty() ? word.name : word.name + "=" + word.value);
    if (!word.flag && word.value.empty()) words.emplace_back();
  };
  for (const Word& word : of_all)
    if (std::ranges::find(own, word.name, &Word::name) == own.end()) add(word);
  std::ranges::for_each(own, add);
  words.emplace_back("--");
  words.insert(words.end(), inputs.begin(), inputs.end());
  return words;
}

// Parses what one output is told, and names it in what is wrong with that.
Options parse_output(const Words& of_all, const Words& own, const char* program) {
  const std::vector<std::string> words = command_of(of_all, own);
  std::vector<const char*> argv{program};
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    return parse_options(static_cast<int>(argv.size()), argv.data());
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", verbatim(own.front().value), error.act()),
                error.value(), error.why(), error.remedy());
  }
}

// Options of a run over one output.
struct OfOneOutput {
  std::string_view option, why;
};
constexpr OfOneOutput of_one_output[] = {
    {"--resume", "what is kept is of one output"},
    {"--gallery", "it is one picture"},
    {"--benchmark", "it has no output"},
    {"--report", "the page is of one output"},
    {"--target", "the input would be read anew for each output"},
    {"--latency", "a slow output holds the others"},
};

// Refuses what does not go with several outputs.
void check_several(const Words& words) {
  for (const Word& word : words) {
    const std::string value = word.flag ? "" : word.value;
    if (word.group == "Several inputs")
      refuse(word.name, value, "several outputs are of one input", "name one input, or one output");
    const auto* row = std::ranges::find(of_one_output, word.name, &OfOneOutput::option);
    if (row != std::end(of_one_output))
      refuse(word.name, value, std::string(row->why), "name one output");
    if (word.name == "--output" && has_field(word.value))
      refuse(word.name, value, "several outputs are of one input, and a {field} is for several",
             "give each output a name");
  }
  const auto input = std::ranges::find_if(words, &Word::is_input);
  const auto second = std::find_if(std::next(input, input != words.end()), words.end(),
                                   [](const Word& word) { return word.is_input(); });
  if (second != words.end())
    refuse("INPUT", second->value, "several outputs are of one input",
           "name one input; an output has an -o before its name");
}

bool writes_to_stdout(const Options& o) { return o.output == "-" || o.output == "md5:"; }

// Returns a text that is the same for names of the same file.
std::string identity_of(const std::string& output) {
  if (is_url(output)) return output;
  std::error_code error;
  const auto path =
      std::filesystem::weakly_canonical(std::filesystem::absolute(local_path(output)), error);
  return error ? output : path.native();
}

// Refuses outputs that would overwrite each other.
void check_names(const std::vector<Options>& outputs) {
  const auto clash = [](const Options& a, const Options& b) {
    if (a.output == "null:" || b.output == "null:") return false;
    if (writes_to_stdout(a) || writes_to_stdout(b))
      return writes_to_stdout(a) && writes_to_stdout(b);
    return identity_of(a.output) == identity_of(b.output);
  };
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (clash(outputs[i], outputs[j]))
        refuse("--output", outputs[i].output,
               writes_to_stdout(outputs[i]) ? "standard output takes one output"
                                            : "two outputs would be one file",
               "give each a name of its own");
}

// Refuses reports that would overwrite each other.
void check_reports(const std::vector<Options>& outputs) {
  std::set<std::string> names;
  for (const Options& o : outputs)
    for (const std::string& name : {o.measure_log, o.audit_file, o.metrics_file, o.trace_file})
      if (!name.empty() && !names.insert(identity_of(name)).second)
        refuse("the command line", name, "two reports would be one file",
               "give each a name of its own");
}

}  // namespace

std::vector<Options> parse_outputs(int argc, const char* const* argv) {
  const Words words = words_in_order(argc, argv);
  if (std::ranges::count(words, "--output", &Word::name) < 2) return {};
  check_several(words);
  const std::vector<Words> lists = words_by_output(words);
  const Words& of_all = lists.front();
  for (const Word& word : of_all)
    if (is_among(word.name, reports_of_output))
      refuse(word.name, word.value, "there are several outputs, and this is one name",
             "write it behind the -o that it is of");
  std::vector<Options> outputs;
  for (std::size_t i = 1; i < lists.size(); ++i) {
    outputs.push_back(parse_output(of_all, lists[i], argv[0]));
    if (outputs.back().list != List::none) return {};
    outputs.back().command.assign(argv, argv + argc);
  }
  check_names(outputs);
  check_reports(outputs);
  return outputs;
}

}  // namespace vidconv
