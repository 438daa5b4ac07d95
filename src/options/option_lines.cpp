#include "src/options/option_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/base/names.h"
#include "src/options/option_names.h"
#include "src/options/option_table.h"
#include "src/options/resume_words.h"

namespace vidconv {
namespace {

constexpr const char* main_group = "Main";

// Restricts a value to one of these words, in any letter case.
CLI::Option* one_of(CLI::Option* option, std::vector<std::string_view> words) {
  option->type_name(fmt::format("{}", fmt::join(words, "|")));
  const auto understand = [words = std::move(words)](std::string& value) {
    if (const std::string_view* word = row_named(words, value, std::identity())) {
      value = *word;
      return std::string();
    }
    return fmt::format("{} not in {{{}}}{}", value, fmt::join(words, ","),
                       did_you_mean(value, words));
  };
  return option->transform(CLI::Validator(understand, ""));
}

// Declares the option of a setting, which writes into `words`.
CLI::Option* declare(CLI::App& app, const Setting& row, SettingWords& words) {
  const std::string name(row.name == "output" ? "-o,--output" : row.option);
  std::string text = with_option_names(row.text);
  if (row.name == "output")
    text +=
        "; several of one input, each with the options behind it, those before the first being "
        "of all";
  if (row.value.empty()) return app.add_flag(name, words.given, text);
  CLI::Option* option = nullptr;
  if (row.flags & repeats)
    option = app.add_option(name, words.values, text)->allow_extra_args(row.name == "input");
  else
    option = app.add_option(name, words.value, text);
  return option->type_name(std::string(row.value))->default_str(std::string(row.fallback));
}

void declare_settings(CLI::App& app, OptionWords& w, std::string_view group) {
  for (std::size_t i = 0; i < settings().size(); ++i)
    if (settings()[i].group == group) declare(app, settings()[i], w.settings[i]);
}

void declare_files(CLI::App& app, Options& o, OptionWords& w) {
  app.add_option("--files-from", o.files_from,
                 "take inputs from this list too, one in a line (- is stdin)")
      ->type_name("FILE");
  app.add_flag("--null", o.null_separated,
               "names in the list of --files-from end with NUL, as find -print0 writes them");
  app.add_flag("--recursive", o.recursive,
               "take all videos in folders and below them; their subfolders are made anew before "
               "the last part of the output's name");
  one_of(app.add_option("--skip-done", w.skip_done,
                        "leave out inputs whose outputs are there already, made from the same "
                        "input by the same options and versions; the same by its size, its time "
                        "and its ends, or by all of its content, which is read for it"),
         {"times", "content"})
      ->type_name("[=times|content]");
  app.add_flag("--watch", o.watch,
               "filter each video of a folder once that is there or comes, when it is whole, and "
               "again when its content is new, until a signal ends it (with --skip-done)");
  app.add_flag("--keep-going", o.keep_going,
               "an input that fails does not stop the others (the default)");
  app.add_flag("--fail-fast", o.fail_fast, "after an input has failed, begin no other");
}

void declare_output(CLI::App& app, OptionWords& w) {
  declare_settings(app, w, "Output");
  app.add_option("--resume", w.resume,
                 "keep finished shards in the folder .NAME.vidconv beside the output, or in DIR, "
                 "until it is done: started again with the same command, the run goes on where it "
                 "was, whatever has ended it (implies --shards auto)")
      ->type_name("[=DIR]");
}

void declare_machine(CLI::App& app, Options& o, OptionWords& w) {
  declare_settings(app, w, "Machine");
  app.add_flag("--no-sandbox", o.no_sandbox,
               "keep the rights to files and to the network that the run should not need");
}

void declare_reports(CLI::App& app, Options& o, OptionWords& w) {
  one_of(app.add_option("--progress", w.progress, "on stderr; auto draws a bar on a terminal")
             ->capture_default_str(),
         {"auto", "plain", "json", "none"});
  app.add_flag("-q,--quiet", o.quiet, "errors only");
  app.add_option("--stats", o.stats_file, "write a JSON report to this file (- is stdout)")
      ->type_name("FILE");
  app.add_option("--metrics", o.metrics_file,
                 "write figures of the run to this file, in Prometheus' text form")
      ->type_name("FILE");
  app.add_option("--report", o.report_file,
                 "write a page to look at: pictures before and after, times, measures, all in one "
                 "file of HTML")
      ->type_name("FILE");
  app.add_option("--trace", o.trace_file,
                 "write what worked when on which frame: a file for ui.perfetto.dev")
      ->type_name("FILE");
  app.add_option("--benchmark", w.benchmark,
                 "frames per second of each stage and of all, no codec (for 2 seconds)")
      ->type_name("[=SECONDS]");
  declare_settings(app, w, "Reports");
  app.add_option("--measure-log", o.measure_log,
                 "write what --measure finds of each frame to this file, a line of JSON each")
      ->type_name("FILE");
  app.add_flag("--gallery", o.gallery,
               "draw one frame through every filter, or the --kernel ones, on a sheet (-o .png, "
               ".jpg)");
  app.add_option("--at", w.at, "the frame for --gallery: seconds or [HH:]MM:SS")->type_name("TIME");
  app.add_flag(
      "--show-originals", o.show_originals,
      "show in --report and --gallery what filters hide: by default pictures are not shown "
      "as they were where a filter has a place, or is mosaic or fill");
  app.add_flag("--explain", o.explain, "print what would be computed, and run nothing");
}

void declare_lists(CLI::App& app, OptionWords& w) {
  const auto list = [&](const char* name, std::string& word, const char* text) {
    one_of(app.add_option(name, word, text), {"text", "json"})->type_name("[=text|json]");
  };
  list("--list-kernels", w.list_kernels, "the named filters and what others take");
  list("--list-formats", w.list_formats, "the pixel formats");
  app.add_flag("--list-variants", w.list_variants, "the ways to compute a filter");
  app.add_flag("--list-devices", w.list_devices, "the devices");
  app.add_option("--list-resumable", w.list_resumable,
                 "what --resume has kept in this folder, and the commands that go on with it")
      ->type_name("DIR");
  one_of(app.add_option("--completions", w.completions,
                        "completions for a shell; installed with the program"),
         {"bash", "zsh", "fish"});
  app.add_flag("--manual", w.manual, "the manual page, for man -l -");
}

// Declares the options of a group under its name. A value is described by its name alone: the
// option's text says which values it may have.
template <class Declare>
void declare_group(CLI::App& app, const char* name, Declare&& declare) {
  const std::size_t before = app.get_options().size();
  declare();
  const std::vector<CLI::Option*> options = app.get_options();
  for (std::size_t i = before; i < options.size(); ++i) {
    options[i]->group(name);
    try {
      options[i]->get_validator(0)->description("");
    } catch (const CLI::OptionNotFound&) {  // it has no validator; CLI11 has no way to ask
    }
  }
}

OptionText describe(const CLI::Option& option) {
  OptionText text;
  text.group = option.get_group() == main_group ? "" : option.get_group();
  for (const std::string& name : option.get_snames())
    text.names.push_back(fmt::format("-{}", name));
  for (const std::string& name : option.get_lnames())
    text.names.push_back(fmt::format("--{}", name));
  if (text.names.empty()) text.names.push_back(option.get_name(true));
  const bool flag = option.get_type_size_max() == 0 || option.get_items_expected_max() == 0;
  if (!flag) text.value = option.get_type_name();
  if (text.value.starts_with("[=")) {
    text.value_may_be_left_out = true;
    text.value = text.value.substr(2, text.value.size() - 3);
  }
  text.repeatable = option.get_expected_max() > 1;
  text.text = option.get_description();
  text.fallback = option.get_default_str();
  return text;
}

}  // namespace

SettingValues OptionWords::values(const CLI::App& app) const {
  SettingValues values;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const Setting& row = vidconv::settings()[i];
    const SettingWords& words = settings[i];
    if (row.name == "input" || app.count(std::string(row.option)) == 0) continue;
    if (row.value.empty())
      values.emplace_back(&row, "1");
    else if (row.flags & repeats)
      for (const std::string& value : words.values) values.emplace_back(&row, value);
    else
      values.emplace_back(&row, words.value);
  }
  return values;
}

void declare_options(CLI::App& app, Options& o, OptionWords& w) {
  app.set_help_flag();  // it comes last
  declare_group(app, main_group, [&] { declare_settings(app, w, main_group); });
  declare_group(app, "Filter", [&] { declare_settings(app, w, "Filter"); });
  declare_group(app, "Input", [&] { declare_settings(app, w, "Input"); });
  declare_group(app, "Several inputs", [&] { declare_files(app, o, w); });
  declare_group(app, "Output", [&] { declare_output(app, w); });
  declare_group(app, "Machine", [&] { declare_machine(app, o, w); });
  declare_group(app, "Reports", [&] { declare_reports(app, o, w); });
  declare_group(app, "Lists", [&] {
    declare_lists(app, w);
    app.set_help_flag("-h,--help",
                      "-h: what is used most; --help: this text; --help FILTER: one filter");
    app.set_version_flag("-V,--version", "", "the version");
  });
}

std::vector<std::string> words_with_defaults(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::string& word : words) {
    if (word == "--") break;
    if (word == "--benchmark") word = "--benchmark=2";
    if (word == "--verify") word = "--verify=1";
    if (word == "--skip-done") word = "--skip-done=times";
    if (word == "--resume") word += "=" + std::string(beside_output);
    if (word == "--list-kernels" || word == "--list-formats") word += "=text";
  }
  std::ranges::reverse(words);
  return words;
}

const std::vector<OptionText>& option_table() {
  static const std::vector<OptionText> table = [] {
    Options o;
    OptionWords w;
    CLI::App app;
    declare_options(app, o, w);
    std::vector<OptionText> rows;
    for (const CLI::Option* option : app.get_options()) rows.push_back(describe(*option));
    return rows;
  }();
  return table;
}

}  // namespace vidconv
