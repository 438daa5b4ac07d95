#include "src/options/batch_plan.h"

#include <cctype>
#include <compare>
#include <filesystem>
#include <map>

#include "pipeline/av/container.h"
#include "pipeline/base/error.h"
#include "pipeline/base/url.h"
#include "pipeline/io/run_files.h"
#include "src/options/input_list.h"
#include "src/options/name_pattern.h"
#include "src/options/option_values.h"

namespace vidconv {
namespace {

// A numbered name, split at its number: "a-" and ".png" for "a-%04d.png".
struct NumberedName {
  std::string before, behind;
  auto operator<=>(const NumberedName&) const =
      default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

NumberedName parts_of_numbered(const std::string& name) {
  NumberedName parts;
  std::string* to = &parts.before;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const std::size_t end = name[at] == '%' ? name.find_first_not_of("0123456789", at + 1) : at;
    if (end != at && end != name.npos && name[end] == 'd') {
      to = &parts.behind;
      at = end;
      continue;
    }
    *to += name[at];
    if (end == at + 1 && name[end] == '%') at = end;  // %% is one
  }
  return parts;
}

// Collects everything that is written, by name and by file, with its writer.
class Claims {
 public:
  explicit Claims(RunFiles& files) : files_(files) {}

  // `what` names the writer: "the output of 'a.mp4'".
  void claim(const std::string& what, const std::string& name) {
    const std::string path = std::filesystem::path(local_path(name)).lexically_normal().native();
    const auto [found, first] = whose_.emplace(path, what);
    if (!first)
      throw Error(Fault::usage, "cannot write " + what, name, "it is " + found->second + " too",
                  "tell them apart by {n} or, with --recursive, by their folders");
    if (!is_numbered(path))
      files_.writes(what, path);
    else
      claim_numbers(what, name, parts_of_numbered(path));
  }

 private:
  // Digits before the number can clash: picture 1 of "a1%d.png" is picture 11 of "a%d.png".
  void claim_numbers(const std::string& what, const std::string& name, const NumberedName& parts) {
    const auto refuse_same = [&](const std::string& whose) {
      throw Error(Fault::usage, "cannot write " + what, name,
                  "its pictures may have names of pictures of " + whose,
                  "put something between the name and the number: {stem}-%d.png");
    };
    if (const auto longer = shortened_.find(parts); longer != shortened_.end())
      refuse_same(longer->second);
    numbered_.emplace(parts, what);
    NumberedName shorter = parts;
    while (!shorter.before.empty() &&
           std::isdigit(static_cast<unsigned char>(shorter.before.back()))) {
      shorter.before.pop_back();
      if (const auto found = numbered_.find(shorter); found != numbered_.end())
        refuse_same(found->second);
      shortened_.emplace(shorter, what);
    }
  }

  RunFiles& files_;
  std::map<std::string, std::string> whose_;
  // The writers of numbered names, and of numbered names without the digits before the number.
  std::map<NumberedName, std::string> numbered_, shortened_;
};

void refuse_one_name(const char* option, const std::string& name, std::size_t inputs) {
  if (inputs == 1 || has_field(name)) return;
  fill_in(option, name, {});  // refuses what was meant to be a field
  refuse(option, name, "there are several inputs, and this is one name",
         "put {stem}, {name} or {n} into it");
}

void check_names(const Options& o, std::size_t inputs) {
  if (is_kept(o.output)) refuse_one_name("--output", o.output, inputs);
  if (!o.stats_file.empty() && o.stats_file != "-")
    refuse_one_name("--stats", o.stats_file, inputs);
  if (!o.trace_file.empty()) refuse_one_name("--trace", o.trace_file, inputs);
  if (!o.metrics_file.empty()) refuse_one_name("--metrics", o.metrics_file, inputs);
}

std::vector<std::string> folders_of_outputs(const Options& o) {
  std::vector<std::string> folders;
  for (const std::string& pattern : {o.output, o.stats_file, o.trace_file, o.metrics_file})
    if (has_field(pattern)) folders.push_back(common_folder(pattern));
  return folders;
}

// Returns whether such a name means something other than a file of that name.
bool is_special(const std::string& name) {
  return name == "-" || !is_kept(name) || !scheme_of(name).empty();
}

std::string doubled_percents(const std::string& text) {
  std::string all;
  for (const char c : text) all += c == '%' ? std::string("%%") : std::string(1, c);
  return all;
}

// Fills an input's name into a pattern. The result is always a plain name, never a special one.
std::string named(const char* option, const std::string& pattern, const NamedInput& input,
                  const std::string& format = {}) {
  if (pattern.empty() || !has_field(pattern)) return pattern;
  const auto filled_with = [&](const NamedInput& with) {
    const std::string name = fill_in(option, pattern, with);
    return is_special(name) && !is_special(pattern) ? "./" + name : name;
  };
  std::string name = filled_with(input);
  if (!(format == "image2" || (format.empty() && is_image_name(name)))) return name;
  if (is_numbered(pattern))
    return filled_with(
        {doubled_percents(input.name), doubled_percents(input.folder), input.number});
  if (is_numbered(name))
    refuse(option, name, "the % of the input's name would number pictures", "use {n}");
  return name;
}

}  // namespace

BatchFile batch_file(const ListedInput& input, std::size_t number, const Options& o) {
  const NamedInput name{name_of_input(input.input), input.folder, number};
  return {.input = input.input,
          .output = named("--output", o.output, name, o.sink.format),
          .stats = named("--stats", o.stats_file, name),
          .trace = named("--trace", o.trace_file, name),
          .metrics = named("--metrics", o.metrics_file, name)};
}

bool is_kept(const std::string& output) { return output != "null:" && output != "md5:"; }

BatchPlan plan_batch(const Options& o, const Notify& notify) {
  const std::vector<ListedInput> inputs = list_inputs(o, notify);
  check_names(o, inputs.size());
  BatchPlan plan;
  RunFiles files;
  for (const ListedInput& input : inputs) files.reads("an input", input.input);
  if (!o.files_from.empty() && o.files_from != "-") files.reads("the list of inputs", o.files_from);
  Claims claims(files);
  const auto claim = [&](const char* what, const std::string& input, const std::string& name) {
    if (!name.empty() && name != "-" && is_kept(name))
      claims.claim(std::string(what) + " of '" + verbatim(input) + "'", name);
  };
  for (const ListedInput& input : inputs) {
    BatchFile file = batch_file(input, plan.files.size() + 1, o);
    claim("the output", file.input, file.output);
    claim("the report", file.input, file.stats);
    claim("the trace", file.input, file.trace);
    claim("the file of metrics", file.input, file.metrics);
    plan.files.push_back(std::move(file));
  }
  plan.folders = folders_of_outputs(o);
  return plan;
}

BatchPlan plan_watch(const Options& o) {
  constexpr std::size_t several = 2;  // nobody knows how many will come
  check_names(o, several);
  std::error_code error;
  if (!is_folder(o.input) && !std::filesystem::exists(local_path(o.input), error))
    throw Error(MessageKind::input_missing, "cannot watch the folder", o.input,
                "there is no such folder");
  if (!is_folder(o.input))
    refuse("INPUT", o.input, "--watch watches a folder, which it is not",
           "name the folder that it is in, or leave out --watch");
  return {.files = {{.input = o.input, .output = {}, .stats = {}, .trace = {}, .metrics = {}}},
          .folders = folders_of_outputs(o)};
}

Options options_of(const BatchFile& file, const Options& options) {
  Options o = options;
  o.input = file.input;
  o.output = file.output;
  o.stats_file = file.stats == "-" ? "" : file.stats;
  o.trace_file = file.trace;
  o.metrics_file = file.metrics;
  return o;
}

}  // namespace vidconv
