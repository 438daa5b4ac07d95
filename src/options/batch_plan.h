// Decides what a run of several inputs reads and writes, before anything is opened or made.
#pragma once

#include <string>
#include <vector>

#include "pipeline/base/notice.h"
#include "src/options/input_list.h"
#include "src/options/options.h"

namespace vidconv {

struct BatchFile {
  std::string input, output;
  std::string stats, trace, metrics;  // as Options::stats_file, trace_file and metrics_file
};

struct BatchPlan {
  std::vector<BatchFile> files;
  std::vector<std::string> folders;  // all outputs and reports lie in or below these
};

// Throws Error(usage) if names clash or a pattern makes no sense, Error(output_is_input) if an
// output is also any file's input, and what list_inputs() throws. Makes no files or folders.
BatchPlan plan_batch(const Options& options, const Notify& notify);

// Plans a run that watches a folder: its only file is that folder.
BatchPlan plan_watch(const Options& options);
// Returns what is read and written for one input. Throws Error(usage) where a pattern makes no
// sense for it.
BatchFile batch_file(const ListedInput& input, std::size_t number, const Options& options);

// Returns the options of one file as if it were the only one.
Options options_of(const BatchFile& file, const Options& options);

bool is_kept(const std::string& output);  // neither null: nor md5:

}  // namespace vidconv
