// The command line: what the user asked for, checked as far as words can be.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/measure/frame_score.h"
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

// What the encoding is to reach.
struct Target {
  std::string measure;  // "psnr", "ssim"
  double value = 0;
};

// The settings of the job, and what the command alone is told.
struct Options : Settings {
  // Of several inputs (src/batch/batch.h); `input` is the first of `inputs`.
  std::vector<std::string> inputs;
  std::vector<std::string> command;  // as it was typed, the program first
  std::string files_from;            // a list of more, "-" is standard input; empty: none
  bool null_separated = false, recursive = false;
  bool skip_done = false, keep_going = false, fail_fast = false;
  bool by_content = false;  // what is done is known by all bytes of its input
  int files_at_once = 0;    // of several inputs; 0: the default
  // Options as they were given that bear on the bytes of the output, but for `filters`.
  std::vector<std::pair<std::string, std::vector<std::string>>> words;

  bool resume = false;        // shards that are finished are kept for a later run
  std::string resume_folder;  // where; empty: beside the output
  bool no_sandbox = false;
  bool quiet = false;
  ProgressMode progress = ProgressMode::automatic;
  std::string stats_file, metrics_file, trace_file, audit_file;  // empty: none
  std::optional<double> benchmark_seconds;
  Measures measures;
  std::string measure_log;  // empty: none
  std::optional<Target> target;
  std::string report_file;  // empty: none
  bool explain = false;
  bool gallery = false;
  List list = List::none;
  std::string listed;  // what is printed is of this filter, or folder
};

// Whether it is read as it comes, in its own time, and ends where somebody ends it.
bool is_live(const Options& options);

// Whether there may be several inputs, whose outputs' names are made from theirs.
bool is_batch(const Options& options);

// Throws Error(Fault::usage).
Options parse_options(int argc, const char* const* argv);

}  // namespace vidconv
