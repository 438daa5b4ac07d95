// The parsed command line, checked as far as its words allow.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/settings/settings.h"

namespace vidconv {

enum class ProgressMode { automatic, plain, json, none };
enum class List {
  none,
  short_help,
  help,
  help_of_filter,  // Options::listed
  version,
  kernels,
  kernels_as_json,
  formats,
  formats_as_json,
  variants,
  devices,
  manual,
  bash_completions,
  zsh_completions,
  fish_completions,
  resumable,  // in the folder Options::listed
};

// The settings of the job, and what the command alone is told.
struct Options : Settings {
  // Several inputs make a batch (src/batch/batch.h); `input` is the first of `inputs`.
  std::vector<std::string> inputs;
  std::vector<std::string> command;  // the command line as typed, the program first
  std::string files_from;            // a list of more inputs, "-" for stdin; empty: none
  bool null_separated = false, recursive = false;
  bool skip_done = false, keep_going = false, fail_fast = false;
  bool watch = false;       // the only input is a folder, and its videos are taken as they come
  bool by_content = false;  // an input that is done is known by all of its bytes
  int files_at_once = 0;    // in a batch; 0: the default
  // Options as they were given that bear on the bytes of the output, but for `filters`.
  std::vector<std::pair<std::string, std::vector<std::string>>> words;

  bool resume = false;        // shards that are finished are kept for a later run
  std::string resume_folder;  // where; empty: beside the output
  bool no_sandbox = false;
  bool quiet = false;
  ProgressMode progress = ProgressMode::automatic;
  std::string stats_file, metrics_file, trace_file;  // empty: none
  std::optional<double> benchmark_seconds;
  std::string measure_log;  // empty: none
  std::string report_file;  // empty: none
  bool explain = false;
  bool gallery = false;
  bool show_originals = false;  // in a report or a gallery, whatever filters hide
  List list = List::none;
  std::string listed;  // the filter or the folder that is asked for
};

// Returns whether the input is live: it comes in its own time and goes on until somebody ends it.
bool is_live(const Options& options);

// Returns whether there may be several inputs, from whose names the outputs' names are made.
bool is_batch(const Options& options);

// Throws Error(Fault::usage).
Options parse_options(int argc, const char* const* argv);

}  // namespace vidconv
