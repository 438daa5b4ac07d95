#include "src/cluster/cluster_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string_view>

#include "kernels/base/numbers.h"
#include "pipeline/av/devices.h"
#include "pipeline/base/url.h"
#include "pipeline/encode/encoder_choice.h"
#include "pipeline/io/policy/file_options.h"
#include "src/options/option_lines.h"
#include "src/options/option_values.h"

namespace vidconv {
namespace {

// Options of each worker itself: settings of its machine, and these.
constexpr std::string_view also_of_machine[] = {"--no-sandbox", "--quiet", "--progress"};

bool has_flag(std::string_view option, SettingFlags flag) {
  const Setting* row = setting_of_option(option);
  return row && (row->flags & flag);
}

std::vector<std::string> options_of_machine() {
  std::vector<std::string> names(std::begin(also_of_machine), std::end(also_of_machine));
  for (const Setting& row : settings())
    if (row.flags & of_machine) names.emplace_back(row.option);
  return names;
}

// Options that concern one process, or that the plan itself settles.
constexpr std::string_view left_out_of_plan[] = {"--output", "--shards",   "--jobs",
                                                 "--stats",  "--trace",    "--decoder",
                                                 "--quiet",  "--progress", "--audit"};

struct RefusedBesidePlan {
  std::string_view option;
  const char* why;
  const char* remedy;
};
constexpr RefusedBesidePlan refused_beside_plan[] = {
    {"--frames", "where the last frame ends is known when all were decoded", "use --duration"},
    {"--benchmark", "a plan runs nothing", "leave it out"},
    {"--explain", "a plan is for many hosts", "leave out plan"},
    {"--gallery", "it has one frame", "leave out plan"},
    {"--raw", "parts are made of a container that all hosts can read", "use --shards on one host"},
    {"--latency", "a plan is of an input that waits", "leave it out"},
    {"--realtime", "parts of a plan are encoded side by side", "leave it out"},
    {"--metrics", "a plan runs nothing", "leave it out"},
    {"--measure", "parts are not measured", "leave it out"},
    {"--target", "parts are not measured", "find the quality first, and use --crf"},
    {"--show-originals", "a plan shows nothing", "leave it out"},
    {"--report", "a plan runs nothing", "leave it out"},
    {"--resume", "what a plan has made is kept anyway, and each worker goes on", "leave it out"},
    {"--regions-default", "it is of --regions", "leave out plan"},
    {"--regions", "frames are counted, and boxes accounted for, in one process", "leave out plan"},
};

template <class Names>
bool is_named_in(std::string_view name, const Names& names) {
  return std::ranges::find(names, name) != std::end(names);
}

std::string option_name_of(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames()[0];
  return option.get_snames().empty() ? option.get_name() : "-" + option.get_snames()[0];
}

// Splits "--name=value" into "--name" and "value".
std::pair<std::string, std::string> parts_of(const std::string& word) {
  const std::size_t equals = std::min(word.find('='), word.size());
  return {word.substr(0, equals), word.substr(std::min(equals + 1, word.size()))};
}

// Returns why a plan may not carry "--name=value"; empty if it may.
std::string why_not_in_plan(const std::string& name, const std::string& value) {
  if (!has_flag(name, planned)) return "it does not bear on the bytes of the output";
  const auto [key, of_key] = parts_of(value);
  const char* const may_name_file = "it may name a file, which is not for a plan to say";
  if ((name == "--encoder-opt" && encoder_option_may_name_file(key, of_key)) ||
      (name == "--muxer-opt" && muxer_option_may_name_file(key)) ||
      (name == "--input-opt" && input_option_may_name_file(key)))
    return may_name_file;
  if (name == "--format-in" && (value == "sdp" || is_device("", value)))
    return "it is no file that hosts can share";
  if (name == "--codec") {
    const AVCodec* encoder = avcodec_find_encoder_by_name(value.c_str());
    if (encoder && is_hardware(*encoder)) return "it encodes on a chip, not in parts";
  }
  return "";
}

// Makes the paths of kernel files absolute: they must name the same file on every host.
std::string absolute_kernel(std::string spec) {
  const auto make_absolute = [&](std::string_view before, const std::string& file) {
    const std::size_t at = spec.find(std::string(before) + file);
    if (at == std::string::npos) return;
    spec.replace(at + before.size(), file.size(), std::filesystem::absolute(file).string());
  };
  const FilterSpec filter = parse_kernel("--kernel", spec, FilterSpec::most_pixels);
  for (const std::string& file : filter.files()) {
    make_absolute("file:", file);
    make_absolute("mask=", file);
    make_absolute("=@", file);
  }
  return spec;
}

void parse_for_plan(CLI::App& app, std::vector<std::string> words) {
  std::ranges::reverse(words);  // the order in which CLI11 takes a vector
  CLI::Option& output = *app.get_option("--output");
  output.multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw Error(Fault::usage, "the command line", "",
                verbatim(shortened(error.what(), longest_value)), "see vidconv plan --help");
  }
  if (output.count() > 1)
    refuse("--output", output.results().back(), "a plan is of one output", "make a plan for each");
}

// Schedulers put the number of an array's task into these variables.
constexpr const char* number_variables[] = {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"};

int shard_number_of(const std::string& word) {
  std::string text = word;
  for (const char* name : number_variables)
    if (const char* value = std::getenv(name); value && text.empty()) text = value;
  if (text.empty())
    refuse("shard", "", "there is no number of a part",
           "vidconv shard I DIR, or set SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX");
  constexpr int most = std::numeric_limits<int>::max();
  if (const auto number = number_of<int>(text, 0, most)) return *number;
  refuse("shard", text, fmt::format("not a whole number from 0 to {}", most), "");
}

}  // namespace

PlanWords parse_plan_words(const std::vector<std::string>& words) {
  PlanWords plan;
  std::string script;
  const auto value_of = [&](std::size_t& i, std::string_view name, std::string& to) {
    if (words[i] == name && i + 1 < words.size()) {
      to = words[++i];
    } else if (words[i].starts_with(std::string(name) + "=")) {
      to = words[i].substr(name.size() + 1);
    } else {
      return false;
    }
    if (to.empty()) refuse(std::string(name), "", "its value is empty", "give one");
    return true;
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (value_of(i, "--dir", plan.folder) || value_of(i, "--script", script)) continue;
    if (words[i] == "--exact")
      plan.exact = true;
    else if (words[i] == "--dry-run")
      plan.dry_run = true;
    else if (words[i] == "-h" || words[i] == "--help")
      plan.help = true;
    else
      plan.rest.push_back(words[i]);
  }
  if (script == "slurm")
    plan.script = JobScript::slurm;
  else if (script == "kubernetes")
    plan.script = JobScript::kubernetes;
  else if (script == "parallel")
    plan.script = JobScript::parallel;
  else if (!script.empty())
    refuse("--script", script, "there is no such script", "slurm, kubernetes or parallel");
  if (plan.folder.empty() && !plan.help)
    refuse("--dir", "", "no folder was named for the plan and its parts",
           "vidconv plan INPUT -o OUTPUT --kernel SPEC --shards N --dir DIR");
  return plan;
}

WorkerWords parse_worker_words(const std::vector<std::string>& words, bool numbered) {
  WorkerWords worker;
  std::vector<std::string> named;
  Options unused;
  OptionWords unused_words;
  CLI::App all, app("", "vidconv");
  declare_options(all, unused, unused_words);
  app.set_help_flag("-h,--help");
  app.add_option("words", named);
  app.add_flag("--dry-run", worker.dry_run);
  if (!numbered) {
    app.add_option("-o,--output", worker.output);
    app.add_option("--audit", worker.audit);
  }
  std::vector<std::pair<CLI::Option*, std::string>> given;
  const std::vector<std::string> machine = options_of_machine();
  std::vector<std::string> values(machine.size() + 1);
  const auto take = [&](std::string_view name, std::string& value) {
    const CLI::Option& like = *all.get_option(std::string(name));
    const bool flag = like.get_items_expected_max() == 0;
    const std::string names = name == "--quiet" ? "-q,--quiet" : std::string(name);
    given.emplace_back(flag ? app.add_flag(names) : app.add_option(names, value),
                       std::string(name));
  };
  for (std::size_t i = 0; i < machine.size(); ++i) take(machine[i], values[i]);
  take("--stats", values.back());
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    worker.help = true;
    return worker;
  } catch (const CLI::ParseError& error) {
    throw Error(Fault::usage, "the command line", "",
                verbatim(shortened(error.what(), longest_value)),
                "see vidconv shard --help; what bears on the bytes is in the plan");
  }
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i].first->count() > 0)
      worker.machine.push_back(values[i].empty() ? given[i].second
                                                 : given[i].second + "=" + values[i]);
  const std::size_t most = numbered ? 2 : 1;
  if (named.empty() || named.size() > most)
    refuse("the command line", named.empty() ? "" : named.back(), "one folder of a plan is meant",
           numbered ? "vidconv shard I DIR" : "vidconv join DIR -o OUTPUT");
  if (!numbered && worker.output.empty() && !worker.dry_run)
    refuse("--output", "", "a plan does not say what may be written", "vidconv join DIR -o OUTPUT");
  worker.folder = named.back();
  if (numbered) worker.number = shard_number_of(named.size() == 2 ? named[0] : "");
  return worker;
}

KeptWords kept_words(const std::vector<std::string>& words) {
  std::vector<std::string> full = words;
  for (std::string& word : full)
    if (word == "--verify" || word == "--resume") word += "=1";
  Options unused;
  OptionWords unused_words;
  CLI::App app("", "vidconv");
  declare_options(app, unused, unused_words);
  parse_for_plan(app, full);
  const std::vector<std::string> machine = options_of_machine();
  KeptWords kept;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option_name_of(*option);
    if (option->count() == 0 || !name.starts_with('-') || is_named_in(name, left_out_of_plan))
      continue;
    if (const auto* r = std::ranges::find(refused_beside_plan, name, &RefusedBesidePlan::option);
        r != std::end(refused_beside_plan))
      refuse(name, "", r->why, r->remedy);
    const bool of_worker = is_named_in(name, machine), flag = option->get_items_expected_max() == 0;
    auto& to = of_worker ? kept.machine : kept.job;
    const auto allow = [&](const std::string& value) {
      const std::string why = of_worker ? "" : why_not_in_plan(name, value);
      if (!why.empty()) refuse(name, value, why, "leave it out, or use --shards on one host");
    };
    if (flag) {
      allow("");
      to.push_back(name);
      continue;
    }
    for (const std::string& value : option->results()) {
      allow(value);
      to.push_back(name + "=" + (name == "--kernel" ? absolute_kernel(value) : value));
    }
  }
  return kept;
}

void check_planned(const std::string& name, const std::string& source,
                   const std::vector<std::string>& job) {
  const auto refuse_planned = [&](const std::string& what, const std::string& why) {
    throw Error(MessageKind::plan, "the plan cannot be used", name,
                fmt::format("of '{}': {}", verbatim(what), why),
                "make it again with 'vidconv plan'");
  };
  const bool local = !is_url(source);
  if (local && !source.starts_with('/'))
    refuse_planned(shortened(redacted(source), longest_value), "its source is no absolute path");
  for (const std::string& word : job) {
    const auto [option, value] = parts_of(word);
    if (const std::string why = why_not_in_plan(option, value); !why.empty())
      refuse_planned(shortened(word, longest_value), why);
  }
}

Options options_of(const std::string& input, const std::string& output,
                   const std::vector<std::string>& job, const std::vector<std::string>& machine) {
  std::vector<std::string> words{"vidconv", "-o", output, "--decoder=cpu"};
  words.insert(words.end(), job.begin(), job.end());
  words.insert(words.end(), machine.begin(), machine.end());
  words.push_back("--");
  words.push_back(input);
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  return parse_options(static_cast<int>(argv.size()), argv.data());
}

}  // namespace vidconv
