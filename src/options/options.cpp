#include "src/options/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <utility>

#include "kernels/base/names.h"
#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"
#include "pipeline/base/url.h"
#include "pipeline/settings/region_settings.h"
#include "pipeline/settings/setting_values.h"
#include "pipeline/settings/settings_job.h"
#include "pipeline/sink/sink.h"
#include "pipeline/source/source.h"
#include "src/options/measure_words.h"
#include "src/options/mistakes.h"
#include "src/options/name_pattern.h"
#include "src/options/option_lines.h"
#include "src/options/option_table.h"
#include "src/options/option_values.h"
#include "src/options/output_key.h"
#include "src/options/resume_words.h"

namespace vidconv {
namespace {

// Refuses empty values, which a shell makes of variables that are not set.
void refuse_empty(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    if (std::ranges::find(option->results(), "") != option->results().end())
      refuse(option->get_name(), "", "its value is empty", "give one, or leave the option out");
}

void read_settings(const CLI::App& app, const OptionWords& w, Options& o) {
  try {
    set_all(w.values(app), o);
  } catch (const SpecError& error) {
    throw kernel_error("--kernel", error);
  }
  o.inputs = w.inputs();
  if (!o.inputs.empty()) o.input = o.inputs.front();
}

void read_words(const OptionWords& w, Options& o) {
  o.skip_done = !w.skip_done.empty();
  o.by_content = w.skip_done == "content";
  if (!w.resume.empty()) take_resume(w.resume, o);
  if (is_batch(o)) o.files_at_once = std::exchange(o.jobs, 0);
  if (!w.at.empty()) {
    if (!o.gallery) refuse("--at", w.at, "it is for --gallery only", "use --start");
    o.source.start = time_setting("--at", w.at);
  }
  o.progress = parse_progress(w.progress);
  if (!w.benchmark.empty())
    o.benchmark_seconds = number_setting("--benchmark", w.benchmark, 0.01, 3600);
}

// A gallery is one picture, which the CPU draws.
void refuse_beside_gallery(const CLI::App& app) {
  std::vector<std::string> useless = {"--benchmark", "--report", "--explain"};
  for (const Setting& row : settings())
    if (row.flags & not_in_gallery) useless.emplace_back(row.option);
  for (const std::string& name : useless) {
    const CLI::Option& option = *app.get_option(name);
    const bool flag = option.get_items_expected_max() == 0;
    if (option.count() > 0)
      refuse(name, flag ? "" : option.results().front(), "a gallery has no use for it",
             "leave it out, or leave out --gallery");
  }
  for (const char* name : {"--device", "--decoder"}) {
    const CLI::Option& option = *app.get_option(name);
    if (option.count() > 0 && option.results().back() != "auto" && option.results().back() != "cpu")
      refuse(name, option.results().back(), "a gallery is drawn on the CPU", "leave it out");
  }
}

void check_batch(const Options& o) {
  const auto refuse_without_list = [&](const char* name, bool given) {
    if (given) refuse(name, "", "there is no list", "add --files-from FILE");
  };
  refuse_without_list("--null", o.null_separated && o.files_from.empty());
  if (o.keep_going && o.fail_fast)
    refuse("--fail-fast", "", "--keep-going asks for the contrary", "leave out one");
  if (!is_batch(o)) return;
  for (const auto& [name, given] : {std::pair{"--gallery", o.gallery},
                                    {"--explain", o.explain},
                                    {"--benchmark", o.benchmark_seconds.has_value()}})
    if (given) refuse(name, "", "it is for one input", "name one, and an output without a {field}");
  if (o.output == "-")
    refuse("--output", "-", "standard output takes one video", "-o 'folder/{stem}.mkv'");
  if (!o.audit_file.empty()) refuse("--audit", o.audit_file, "it is of one input", "name one");
  if (o.skip_done && (o.output == "null:" || o.output == "md5:"))
    refuse("--skip-done", "", "no output is kept", "leave it out");
  if (o.files_from == "-" && std::ranges::count(o.inputs, "-") > 0)
    refuse("--files-from", "-", "standard input is an input already", "name a file");
}

void check_watch(const Options& o) {
  if (!o.watch) return;
  if (!o.files_from.empty())
    refuse("--files-from", o.files_from, "--watch is for a folder, and a list does not grow",
           "leave out one");
  if (o.inputs.size() > 1)
    refuse("--watch", "", "it is for one folder",
           "name one; with --recursive those below it are watched too");
  if (!has_field(o.output))
    refuse("--output", o.output, "each video that comes needs an output, and this is one name",
           "-o 'folder/{stem}.mkv'");
  for (const auto& [option, pattern] : {std::pair{"--output", o.output},
                                        {"--stats", o.stats_file},
                                        {"--trace", o.trace_file},
                                        {"--metrics", o.metrics_file}})
    if (pattern.find("{n}") != pattern.npos)
      refuse(option, pattern, "with --watch numbers would begin anew at each start",
             "use {stem} or {name}");
}

void check_measuring(const Options& o) {
  const std::string& log = o.measure_log;
  if (!log.empty() && !o.measures.any())
    refuse("--measure-log", log, "nothing is measured", "add --measure psnr,ssim");
  if (o.measures.any() && o.benchmark_seconds)
    refuse("--measure", "", "--benchmark encodes nothing", "leave one out");
  if (!log.empty() && is_batch(o))
    refuse("--measure-log", log, "there are several inputs, and this is one name",
           "leave it out: --stats has a summary of each");
  if (o.target && (!o.sink.encoder.crf.empty() || !o.sink.encoder.bitrate.empty()))
    refuse("--target", o.target->measure, "--crf and --bitrate say what is to come out",
           "leave one out");
  if (o.target && (is_batch(o) || o.benchmark_seconds || o.explain))
    refuse("--target", o.target->measure, "it is for one input that is encoded", "leave it out");
  if (!o.report_file.empty() && (is_batch(o) || o.benchmark_seconds || o.explain))
    refuse("--report", o.report_file, "it is of one run over one input", "leave it out");
  if (o.report_file == "-") refuse("--report", o.report_file, "it is a file", "name one");
  if (log == "-") refuse("--measure-log", log, "it is a file", "name one");
}

// Refuses options that do not go with live inputs, addresses and --latency.
void check_live(const Options& o) {
  check_address(o.output, o.sink.format);
  if (is_url(o.output) && is_batch(o))
    refuse("--output", redacted(o.output), "an address takes one video", "name one input");
  if (o.input.starts_with("v4l2:") && !o.source.format.empty())
    refuse("--format-in", o.source.format, "the input is a camera already",
           "what it sends is chosen by --input-opt input_format=NAME");
  const bool live = is_live(o);
  if (live && o.target)
    refuse("--target", o.target->measure, "a live input can be read once", "use --crf");
  if (live && is_batch(o) && (o.recursive || o.skip_done))
    refuse(o.recursive ? "--recursive" : "--skip-done", "", "a live input is no file",
           "leave it out");
  if (o.realtime && (o.benchmark_seconds || o.gallery))
    refuse("--realtime", "", "there is no output to be played", "leave it out");
  if (o.latency == 0) return;
  const std::string value = fmt::format("{:g}", 1e3 * o.latency);
  if (o.benchmark_seconds || o.gallery)
    refuse("--latency", value, "there is no output to be late", "leave it out");
  if (is_batch(o)) refuse("--latency", value, "it is of one input", "name one");
  if (o.input.starts_with("pattern:"))
    refuse("--latency", value, "a pattern waits for its reader", "leave it out");
}

void check_together(const Options& o) {
  if (o.resume) check_resume(o);
  if (!o.gallery) check_settings(o);
  refuse_parts_as_inputs(o);
  check_batch(o);
  if (o.inputs.empty() && o.files_from.empty())
    refuse("INPUT", "", "no input was named", "vidconv INPUT -o OUTPUT --kernel SPEC; see --help");
  if (o.filters.empty() && !o.gallery)
    refuse("--kernel", "", "no filter was named",
           "e.g. --kernel gaussian:sigma=2; see --list-kernels");
  if (o.output.empty() && !o.explain && !o.benchmark_seconds)
    refuse("--output", "", "no output was named", remedy_for_output(o));
  if (!o.sink.format.empty() && (o.gallery || o.output == "null:" || o.output == "md5:"))
    refuse("--format", o.sink.format, "the output has no format to choose", "leave it out");
  const bool no_container = !o.source.raw.empty() || o.input.starts_with("pattern:");
  if (!o.source.format.empty() && no_container)
    refuse("--format-in", o.source.format, "this input is no container", "leave it out");
  if (!o.source.own.empty() && no_container)
    refuse("--input-opt", o.source.own[0].first, "this input is no container", "leave it out");
  check_watch(o);
  check_live(o);
  if (!o.source.frame_rate.empty() && (!o.source.raw.empty() || o.input.starts_with("pattern:")))
    refuse("--fps", o.source.frame_rate, "this input's own description has it",
           "write @RATE there");
  if (o.show_originals && !o.gallery && o.report_file.empty())
    refuse("--show-originals", "", "there is nothing to show them in", "add --report or --gallery");
  if (o.compare && (o.gallery || o.benchmark_seconds))
    refuse("--compare", "", "there is no output to compare in", "leave out --gallery, --benchmark");
  check_measuring(o);
  if (!o.audit_file.empty() && !o.source.video)
    refuse("--audit", o.audit_file, "it is of one video", "choose one by --video N");
  if (o.audit_file == "-") refuse("--audit", "-", "an audit is a file", "name one");
  if (o.metrics_file == "-") refuse("--metrics", "-", "metrics are a file", "name one");
  if (!o.metrics_file.empty() && o.benchmark_seconds)
    refuse("--metrics", o.metrics_file, "a benchmark has a table of its own", "use --stats");
  if (o.stats_file == "-" && (o.output == "-" || o.output == "md5:"))
    refuse("--stats", "-", "stdout carries the output", "name a file");
}

// Refuses words that are neither options nor their values.
[[noreturn]] void refuse_extras(const std::vector<std::string>& words) {
  const auto option = std::ranges::find_if(words, [](const auto& w) { return w.starts_with('-'); });
  if (option == words.end())
    refuse("the command line", words.front(), "it was not expected", "see vidconv --help");
  std::vector<std::string_view> names;
  for (const OptionText& known : option_table())
    for (const std::string& name : known.names) names.push_back(name);
  if (const std::string remedy = remedy_for_option(*option); !remedy.empty())
    refuse("the command line", *option, "there is no such option", remedy);
  refuse("the command line", *option,
         "there is no such option" + did_you_mean(option->substr(0, option->find('=')), names),
         "see vidconv --help");
}

// Takes "file:out.mkv" for out.mkv, as with inputs.
void take_local_paths(Options& o) {
  for (std::string* name :
       {&o.output, &o.stats_file, &o.trace_file, &o.audit_file, &o.measure_log, &o.report_file})
    *name = local_path(*name);
}

// Returns the list to print instead of running anything.
List list_of(const OptionWords& w) {
  if (!w.list_kernels.empty())
    return w.list_kernels == "json" ? List::kernels_as_json : List::kernels;
  if (!w.list_formats.empty())
    return w.list_formats == "json" ? List::formats_as_json : List::formats;
  if (w.list_variants) return List::variants;
  if (w.list_devices) return List::devices;
  if (!w.list_resumable.empty()) return List::resumable;
  if (w.manual) return List::manual;
  if (w.completions == "bash") return List::bash_completions;
  if (w.completions == "zsh") return List::zsh_completions;
  if (w.completions == "fish") return List::fish_completions;
  return List::none;
}

// Reads the boxes while files may still be opened: the sandbox is not yet in force.
void read_boxes_of(Options& o) {
  if (o.regions && is_batch(o))
    refuse("--regions", o.regions->file, "its boxes are of one video", "name one input");
  if (o.regions && o.gallery)
    refuse("--regions", o.regions->file, "its boxes are of one video", "choose one by --video N");
  take_boxes(o);
}

// The words of an option, one spelling for those that mean the same.
std::vector<std::string> words_of(const CLI::Option& option) {
  std::vector<std::string> words = option.results();
  const Setting* row = setting_of_option(option.get_name());
  if (row && (row->flags & any_case))
    for (std::string& word : words) word = CLI::detail::to_lower(word);
  return words;
}

// Keeps the words that output_key() is made of; kernels are added there, with their files.
void keep_words(const CLI::App& app, Options& o) {
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0 && bears_on_bytes(option->get_name()))
      o.words.emplace_back(option->get_name(), words_of(*option));
}

}  // namespace

bool is_live(const Options& o) {
  SourceOptions source;
  source.raw = o.source.raw;
  source.format = o.source.format;
  return o.latency > 0 || is_live(o.input, source);
}

bool is_batch(const Options& o) {
  return o.inputs.size() > 1 || !o.files_from.empty() || o.recursive || o.skip_done || o.watch ||
         has_field(o.output);
}

namespace {

// Returns the filter of "--help gaussian" or "--help=gaussian"; empty if no filter follows.
std::string filter_to_explain(std::span<const std::string> words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    constexpr std::string_view joined = "--help=";
    if (words[i].starts_with(joined)) {
      std::string name = words[i].substr(joined.size());
      if (!is_filter_name(name))
        refuse("--help", name, "there is no such filter" + did_you_mean(name, filter_names()),
               "see --list-kernels");
      return name;
    }
    if (words[i] == "--help" && i + 1 < words.size() && is_filter_name(words[i + 1]))
      return words[i + 1];
  }
  return {};
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  Options o;
  o.command.assign(argv, argv + argc);
  o.listed = filter_to_explain(std::span(o.command).subspan(argc > 0 ? 1 : 0));
  if (!o.listed.empty()) {
    o.list = List::help_of_filter;
    return o;
  }
  OptionWords w;
  CLI::App app("", "vidconv");
  declare_options(app, o, w);
  // Several outputs are told apart before (output_words.h), but for --help and words that make no
  // sense, of which more is to be said here than that there are several.
  app.get_option("--output")->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  try {
    app.parse(words_with_defaults(argc, argv));
  } catch (const CLI::CallForHelp&) {
    const bool all = std::ranges::find(o.command, "--help") != o.command.end();
    o.list = all ? List::help : List::short_help;
    return o;
  } catch (const CLI::CallForVersion&) {
    o.list = List::version;
    return o;
  } catch (const CLI::ExtrasError&) {
    refuse_extras(app.remaining());
  } catch (const CLI::ParseError& error) {
    throw Error(Fault::usage, "the command line", "",
                verbatim(shortened(error.what(), longest_value)), "see vidconv --help");
  }

  refuse_empty(app);
  o.list = list_of(w);
  if (o.list == List::resumable) o.listed = local_path(w.list_resumable);
  if (o.list != List::none) return o;
  if (o.gallery) refuse_beside_gallery(app);
  keep_words(app, o);
  read_settings(app, w, o);
  take_local_paths(o);
  read_words(w, o);
  read_boxes_of(o);
  check_together(o);
  o.skip_done |= o.watch;
  return o;
}

}  // namespace vidconv
