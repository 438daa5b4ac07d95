#include "src/options/batch_plan.h"

#include <filesystem>
#include <map>

#include "pipeline/av/container.h"
#include "pipeline/base/error.h"
#include "pipeline/base/url.h"
#include "pipeline/bytes/run_files.h"
#include "src/options/input_list.h"
#include "src/options/name_pattern.h"
#include "src/options/option_values.h"

namespace vidconv {
namespace {

// All that is written, by name and by file, and by whom.
class Claims {
 public:
  explicit Claims(RunFiles& files) : files_(files) {}

  // `what`: "the output of 'a.mp4'".
  void claim(const std::string& what, const std::string& name) {
    const std::string path = std::filesystem::path(local_path(name)).lexically_normal().native();
    const auto [found, first] = whose_.emplace(path, what);
    if (!first)
      throw Error(Fault::usage, "cannot write " + what, name, "it is " + found->second + " too",
                  "tell them apart by {n} or, with --recursive, by their folders");
    if (!is_numbered(path)) files_.writes(what, path);
  }

 private:
  RunFiles& files_;
  std::map<std::string, std::string> whose_;
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

std::string named(const char* option, const std::string& pattern, const NamedInput& input) {
  return pattern.empty() || !has_field(pattern) ? pattern : fill_in(option, pattern, input);
}

}  // namespace

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
    const NamedInput name{name_of_input(input.input), input.folder, plan.files.size() + 1};
    BatchFile file{.input = input.input,
                   .output = named("--output", o.output, name),
                   .stats = named("--stats", o.stats_file, name),
                   .trace = named("--trace", o.trace_file, name),
                   .metrics = named("--metrics", o.metrics_file, name)};
    claim("the output", file.input, file.output);
    claim("the report", file.input, file.stats);
    claim("the trace", file.input, file.trace);
    claim("the file of metrics", file.input, file.metrics);
    plan.files.push_back(std::move(file));
  }
  for (const std::string& pattern : {o.output, o.stats_file, o.trace_file, o.metrics_file})
    if (has_field(pattern)) plan.folders.push_back(common_folder(pattern));
  return plan;
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
